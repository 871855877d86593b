"""A whole network as it was for one input: layers with everything held that depends on features in another way.

Between two layers a norm has its statistics held, and an activation is the factor act(y) / y that it was at y.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agdn.explain.held_layer import HeldLayer, held_layer
from agdn.graph import Graph
from agdn.models.agdn import AGDN
from agdn.models.stack import OneHopStack
from agdn.tasks.inputs import Signals


@dataclass(frozen=True)
class Between:
    """What follows a layer: (N, C) factors of its norm, whether that centres each row, and of its activation."""

    norm: Tensor
    centred: bool
    activation: Tensor

    def linear_part(self, out: Tensor) -> Tensor:
        """What the next layer is given, without anything that ``out`` does not make."""
        return self.activation * self.norm * (out - out.mean(1, keepdim=True) if self.centred else out)

    def back(self, adjoint: Tensor) -> Tensor:
        """Of the next layer's input -> of this layer's output."""
        adjoint = self.norm * self.activation * adjoint
        return adjoint - adjoint.mean(1, keepdim=True) if self.centred else adjoint

    def part(self, nodes: Tensor) -> Between:
        return replace(self, norm=self.norm[nodes], activation=self.activation[nodes])


@dataclass(frozen=True)
class HeldNetwork:
    """Layers in order, each with what follows it; None behind a convolution that makes the output.

    The hops of a layer are those of the features alone: what biases and means added on the way is not in them.

    Attributes:
        skipped: The layers whose input is added to their output.
        summed: The layers to whose output those of the layers before are added.
        final: (F, C) a linear map behind the last layer.
        outputs: (N, C).
    """

    graph: Graph
    layers: list[HeldLayer]
    between: list[Between | None]
    skipped: tuple[int, ...]
    summed: tuple[int, ...]
    final: Tensor | None
    outputs: Tensor

    @property
    def reach(self) -> int:
        """Steps from which the output hears."""
        return sum(layer.conv.hops for layer in self.layers)


def is_walkable(model: nn.Module) -> bool:
    """Whether its layers are ours and stand in a row, so that walks can be followed through them."""
    return isinstance(model, AGDN | OneHopStack)


@torch.no_grad()
def held_network(model: nn.Module, signals: Signals) -> HeldNetwork:
    """The model in evaluation mode on what it is given."""
    if not isinstance(model, AGDN | OneHopStack):
        raise ValueError(
            f"walks can be followed through AGDN, GCN, GAT, GATv2 and GraphSAGE; for {type(model).__name__} use "
            "--method gradients"
        )
    seen: dict[nn.Module, tuple[Tensor, Tensor]] = {}

    def remember(module: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> None:
        seen[module] = inputs[0], output

    with ExitStack() as hooks:
        for module in (*model.convs, *model.norms):
            hooks.callback(module.register_forward_hook(remember).remove)
        outputs = model(signals.x, signals.graph, **signals.edge_signals)
    skip, skipped = getattr(model, "skip", None), []
    layers, between = list[HeldLayer](), list[Between | None]()
    alone: Tensor = seen[model.convs[0]][0]  # what the features alone make of the states
    running: Tensor | None = None
    for place, conv in enumerate(model.convs):
        x, out = seen[conv]
        layer = held_layer(conv, x, signals.graph, signals.edge_attr, signals.edge_weight)  # type: ignore[arg-type]
        layers.append(layer if place == 0 else layer.given(alone, signals.graph))
        made = layers[-1].linear_part()
        if place < len(model.norms):
            norm = model.norms[place]
            follows = _between(norm, *seen[norm], getattr(model, "activation", "relu"))
            between.append(follows)
            if skip == "input" and place > 0 and out.shape == x.shape:
                skipped.append(place)
                made = made + alone
            if skip == "sum":
                made = running = made if running is None else made + running
            alone = follows.linear_part(made)
        elif getattr(model, "out_activation", False):
            y = out if model.out_bias is None else out + cast(Tensor, model.out_bias)
            between.append(Between(torch.ones_like(y), False, _factor("relu", y)))
        else:
            between.append(None)
    final = getattr(model, "output_linear", None)
    return HeldNetwork(
        signals.graph,
        layers,
        between,
        tuple(skipped),
        tuple(range(len(model.norms))) if skip == "sum" else (),
        None if final is None else final.weight.t(),
        outputs,
    )


def _between(norm: nn.Module, before: Tensor, after: Tensor, activation: str) -> Between:
    return Between(_norm_factor(norm, before), isinstance(norm, nn.LayerNorm), _factor(activation, after))


def _factor(activation: str, y: Tensor) -> Tensor:
    if activation == "relu":
        return (y > 0).to(y.dtype)
    return torch.where(y == 0, 1.0, F.elu(y) / torch.where(y == 0, 1.0, y))


def _norm_factor(norm: nn.Module, h: Tensor) -> Tensor:
    """(N, C) what the held norm multiplies its input by; a mean over all nodes is held as well."""
    if isinstance(norm, nn.BatchNorm1d):
        assert norm.running_var is not None
        return ((norm.running_var + norm.eps).rsqrt() * norm.weight).expand_as(h)
    if isinstance(norm, nn.LayerNorm):
        return (torch.var(h, dim=1, correction=0, keepdim=True) + norm.eps).rsqrt() * norm.weight
    if isinstance(norm, nn.Identity):
        return torch.ones_like(h)
    pair: Any = norm
    centred = h - h.mean(0)
    factor: Tensor = pair.scale / (pair.eps + centred.square().sum(1).mean()).sqrt()
    return factor.expand_as(h)
