"""The filters that HC learns, as polynomials over the eigenvalues of the normalised Laplacian.

With A = I - L, a channel's diffusion is h_c(L) with

    h_c(lambda) = sum_k theta_kc (1 - lambda)^k                lambda in 0..2

exactly so for the ``sym`` transition on an undirected graph; for others it is the same polynomial of their own
eigenvalues 1 - lambda. Small lambda are smooth signals, large ones change from neighbour to neighbour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from agdn.experiments.load import TrainedModel
from agdn.experiments.section import Section
from agdn.models.agdn import AGDN
from agdn.nn.weighting import HopConvolution
from agdn.ops.spectrum import laplacian_histogram
from agdn.studies.hop_networks import check_changes, weighted_cell
from agdn.studies.spectrum_page import spectrum_page
from agdn.studies.study import Cell, Study

NAME = "spectrum"


class Settings(Section):
    """Whose filters are looked at.

    Attributes:
        recipes: Of AGDN on nodes; their hop weighting becomes HC.
        transitions: Each in turn.
    """

    recipes: tuple[str, ...] = Field(("cora/agdn", "chameleon/agdn"), min_length=1)
    transitions: tuple[Literal["sym", "row", "gat", "gat_sym", "gat_adj"], ...] = Field(("sym",), min_length=1)


def cells(settings: Settings, changes: Sequence[str]) -> list[Cell]:
    check_changes(NAME, changes, {"weighting": ("HC",), "transition": settings.transitions})
    return [
        weighted_cell(
            NAME,
            recipe,
            changes,
            "HC",
            {"recipe": recipe, "transition": transition},
            {"transition": transition},
        )
        for recipe in settings.recipes
        for transition in settings.transitions
    ]


def observe(trained: TrainedModel) -> dict[str, Any]:
    """The kernels of every layer, and where the eigenvalues of the graph are."""
    assert isinstance(trained.model, AGDN), "the study's recipes are of AGDN"
    layers = []
    for number, conv in enumerate(trained.model.convs, 1):
        weighting = conv.weighting
        assert isinstance(weighting, HopConvolution), "the study's weighting is HC"
        kernel = weighting.kernel.detach().flatten(1).t().double()  # (H D, hops in the sum)
        layers.append({"layer": number, "first hop": weighting.first_hop, "kernel": kernel.tolist()})
    return {"layers": layers, "eigenvalues": laplacian_histogram(trained.dataset.graph).tolist()}


STUDY = Study(
    name=NAME,
    summary="The filters that HC learns, over the eigenvalues of the normalised Laplacian, by layer and channel.",
    settings=Settings,
    cells=cells,
    page=spectrum_page,
    observe=observe,
)
