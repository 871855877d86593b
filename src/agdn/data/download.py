"""Fetch a published set into the data folder, or take its file from where the user put it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agdn.data.archive import unpack
from agdn.data.atomic import replacing
from agdn.data.errors import DataError
from agdn.data.fetch import FetchError, fetch, remote_size
from agdn.data.lock_file import LOCK_NAME, record, recorded, sha256
from agdn.data.remote_sets import REMOTE_SETS, RemoteFile

Progress = Callable[[str, int, int | None], None]
DOWNLOADS = "downloads"


@dataclass(frozen=True)
class Downloaded:
    """One file of a set: where it is now, and its hash (None where it was there before)."""

    path: Path
    sha256: str | None


def remote_files(name: str) -> tuple[RemoteFile, ...]:
    """The files of a set that can be fetched."""
    if name not in REMOTE_SETS:
        raise DataError(f"there is no download for {name!r}; it is known for {', '.join(REMOTE_SETS)}")
    return REMOTE_SETS[name]


def missing_size(name: str, root: Path, *, timeout: float = 30.0) -> tuple[int, int | None]:
    """How many files of a set are still to be fetched, and their bytes (None where the server does not say)."""
    missing = [file for file in remote_files(name) if not (root / file.path).exists()]
    total = 0
    for file in missing:
        size = remote_size(file.url, timeout=timeout)
        if size is None:
            return len(missing), None
        total += size
    return len(missing), total


def download(
    name: str,
    root: Path | str,
    *,
    from_file: Path | str | None = None,
    progress: Progress | None = None,
    timeout: float = 30.0,
) -> list[Downloaded]:
    """Put the files of the set ``name`` where the readers look for them; what is there already stays as it is.

    Each file's SHA-256 is recorded at its first use; a file that differs from its record is refused.
    ``from_file`` takes the one missing file from disk, for a machine that has no network.
    """
    root = Path(root)
    files = remote_files(name)
    if from_file is not None:
        file = _meant(files, Path(from_file))
        _require_free(root / file.path)
        return [_place(file, root, Path(from_file))]
    return [_fetched(file, root, progress, timeout) for file in files]


def _fetched(file: RemoteFile, root: Path, progress: Progress | None, timeout: float) -> Downloaded:
    target = root / file.path
    if target.exists():
        return Downloaded(target, None)
    staged = root / DOWNLOADS / file.file_name

    def report(received: int, total: int | None) -> None:
        if progress is not None:
            progress(file.file_name, received, total)

    if not staged.exists():
        try:
            fetch(file.url, staged, progress=report, timeout=timeout)
        except FetchError as error:
            place = f"put it at {target} or " if file.top is None else ""
            raise DataError(
                f"{error}; without a network, fetch it elsewhere and {place}give it with --from-file {file.file_name}"
            ) from None
    try:
        return _place(file, root, staged)
    finally:
        staged.unlink(missing_ok=True)


def _place(file: RemoteFile, root: Path, source: Path) -> Downloaded:
    """Check the hash, then unpack or copy to where the readers look."""
    if not source.is_file():
        raise DataError(f"{source} does not exist or is not a file")
    digest, known, target = sha256(source), recorded(root, file.url), root / file.path
    if known is not None and digest != known:
        raise DataError(
            f"{file.file_name} has SHA-256 {digest}, but {known} was recorded at its first use; it was changed or "
            f"damaged, and the record in {root / LOCK_NAME} must be removed to accept it"
        )
    if file.top is not None:
        unpack(source, target, top=file.top)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as content, replacing(target) as copy:
            shutil.copyfileobj(content, copy)
    record(root, file.url, digest)
    return Downloaded(target, digest)


def _meant(files: tuple[RemoteFile, ...], given: Path) -> RemoteFile:
    """The file of the set that a user's file is: by its name where the set has several."""
    if len(files) == 1:
        return files[0]
    named = [file for file in files if file.file_name == given.name]
    if not named:
        names = ", ".join(file.file_name for file in files)
        raise DataError(f"{given.name} is none of the set's files, which are {names}")
    return named[0]


def _require_free(target: Path) -> None:
    if target.exists():
        raise DataError(f"{target} is there already; move it away to replace it")
