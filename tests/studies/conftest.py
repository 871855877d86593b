"""Studies that are done in a moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agdn.studies.carrying_out import Plan, planned
from agdn.studies.registry import study_named
from small_runs import SMALL


@pytest.fixture(autouse=True)
def plain_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are tested where they are; here nothing waits for their compiler."""
    monkeypatch.setenv("AGDN_KERNELS", "torch")


@pytest.fixture
def small_recipe(tmp_path: Path) -> str:
    """A file with a recipe on a graph of 120 nodes."""
    from agdn.experiments import yaml_text

    path = tmp_path / "small.yaml"
    path.write_text(yaml_text.write({key: value for key, value in SMALL.items() if key != "name"}))
    return str(path)


@pytest.fixture
def small_plan(tmp_path: Path, small_recipe: str) -> Callable[..., Plan]:
    """The plan of a study on that graph."""

    def plan(name: str, *assignments: str, seeds: Sequence[int] = (0,), key: str = "recipe") -> Plan:
        own = f"{key}={small_recipe}" if key == "recipe" else f"{key}=[{small_recipe}]"
        return planned(study_named(name), [own, *assignments], seeds=seeds, out=tmp_path / "out")

    return plan
