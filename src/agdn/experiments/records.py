"""Records of finished runs in one file, a line of JSON each: what is left of them where their folders are gone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agdn.data.atomic import write_bytes
from agdn.experiments.result import Run


@dataclass(frozen=True)
class Record:
    """A run, the fingerprint of its settings, and what a study observed of it."""

    run: Run
    settings: str
    observed: Mapping[str, Any] = field(default_factory=dict)


def read_records(path: Path) -> list[Record]:
    """What the file holds, nothing where there is none; the file is the runs' folder."""
    found = []
    for number, text in enumerate(path.read_text().splitlines() if path.is_file() else (), 1):
        try:
            line = json.loads(text)
            run = Run.model_validate({**line["run"], "folder": path})
            found.append(Record(run, str(line["settings"]), dict(line.get("observed", {}))))
        except (ValueError, TypeError, KeyError):
            raise ValueError(
                f"{path}, line {number}: not the record of a run; give a file that --kept wrote, or a new one"
            ) from None
    return found


def write_records(path: Path, records: Iterable[Record]) -> None:
    lines = []
    for record in records:
        observed = {"observed": dict(record.observed)} if record.observed else {}
        lines.append(json.dumps({"settings": record.settings, "run": record.run.model_dump(mode="json"), **observed}))
    write_bytes(path, "".join(f"{line}\n" for line in lines).encode())
