"""How long link recipes train and score: the paper's comparison of SEAL with AGDN, on this machine.

    python benchmarks/link_runtime.py --out docs/benchmarks/link-runtime.md ogbl-ddi/seal ogbl-ddi/agdn usair/seal ...

A few steps of each recipe are timed, and the scores of a part of the test pairs; the table says of how many, and what
an epoch, all epochs and all test pairs then take.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from agdn.data.dataset import EdgeSplit
from agdn.experiments.experiment import Assembled, Experiment
from agdn.experiments.recipes import read_recipe
from agdn.experiments.tables import as_markdown
from agdn.tasks.link import LinkTask, states_of
from agdn.tasks.pair_scores import score_pairs
from agdn.training.settings import Settings
from agdn.training.state import State

HEADER = (
    "recipe", "steps timed", "seconds a step", "steps an epoch", "an epoch", "epochs", "training", "pairs timed",
    "test pairs", "scoring all",
)  # fmt: skip


@dataclass(frozen=True)
class Timed:
    """Seconds of a step and of scoring, and how many there are of both."""

    recipe: str
    step_seconds: list[float]
    steps: int
    epochs: int
    states_seconds: float
    pairs_seconds: float
    pairs_timed: int
    pairs: int

    def row(self) -> tuple[str, ...]:
        step = statistics.median(self.step_seconds or [0.0])
        scoring = self.states_seconds + self.pairs_seconds * self.pairs / self.pairs_timed
        return (
            self.recipe,
            str(len(self.step_seconds)),
            f"{step:.3g}",
            f"{self.steps:,}",
            duration(step * self.steps),
            f"{self.epochs:,}",
            duration(step * self.steps * self.epochs),
            f"{self.pairs_timed:,}",
            f"{self.pairs:,}",
            duration(scoring),
        )


def duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"


def timed(recipe: str, steps: int, pairs: int) -> Timed:
    config = read_recipe(recipe)
    built = Experiment(config, 0, Path()).assemble()
    assert isinstance(built.task, LinkTask)
    seconds = _steps(built, config.training, steps) if config.training.epochs else []
    split = built.task.split
    assert isinstance(split, EdgeSplit)
    asked = torch.cat([split.test, split.test_negative], dim=1)
    chosen = asked[:, torch.randperm(asked.size(1), generator=torch.Generator().manual_seed(0))[:pairs]]
    built.model.eval()
    with torch.no_grad():
        score_pairs(built.model, states_of(built.model, built.inputs.whole), chosen[:, :64], 64)  # compiles
        begin = time.perf_counter()
        states = states_of(built.model, built.inputs.whole)
        between = time.perf_counter()
        score_pairs(built.model, states, chosen, built.task.eval_batch_size)
        end = time.perf_counter()
    return Timed(
        recipe=recipe,
        step_seconds=seconds,
        steps=built.task.steps(built.inputs),
        epochs=config.training.epochs,
        states_seconds=between - begin,
        pairs_seconds=end - between,
        pairs_timed=chosen.size(1),
        pairs=asked.size(1),
    )


def _steps(built: Assembled, settings: Settings, count: int) -> list[float]:
    """Seconds of each step after the first, which compiles."""
    state, seconds = State(built.model, settings), []
    built.model.train()
    losses = built.task.losses(built.model, built.inputs)
    for _ in range(min(count + 1, built.task.steps(built.inputs))):
        begin = time.perf_counter()
        loss = next(losses)
        if loss is not None:
            state.optimizer.zero_grad()
            loss.backward()
            state.optimizer.step()
        seconds.append(time.perf_counter() - begin)
    return seconds[1:] or seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipes", nargs="+")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    rows = [timed(recipe, options.steps, options.pairs).row() for recipe in options.recipes]
    text = "\n\n".join(
        [
            "# Run time of link recipes",
            f"Written by `benchmarks/link_runtime.py`, {datetime.date.today().isoformat()}; {platform.machine()}, "
            f"{options.threads} threads. The median of the steps that were timed, forward, loss, backward and update; "
            "epochs, training and scoring are these times the number of steps, epochs and pairs of the recipe. "
            "Published, on a V100: SEAL takes 2.8 times as long to train as AGDN on ogbl-citation2 and 500 times as "
            "long to score.",
            as_markdown(HEADER, rows),
        ]
    ) + "\n"  # fmt: skip
    print(text)  # noqa: T201
    if options.out is not None:
        options.out.write_text(text)


if __name__ == "__main__":
    main()
