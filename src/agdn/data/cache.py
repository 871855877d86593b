"""Parsed sets kept on disk, so that a second load maps arrays instead of parsing text."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from agdn.data.dataset import Dataset

READER_VERSION = 1  # raised whenever a reader gives another Dataset for the same files


def cache_root() -> Path:
    """``$AGDN_CACHE``, else ``~/.cache/agdn``."""
    configured = os.environ.get("AGDN_CACHE")
    return Path(configured) if configured else Path.home() / ".cache" / "agdn"


def content_key(name: str, files: Sequence[Path]) -> str:
    """Changes with the set's name, its files (names, sizes, times of change) and the readers' version."""
    stamps = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return hashlib.sha256(json.dumps([READER_VERSION, name, stamps]).encode()).hexdigest()


def cached(name: str, files: Sequence[Path], parse: Callable[[], Dataset]) -> Dataset:
    """The parsed set, from the cache where it is still that of ``files``. A cache that fails costs time, no result."""
    from agdn.data import store

    key = content_key(name, files)
    folder = cache_root() / "parsed" / f"{name}-{key[:16]}"
    if store.stored_key(folder) == key:
        try:
            stored: Dataset = store.open_dataset(folder)
            return stored
        except (OSError, ValueError) as error:
            warnings.warn(f"the cached {name} in {folder} is unreadable and is parsed again: {error}", stacklevel=3)
    dataset = parse()
    try:
        store.save(dataset, folder, key=key)
    except (OSError, ValueError) as error:
        warnings.warn(f"{name} could not be cached in {folder} and will be parsed every time: {error}", stacklevel=3)
    return dataset


def open_stored(folder: Path) -> Dataset:
    """A dataset that was stored in a folder of its own."""
    from agdn.data import store

    stored: Dataset = store.open_dataset(folder)
    return stored
