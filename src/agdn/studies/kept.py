"""Records of finished runs in one file, a line each: a study goes on where the folders of its runs are not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agdn.data.atomic import write_bytes
from agdn.experiments.measured import fingerprint
from agdn.experiments.result import Run
from agdn.studies.study import Cell

Key = tuple[str, str, int]


class Kept:
    """What the file at ``path`` holds, and what is added to it; records of other settings stay in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: dict[Key, dict[str, Any]] = {}
        if not path.is_file():
            return
        for number, text in enumerate(path.read_text().splitlines(), 1):
            try:
                line = json.loads(text)
                run = Run.model_validate({**line["run"], "folder": path})
                self._lines[run.name, line["settings"], run.seed] = line
            except (ValueError, TypeError, KeyError):
                raise ValueError(
                    f"{path}, line {number}: not a record of a study's run; give a file that --kept wrote, or a new one"
                ) from None

    def find(self, cell: Cell, seed: int) -> tuple[Run, dict[str, Any]] | None:
        """The run of a cell, with these settings, and what the study observed of it."""
        line = self._lines.get(_key(cell, seed))
        return None if line is None else (Run.model_validate({**line["run"], "folder": self.path}), line["observed"])

    def add(self, cell: Cell, run: Run, observed: Mapping[str, Any]) -> None:
        key = _key(cell, run.seed)
        self._lines[key] = {"settings": key[1], "run": run.model_dump(mode="json"), "observed": dict(observed)}

    def write(self) -> None:
        write_bytes(self.path, "".join(f"{json.dumps(line)}\n" for line in self._lines.values()).encode())


def _key(cell: Cell, seed: int) -> Key:
    return cell.config.name, fingerprint(cell.config), seed
