"""What a rank of a graph in parts needs and sends, before there is such a machine.

With n own nodes, b rows of halo, e edges into own nodes, s bytes a number, and layers of width w, H heads and K hops:

    memory = BASE + n (INDEX_NODE + s F + s sum over layers of (K + ROWS) w + s PEAK max w)
                  + b (INDEX_NODE + s sum of K w) + e (INDEX_EDGE + s EDGE_ROWS sum of H)
    sent in a step = s (S + b) sum of (K w + scores H)          S: rows that others have in their halo

With ``recompute`` hops are kept for one layer at a time: the sum over layers of K w becomes the largest of them, and
forward is walked twice. What is sent is exact. The constants of memory are measured by
``benchmarks/distributed_memory.py``, which also checks the formula; docs/distributed.md has its figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from torch import nn

from agdn.nn.conv import AGDNConv

BASE = 0.55e9  # an interpreter with torch and compiled kernels
ROWS = 6.0  # rows of a layer's width kept for backward beside the hops: input, hop 0, output, norm, activation, dropout
PEAK = 4.0  # rows of the widest layer that are there while one layer is computed backward
EDGE_ROWS = 4.0  # numbers of an edge and head that live until backward: scores, their softmax, and copies by source
INDEX_EDGE = 72  # both orders of the edges, of all and of those from own nodes and from the halo; ids
INDEX_NODE = 48  # pointers, ids, degrees
BYTES = 4


@dataclass(frozen=True)
class Layer:
    """The shape of a diffusion layer."""

    in_width: int
    width: int
    heads: int
    hops: int
    transition: str = "gat"


@dataclass(frozen=True)
class Plan:
    """Bytes of one rank.

    Attributes:
        memory: Held at most in training.
        activations, halo, structure, features: What it is made of, beside what every process has.
        sent: Given to other ranks in one step of training; ``sent_in_evaluation`` in one evaluation.
        state: On disk: the rank's part of the dataset.
    """

    memory: float
    activations: float
    halo: float
    structure: float
    features: float
    sent: float
    sent_in_evaluation: float
    state: float


def layers_of(model: nn.Module) -> list[Layer]:
    """The diffusion layers of a model."""
    return [
        Layer(
            conv.in_channels if isinstance(conv.in_channels, int) else conv.in_channels[0],
            conv.heads * conv.out_channels,
            conv.heads,
            conv.hops,
            str(getattr(conv.transition, "kind", "gat")),
        )
        for conv in model.modules()
        if isinstance(conv, AGDNConv)
    ]


def exchanged(layers: Sequence[Layer], *, given: float, asked: float, memory: Literal["store", "recompute"]) -> float:
    """Bytes that a rank sends in a step: ``given`` rows of its own to others forward, ``asked`` rows back to them."""
    forward = sum(layer.hops * layer.width + _forward_scores(layer) * layer.heads for layer in layers)
    backward = sum(layer.hops * layer.width + _backward_scores(layer) * layer.heads for layer in layers)
    again = sum(layer.hops * layer.width for layer in layers) if memory == "recompute" else 0
    returned = sum(_forward_returns(layer) * layer.heads for layer in layers)
    sent_again = sum(_backward_sends(layer) * layer.heads for layer in layers)
    return BYTES * (given * (forward + again + sent_again) + asked * (backward + returned))


def in_evaluation(layers: Sequence[Layer], *, given: float, asked: float) -> float:
    """The same for one evaluation of all nodes."""
    forward = sum(layer.hops * layer.width + _forward_scores(layer) * layer.heads for layer in layers)
    return BYTES * (given * forward + asked * sum(_forward_returns(layer) * layer.heads for layer in layers))


def _over_sources(layer: Layer) -> bool:
    return layer.transition in ("gat_col", "gat_sym")


def _forward_scores(layer: Layer) -> int:
    """Owners send scores and, for a softmax over sources, its largest score and its sum."""
    return (1 if layer.transition.startswith("gat") else 0) + (2 if _over_sources(layer) else 0)


def _forward_returns(layer: Layer) -> int:
    """... which they have received from the halo's side before."""
    return 2 if _over_sources(layer) else 0


def _backward_scores(layer: Layer) -> int:
    """Gradients of scores and of sums go back to the owners."""
    return (1 if layer.transition.startswith("gat") else 0) + (1 if _over_sources(layer) else 0)


def _backward_sends(layer: Layer) -> int:
    return 1 if _over_sources(layer) else 0


def plan(
    layers: Sequence[Layer],
    *,
    nodes: float,
    edges: float,
    features: int,
    halo: float,
    given: float | None = None,
    memory: Literal["store", "recompute"] = "store",
) -> Plan:
    """For a rank with so many own nodes, edges into them and rows of halo; as many are given unless said otherwise."""
    given = halo if given is None else given
    kept = [layer.hops * layer.width for layer in layers]
    hops = max(kept) if memory == "recompute" else sum(kept)
    rows = ROWS * sum(layer.width for layer in layers) + PEAK * max(layer.width for layer in layers)
    activations = BYTES * nodes * (hops + rows)
    held = BYTES * halo * hops
    heads = sum(layer.heads for layer in layers if layer.transition.startswith("gat"))
    structure = INDEX_NODE * (nodes + halo) + edges * (INDEX_EDGE + BYTES * EDGE_ROWS * heads)
    own = BYTES * nodes * features
    return Plan(
        memory=BASE + activations + held + structure + own,
        activations=activations,
        halo=held,
        structure=structure,
        features=own,
        sent=exchanged(layers, given=given, asked=halo, memory=memory),
        sent_in_evaluation=in_evaluation(layers, given=given, asked=halo),
        state=own + 24 * edges + 32 * (nodes + halo),
    )


def random_halo(nodes: float, edges: float, parts: int) -> float:
    """Rows of halo that a rank has at most on average when nodes are dealt out at random.

    A node of another rank is in the halo unless none of its d edges leads here, which has the chance (1 - 1/P)^d; with
    the mean of d for every node this is an upper bound, since real degrees are uneven.
    """
    share = 1 - 1 / parts
    return nodes * share * (1 - share ** (edges / max(nodes, 1.0))) if parts > 1 else 0.0
