"""Deep plain stacks against a few layers that see as far: accuracy, and how much alike the hidden states become.

For a base transition (row, sym or gat: GraphSAGE's mean, GCN, GAT) and K = 1..8, a network of three layers of K hops,
weighed by mean, HA or HC, sees 3K steps far, as does a plain stack of 3K layers of one hop in the same frame: batch
norm, ReLU and dropout between layers, bias, one head. Each with and without the linear residual. Sun et al., Adaptive
graph diffusion networks, section on over-smoothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Literal

from pydantic import Field, PositiveInt

from agdn.experiments.load import TrainedModel
from agdn.experiments.recipes import read_recipe
from agdn.experiments.section import Section
from agdn.models.registry import expanded
from agdn.ops.smoothness import dirichlet_energy, mean_cosine
from agdn.studies.oversmoothing_page import oversmoothing_page
from agdn.studies.study import Cell, Study, cell_of

NAME = "oversmoothing"
PLAIN = "plain"
FRAME = ("hidden_channels", "dropout", "input_dropout")
WEIGHTINGS: dict[str, dict[str, Any]] = {
    "mean": {"name": "mean"},
    "HA": {"name": "HA", "init": "zeros"},
    "HC": {"name": "HC"},
}


class Settings(Section):
    """Which networks are compared on which data.

    Attributes:
        recipe: What data, training, width and dropout are taken from.
        bases: Transitions.
        models: Hop weightings of the networks of few layers, and ``plain`` for the deep stacks.
        hops: Values of K.
        layers: Of the networks of several hops; a plain stack has so many times K.
        residual: Without, with, or both.
        position: Add a learned vector to each hop (not in plain stacks).
    """

    recipe: str = "cora/gcn"
    bases: tuple[Literal["row", "sym", "gat", "gat_sym", "gat_adj"], ...] = Field(("row", "sym", "gat"), min_length=1)
    models: tuple[Literal["mean", "HA", "HC", "plain"], ...] = Field(("plain", "mean", "HA", "HC"), min_length=1)
    hops: tuple[PositiveInt, ...] = Field((1, 2, 3, 4, 5, 6, 7, 8), min_length=1)
    layers: PositiveInt = 3
    residual: tuple[bool, ...] = Field((False, True), min_length=1)
    position: bool = True


def cells(settings: Settings, changes: Sequence[str]) -> list[Cell]:
    base_recipe = read_recipe(settings.recipe, changes)
    if base_recipe.link is not None:
        raise ValueError(f"the study {NAME} is about models of nodes; {settings.recipe} is about links")
    frame = _frame(base_recipe.model)
    found = []
    for hops, base, residual, model in product(settings.hops, settings.bases, settings.residual, settings.models):
        facts = {"base": base, "residual": residual, "model": model, "K": hops}
        deep = {"num_layers": settings.layers * hops, "hops": 1, "first_hop": 1, "weighting": "sum"}
        few = {"num_layers": settings.layers, "hops": hops, "position": settings.position}
        own = deep if model == PLAIN else {**few, "weighting": WEIGHTINGS[model]}
        network = {**frame, **own, "transition": base, "residual": residual}
        found.append(cell_of(NAME, base_recipe, facts, network=network))
    return found


def _frame(model: Mapping[str, Any]) -> dict[str, Any]:
    """What all networks share; width and dropout are those of the recipe's model."""
    given = expanded(model)
    kept: dict[str, Any] = {key: given[key] for key in FRAME if key in given}
    return {"name": "AGDN", "heads": 1, "norm": "batch", "bias": True, **kept}


def observe(trained: TrainedModel) -> dict[str, Any]:
    """Smoothness of the last hidden states, in front of the output layer."""
    import torch

    states = torch.from_numpy(trained.embed().values)
    return {"dirichlet energy": dirichlet_energy(states, trained.dataset.graph), "mean cosine": mean_cosine(states)}


STUDY = Study(
    name=NAME,
    summary="Deep plain stacks against hops in few layers: accuracy and smoothness, with and without residual.",
    settings=Settings,
    cells=cells,
    page=oversmoothing_page,
    observe=observe,
    frame=FRAME,
)
