"""The file that a search goes on from: a line of JSON for everything that happened, as Optuna's journals have it.

A search has one writer, which keeps a lock on the file that the system takes away when the process dies. A line that
a kill or a full disk cut short is the last one, and was never counted on: it is dropped. Nothing in the file can run
code.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from optuna.storages.journal import BaseJournalBackend

from agdn.data.atomic import sync_folder

START = b'{"op_code":'


class Journal(BaseJournalBackend):
    """The records of an open journal, in memory and on disk."""

    def __init__(self, path: Path, file: FileIO) -> None:
        self.path, self._file = path, file
        self._records = self._read()

    def read_logs(self, log_number_from: int) -> list[dict[str, Any]]:
        return self._records[log_number_from:]

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """On disk when this returns; how far a trial has come may be lost with the machine, how it ended may not."""
        lines = [json.dumps(record, separators=(",", ":")) for record in logs]
        self._write("".join(line + "\n" for line in lines).encode())
        if any("intermediate_value" not in record for record in logs):
            os.fsync(self._file.fileno())
        self._records.extend(json.loads(line) for line in lines)

    def _write(self, content: bytes) -> None:
        """All of it or nothing."""
        before = os.fstat(self._file.fileno()).st_size
        try:
            if self._file.write(content) != len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._file.truncate(before)
            raise OSError(error.errno, error.strerror, str(self.path)) from error

    def _read(self) -> list[dict[str, Any]]:
        self._file.seek(0)
        content = self._file.read()
        *lines, rest = content.split(b"\n")
        records = [self._record(line, number) for number, line in enumerate(lines, start=1)]
        if not rest:
            return records
        if (last := _parsed(rest)) is not None:
            self._write(b"\n")
            return [*records, last]
        if not records and not (rest.startswith(START) or START.startswith(rest)):
            raise self._foreign(1)
        self._file.truncate(len(content) - len(rest))
        return records

    def _record(self, line: bytes, number: int) -> dict[str, Any]:
        record = _parsed(line)
        if record is None:
            raise self._foreign(number)
        return record

    def _foreign(self, number: int) -> ValueError:
        return ValueError(f"{self.path}, line {number} is not of a search; give another --file")


@contextmanager
def opened(path: Path) -> Iterator[Journal]:
    """The journal at ``path``, made where there is none; no other process has it open meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b", buffering=0) as file:
        sync_folder(path.parent)
        _lock(file, path)
        yield Journal(path, file)


def _lock(file: FileIO, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # a system without these locks
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ValueError(f"another process is searching with {path}; wait for it, or give another --file") from None


def _parsed(line: bytes) -> dict[str, Any] | None:
    """A record, or None of what is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("op_code"), int) else None
