"""The runs of a study on record: it goes on where the folders of its runs are not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agdn.experiments.measured import fingerprint
from agdn.experiments.records import Record, read_records, write_records
from agdn.experiments.result import Run
from agdn.studies.study import Cell

Key = tuple[str, str, int]


class Kept:
    """What the file at ``path`` holds, and what is added to it; records of other settings stay in it."""

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            raise ValueError(f"{path} is a folder; give --kept a file, such as {path / 'records.jsonl'}")
        if not path.parent.is_dir():
            raise ValueError(f"the folder {path.parent} does not exist; --kept wants a file in one that does")
        self.path = path
        self._records = _read(path)

    def find(self, cell: Cell, seed: int) -> Record | None:
        """The run of a cell, with these settings, and what the study observed of it."""
        return self._records.get(_key(cell, seed))

    def add(self, cell: Cell, run: Run, observed: Mapping[str, Any]) -> None:
        """On file at once, so that it survives whatever happens to the runs after it, beside what others added."""
        key = _key(cell, run.seed)
        with _alone_in(self.path.parent):
            self._records |= _read(self.path)
            self._records[key] = Record(run, key[1], observed)
            write_records(self.path, self._records.values())


def _read(path: Path) -> dict[Key, Record]:
    return {(record.run.name, record.settings, record.run.seed): record for record in read_records(path)}


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """One process after another; waits for its turn."""
    try:
        import fcntl
    except ImportError:  # a system without these locks
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _key(cell: Cell, seed: int) -> Key:
    return cell.config.name, fingerprint(cell.config), seed
