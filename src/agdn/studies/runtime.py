"""What systems cost: time and memory of a training step and of an evaluation, and their parameters.

Recipes as they stand, each in a process of its own: AGDN, RevGNN, SEAL and the rest side by side on the same machine.
An epoch is its steps times the seconds of one, training is all epochs of the recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from agdn.experiments.recipes import read_recipe
from agdn.experiments.section import Section
from agdn.studies.amounts import duration, memory
from agdn.studies.gathering import values_of, where
from agdn.studies.page import Figure, Page, Table
from agdn.studies.study import Cell, Facts, Outcome, Study, cell_of

NAME = "runtime"
HEADER = (
    "recipe", "edges", "parameters", "seconds a step", "steps an epoch", "an epoch", "epochs", "training",
    "memory of a step", "evaluation", "memory of an evaluation",
)  # fmt: skip


class Settings(Section):
    """Which systems.

    Attributes:
        recipes: Recipes or files; those of one data set stand in one table.
    """

    recipes: tuple[str, ...] = Field(
        (
            "ogbn-arxiv/agdn", "ogbn-arxiv/gat", "ogbn-arxiv/gcn", "ogbn-arxiv/sage", "ogbn-arxiv/gcnii",
            "ogbn-arxiv/deepergcn", "ogbn-arxiv/jknet", "ogbn-arxiv/dagnn", "ogbn-arxiv/appnp", "ogbn-arxiv/magna",
            "ogbn-arxiv/unimp", "ogbn-arxiv/sign", "ogbn-arxiv/revagdn", "ogbn-arxiv/revgnn",
            "ogbn-arxiv/revgat-bot", "ogbl-ddi/agdn", "ogbl-ddi/gat", "ogbl-ddi/gcn", "ogbl-ddi/sage",
            "ogbl-ddi/plnlp", "ogbl-ddi/seal", "usair/agdn", "usair/seal",
        ),
        min_length=1,
    )  # fmt: skip


def cells(settings: Settings, changes: Sequence[str]) -> list[Cell]:
    found = []
    for recipe in settings.recipes:
        base = read_recipe(recipe, changes)
        share = 1.0 if base.link is None else base.link.train_share
        facts: Facts = {"set": base.data.name, "recipe": recipe, "share of the edges": share}
        found.append(cell_of(NAME, base, facts, shown={}))
    return found


def page(settings: Any, outcomes: Sequence[Outcome]) -> Page:
    text = [
        "A training step is forward, loss, backward and the optimiser's update, the median of a few after one that is "
        "not timed; epochs and training are that times their number. Memory is what was resident at most beyond data "
        "and weights. An evaluation scores all nodes, or all test pairs (timed on 20,000 of them at most). Edges are "
        "counted as the recipe has them, with reverses and loops where it adds them.",
    ]
    parts: list[Table | Figure] = []
    for name in values_of(outcomes, "set"):
        group = where(outcomes, set=name)
        sizes = next((each.observed for each in group if "nodes" in each.observed), {})
        size = f", {sizes['nodes']:,} nodes, {sizes['threads']} threads" if sizes else ""
        key = str(name).strip("/").replace("/", "-")
        parts.append(Table(key, f"{name}{size}", HEADER, [_row(each) for each in group]))
    return Page("Run time, memory and parameters", text, parts)


def _row(outcome: Outcome) -> list[str]:
    found, name, share = outcome.observed, str(outcome.facts["recipe"]), float(outcome.facts["share of the edges"])
    if share < 1:
        name += f" (an epoch is of {100 * share:g} % of the training edges)"
    if "failed" in found:
        return [name, "", "", str(found["failed"]), *[""] * (len(HEADER) - 4)]
    told = [name, f"{found['edges']:,}", f"{found['parameters']:,}"]
    evaluation = [duration(found["evaluation seconds"]), memory(found["evaluation bytes"])]
    if "step seconds" not in found:
        return [*told, "nothing is learnt", *[""] * 5, *evaluation]
    step, steps, epochs = found["step seconds"], found["steps"], found["epochs"]
    times = [f"{step:.3g}", f"{steps:,}", duration(step * steps), f"{epochs:,}", duration(step * steps * epochs)]
    return [*told, *times, memory(found["step bytes"]), *evaluation]


STUDY = Study(
    name=NAME,
    summary="Time, memory and parameters of AGDN, RevGNN, SEAL and the rest, each in a process of its own.",
    settings=Settings,
    cells=cells,
    page=page,
    work="measure",
    seeds="0",
)
