"""Normalisation between layers, over the rows of an (N, C) tensor."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from agdn.nn.batch_norm import BatchNorm
from agdn.part import build


def pair_norm(channels: int) -> nn.Module:
    """PairNorm: centred over the nodes, rescaled to constant mean length; it fights over-smoothing.

        x_i^c = x_i - (1/N) sum_j x_j,    out_i = s x_i^c / sqrt((1/N) sum_j |x_j^c|^2),    s = 1

    Zhao and Akoglu, PairNorm: tackling oversmoothing in GNNs, ICLR 2020.
    """
    from torch_geometric.nn import PairNorm

    norm: nn.Module = PairNorm()
    return norm


def no_norm(channels: int) -> nn.Module:
    return nn.Identity()


NORMS: dict[str, Callable[..., nn.Module]] = {
    "batch": BatchNorm,
    "layer": nn.LayerNorm,
    "pair": pair_norm,
    "none": no_norm,
}
ROW_WISE = (nn.BatchNorm1d, nn.LayerNorm, nn.Identity)
"""Those that, in evaluation, treat each row by itself."""


def norm_of(name: str, width: int) -> nn.Module:
    """The norm with this name, of so many channels."""
    norm: nn.Module = build("norm", NORMS, name, num_features=width, normalized_shape=width, channels=width)
    return norm


def hidden_norms(name: str, widths: list[int]) -> nn.ModuleList:
    """One norm a hidden layer."""
    return nn.ModuleList(norm_of(name, width) for width in widths)
