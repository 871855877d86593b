"""Plans of searches that take a moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agdn.experiments import yaml_text
from agdn.search.plan import Effort, Plan, planned
from small_runs import SMALL

SPACE = {
    "model.hidden_channels": [2, 4, 8],
    "training.optimizer.lr": {"low": 1e-3, "high": 0.1, "log": True},
    "model.num_layers": {"low": 1, "high": 2},
}
MLP = {"name": "MLP", "hidden_channels": 4}
EFFORT: dict[str, Any] = {"trials": 3, "finalists": 1, "final_seeds": (7,), "startup": 2}


def write_recipe(folder: Path, **changes: Any) -> Path:
    (folder / "small.yaml").write_text(yaml_text.write({**SMALL, "model": MLP, "training": {"epochs": 3}, **changes}))
    return folder / "small.yaml"


def small_plan(
    folder: Path, *, space: dict[str, Any] | None = None, changes: tuple[str, ...] = (), **effort: Any
) -> Plan:
    """A plan whose recipe, space, journal and best recipe lie in ``folder``."""
    (folder / "space.yaml").write_text(yaml_text.write(SPACE if space is None else space))
    effort = {**EFFORT, **effort}
    return planned(
        write_recipe(folder), Effort(**effort), space=str(folder / "space.yaml"), changes=changes, out=folder / "runs"
    )
