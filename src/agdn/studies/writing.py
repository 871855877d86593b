"""A plan's outcomes -> its page on disk."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from agdn.studies.carrying_out import Plan, outcomes
from agdn.studies.page import Page, write_page


def write_study(plan: Plan, *, command: str, failures: Sequence[str] = ()) -> Path:
    """Write the page of what is finished, with ``command`` as what made it. Returns the page."""
    found = outcomes(plan)
    if not found:
        raise ValueError(f"no run of the study {plan.study.name} in {plan.folder} is finished yet")
    made = plan.study.page(plan.settings, found)
    seeds = sorted({each.seed for each in found})
    total = plan.runs
    versions = [f"{name} {metadata.version(name)}" for name in ("agdn", "torch")]
    threads = sorted({each.run.threads for each in found if each.run is not None})
    facts = [
        datetime.date.today().isoformat(),
        *versions,
        *([f"threads {', '.join(map(str, threads))}"] if threads else []),
        f"seeds {', '.join(map(str, seeds))}",
    ]
    unfinished = f" {total - len(found)} of {total} runs are not finished and left out." if len(found) < total else ""
    written = f"Written by `{command}`; {', '.join(facts)}.{unfinished}"
    failed = [f"What could not be trained: {'; '.join(failures)}."] if failures else []
    notes = dict.fromkeys(note for each in found if each.run is not None for note in each.run.notes)
    page = Page(made.title, [written, *failed, *notes, *made.text], made.parts, made.data)
    about = {
        "format": "agdn-study",
        "format_version": 1,
        "study": plan.study.name,
        "command": command,
        "settings": plan.settings.model_dump(mode="json"),
        "seeds": seeds,
        "versions": {name: metadata.version(name) for name in ("agdn", "torch")},
    }
    return write_page(plan.folder, plan.study.name, page, [each.row() for each in found], about)
