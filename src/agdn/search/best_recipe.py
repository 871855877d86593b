"""The chosen setting as a recipe that extends the one that was tuned."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from agdn.data.atomic import write_bytes
from agdn.data.store import is_stored
from agdn.experiments import yaml_text
from agdn.experiments.overrides import with_overrides
from agdn.experiments.recipes import SUFFIXES
from agdn.experiments.result import shown
from agdn.search.found import Trial
from agdn.search.plan import Plan
from agdn.search.space import assignments
from agdn.search.study import Study


def recipe_text(plan: Plan, trial: Trial, *, metric: str, trials: int) -> str:
    """YAML with the changed keys alone, and how they were found."""
    base, effort = plan.config, plan.effort
    score, seeds = trial.score, effort.seeds
    if trial.final is not None and trial.final.score is not None:
        score, seeds = trial.final.score, trial.final.seeds
    assert score is not None, "only a trial with a score is chosen"
    figure = f"validation {metric} {shown(score, None, metric)} on seeds {', '.join(map(str, seeds))}"
    found = f"Tuned: the best of {trials} trials on seeds {', '.join(map(str, effort.seeds))}; {figure}."
    content = {
        "extends": _as_seen_from(plan.best.parent, plan.recipe),
        "name": f"{base.name}-tuned",
        "description": f"{base.description} {found}".strip(),
        **({"published": None} if base.published is not None else {}),
    }
    return yaml_text.write(with_overrides(content, [*plan.changes, *assignments(trial.setting)]))


def _as_seen_from(folder: Path, recipe: str) -> str:
    return os.path.relpath(recipe, folder) if recipe.endswith(SUFFIXES) or is_stored(recipe) else recipe


def check_place(path: Path, study: Study) -> None:
    """A file that this search has not written is not overwritten."""
    if path.exists() and _digest(path.read_bytes()) not in study.written():
        raise ValueError(f"{path} is there already and not as this search wrote it; give another --best")


def write_recipe(path: Path, text: str, study: Study) -> None:
    """Noted in the study first, so that a kill in between leaves no file that the next run would not know."""
    content = text.encode()
    if path.exists() and path.read_bytes() == content:
        return
    if _digest(content) not in study.written():
        study.set_written(_digest(content))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
