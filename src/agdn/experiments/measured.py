"""What this library's own runs of its recipes gave: ``recipes/measured.json``, written from finished runs."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from agdn.experiments.config import Config, Figure
from agdn.experiments.recipes import read_recipe, recipe_folder, recipe_names
from agdn.experiments.result import REPORTED, SHARES, Result, Run
from agdn.experiments.run_folder import NOT_COMPARED, read_config
from agdn.models.registry import option_defaults


class Measured(Figure):
    """Mean and unbiased standard deviation over the seeds, in percent where the metric is a share.

    Attributes:
        settings: Fingerprint of the configuration that was run; a recipe that has another was changed since.
    """

    test_std: float | None
    valid: float
    valid_std: float | None
    seeds: int
    date: str
    settings: str


RECORDS: TypeAdapter[dict[str, Measured]] = TypeAdapter(dict[str, Measured])


def measured_figures() -> dict[str, Measured]:
    """By recipe; those that were changed since are left out."""
    path = _path()
    records = RECORDS.validate_json(path.read_bytes()) if path.is_file() else {}
    names = set(recipe_names())
    return {
        name: record
        for name, record in records.items()
        if name in names and record.settings == fingerprint(read_recipe(name))
    }


def settings_of(run: Run) -> str:
    """Fingerprint of the configuration in a run's folder."""
    return fingerprint(read_config(run.folder))


def record_measured(result: Result, settings: Sequence[str]) -> None:
    """Keep a result beside the recipes; it must be of a recipe as it stands.

    Args:
        settings: Fingerprint of each run's configuration.
    """
    expected = fingerprint(read_recipe(result.name))
    for run, own in zip(result.runs, settings, strict=True):
        if own != expected:
            raise ValueError(f"seed {run.seed} of {result.name} is not a run of the recipe as it stands")
    scale = 100 if result.metric in SHARES else 1
    figures: dict[str, float | None] = {}
    for part in REPORTED:
        std = result.std(part)
        figures |= {part: round(result.mean(part) * scale, 4)}
        figures |= {f"{part}_std": None if std is None else round(std * scale, 4)}
    record = {
        "metric": result.metric,
        **figures,
        "seeds": len(result.runs),
        "date": datetime.date.today().isoformat(),
        "settings": expected,
    }
    kept = {name: own.model_dump() for name, own in measured_figures().items()}
    records = dict(sorted({**kept, result.name: record}.items()))
    _path().write_text(json.dumps(records, indent=1) + "\n")


def fingerprint(config: Config) -> str:
    """Of everything that a run's numbers depend on; usual values are left out, so that new options outdate nothing."""
    content = _compared(config.model_dump(mode="json", exclude_defaults=True))
    usual = option_defaults(config.model["name"])
    content["model"] = {
        key: value for key, value in content["model"].items() if key not in usual or usual[key] != value
    }
    if config.data.features is not None:
        content["data"]["features"] = config.data.features_by(lambda file: Path(file).name)  # wherever it lies
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _compared(content: dict[str, Any], path: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        key: _compared(value, (*path, key)) if isinstance(value, dict) else value
        for key, value in content.items()
        if (*path, key) not in NOT_COMPARED
    }


def _path() -> Path:
    return recipe_folder() / "measured.json"
