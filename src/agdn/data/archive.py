"""zip and tar -> files in a folder, member by member: nothing lands outside it, nothing swells past a cap.

Members go to a folder of their own beside the target, which takes the target's name when all are there.
"""

from __future__ import annotations

import secrets
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from agdn.data.errors import DataError

CHUNK = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What an archive may hold before it is taken for a bomb."""

    total_bytes: int = 64 * 2**30
    members: int = 100_000
    ratio: int = 1000  # unpacked bytes for each byte of the whole archive
    free_bytes: int = 16 * 2**20  # below this size the ratio does not matter


@dataclass(frozen=True)
class Member:
    """A regular file in an archive."""

    name: str
    content: IO[bytes]


def unpack(archive: Path, target: Path, *, top: str | None = None, limits: Limits | None = None) -> int:
    """Unpack into the new folder ``target`` and return the number of files.

    With ``top``, every member must lie in that folder of the archive, whose content becomes ``target``.
    """
    if target.exists():
        raise DataError(f"{target} is there already; move it away to unpack {archive.name} again")
    target.parent.mkdir(parents=True, exist_ok=True)
    workplace = target.with_name(f".{target.name}.{secrets.token_hex(4)}.unpacking")
    workplace.mkdir()
    try:
        count = _unpack_members(archive, workplace, top, limits or Limits())
        workplace.rename(target)
    finally:
        shutil.rmtree(workplace, ignore_errors=True)
    return count


def _unpack_members(archive: Path, workplace: Path, top: str | None, limits: Limits) -> int:
    budget = _budget(archive, limits)
    written, seen = 0, set[str]()
    try:
        with _members(archive) as members:
            for member in members:
                path = _safe_path(archive, member.name, top)
                if (folded := str(path).casefold()) in seen:
                    raise DataError(f"{archive} holds {member.name!r} twice; it is refused")
                seen.add(folded)
                if len(seen) > limits.members:
                    raise DataError(f"{archive} holds more than {limits.members:,} files; it is refused")
                written += _copy(member, workplace / path, budget - written, archive)
    except DataError:
        raise
    except Exception as error:  # a damaged archive makes the standard library raise whatever its parsers meet
        raise DataError(f"{archive} is damaged, truncated or encrypted ({error}); fetch it again") from None
    if not seen:
        raise DataError(f"{archive} holds no file")
    return len(seen)


def _budget(archive: Path, limits: Limits) -> int:
    return min(limits.total_bytes, max(limits.free_bytes, archive.stat().st_size * limits.ratio))


@contextmanager
def _members(archive: Path) -> Iterator[Iterator[Member]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            yield _zip_members(archive, packed)
    else:
        with tarfile.open(archive) as packed_tar:
            yield _tar_members(archive, packed_tar)


def _zip_members(archive: Path, packed: zipfile.ZipFile) -> Iterator[Member]:
    for entry in packed.infolist():
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise DataError(f"{archive} holds {entry.filename!r}, a link or device; only files are unpacked")
        if not entry.filename.endswith("/"):
            with packed.open(entry) as content:
                yield Member(entry.orig_filename, content)


def _tar_members(archive: Path, packed: tarfile.TarFile) -> Iterator[Member]:
    for entry in packed:
        if entry.isdir():
            continue
        content = packed.extractfile(entry) if entry.isreg() else None
        if content is None:
            raise DataError(f"{archive} holds {entry.name!r}, a link or device; only files are unpacked")
        yield Member(entry.name, content)


def _safe_path(archive: Path, name: str, top: str | None) -> PurePosixPath:
    path = PurePosixPath(name)
    plain = not path.is_absolute() and ".." not in path.parts and not set(name) & set("\\:\0")
    if not plain or not path.parts or any(len(part.encode("utf-8", "replace")) > 255 for part in path.parts):
        raise DataError(f"{archive} holds the name {name!r}, which leads out of the folder; it is refused")
    if top is None:
        return path
    if path.parts[0] != top or len(path.parts) < 2:
        raise DataError(f"{archive} holds {name!r} outside its folder {top!r}; it is not the archive that was expected")
    return PurePosixPath(*path.parts[1:])


def _copy(member: Member, path: Path, budget: int, archive: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with path.open("xb") as file:
        while chunk := member.content.read(CHUNK):
            written += len(chunk)
            if written > budget:
                raise DataError(f"{archive} swells past its cap at {member.name!r}; it is refused")
            file.write(chunk)
    return written
