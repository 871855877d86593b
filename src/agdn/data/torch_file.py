"""Torch ``.pt`` files, both containers (a zip, and the older row of pickles), as NumPy arrays in plain containers."""

from __future__ import annotations

import zipfile
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, BinaryIO

from agdn.data.unpickle import BoundedReader, PlainUnpickler, materialised, refusing

LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
LEGACY_PROTOCOL = 1001


def read_torch(path: Path) -> Any:
    """What ``torch.save`` wrote, as far as it is tensors, arrays and plain containers; anything else is refused."""
    with refusing(path), path.open("rb") as stream:
        is_zip = stream.read(4) == b"PK\x03\x04"
        stream.seek(0)
        return _read_zip(stream, path.stat().st_size) if is_zip else _read_legacy(stream, path.stat().st_size)


def _read_zip(stream: BinaryIO, size: int) -> Any:
    try:
        with zipfile.ZipFile(stream) as archive:
            return _read_archive(archive, size)
    except zipfile.BadZipFile:
        raise UnpicklingError("its zip container is damaged") from None


def _read_archive(archive: zipfile.ZipFile, size: int) -> Any:
    members = {entry.filename: entry for entry in archive.infolist()}
    packed = any(entry.compress_type != zipfile.ZIP_STORED for entry in members.values())
    if packed or sum(entry.file_size for entry in archive.infolist()) > size:
        raise UnpicklingError("it is a packed zip, which torch does not write")
    pickles = [name for name in members if name.count("/") == 1 and name.endswith("/data.pkl")]
    if len(pickles) != 1:
        raise UnpicklingError("it has no data.pkl inside")
    prefix = pickles[0].removesuffix("data.pkl")
    if f"{prefix}byteorder" in members and archive.read(f"{prefix}byteorder") != b"little":
        raise UnpicklingError("it was written on a big-endian machine")
    with archive.open(pickles[0]) as stream:
        reader = BoundedReader(stream, members[pickles[0]].file_size)  # type: ignore[arg-type]
        reader.budget += 2 * size
        unpickler = PlainUnpickler(reader)
        value = unpickler.load()
    for key, storage in unpickler.storages.items():
        member = members.get(f"{prefix}data/{key}")
        if member is None or member.file_size != storage.nbytes:
            raise UnpicklingError(f"it does not hold the bytes of its storage {key!r}")
        storage.raw = archive.read(member)
    return materialised(value, reader)


def _read_legacy(stream: BinaryIO, size: int) -> Any:
    """Five parts in a row: magic number, protocol, the writer's byte order, the object, the keys of its storages."""
    reader = BoundedReader(stream, size)
    if PlainUnpickler(reader).load() != LEGACY_MAGIC or PlainUnpickler(reader).load() != LEGACY_PROTOCOL:
        raise UnpicklingError("it is not a torch file")
    if not PlainUnpickler(reader).load()["little_endian"]:
        raise UnpicklingError("it was written on a big-endian machine")
    unpickler = PlainUnpickler(reader)
    value = unpickler.load()
    for key in PlainUnpickler(reader).load():
        if type(key) is not str:
            raise UnpicklingError("it holds a storage without a name")
        storage = unpickler.storages[key]
        numel = int.from_bytes(reader.read(8), "little")
        if numel != storage.numel:
            raise UnpicklingError(f"it announces storage {key!r} with two sizes")
        storage.raw = reader.read(storage.nbytes)
    return materialised(value, reader)
