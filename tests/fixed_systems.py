"""Graphs and dense matrices for the tests of systems with a fixed transition."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from graphs import random_edges, symmetric
from reference import fixed_transition

N, F, C = 14, 6, 3


def graph() -> Graph:
    return Graph(symmetric(random_edges(N, 40)), N).with_self_loops()


def features() -> Tensor:
    return torch.randn(N, F, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def hops(x: Tensor, count: int, kind: str = "sym") -> list[Tensor]:
    """x, A x, ..., A^count x, by dense products."""
    matrix = fixed_transition(kind, graph().edge_index, N)
    found = [x]
    for _ in range(count):
        found.append(matrix @ found[-1])
    return found


def restless(model: nn.Module) -> nn.Module:
    """In float64 and evaluation, with every parameter away from where it starts."""
    generator = torch.Generator().manual_seed(2)
    model = model.double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return model


def linear(layer: nn.Module, x: Tensor) -> Tensor:
    out = x @ layer.weight.t()
    return out if layer.bias is None else out + layer.bias


def perceptron(model: nn.Module, x: Tensor) -> Tensor:
    *inner, last = model.layers
    for layer in inner:
        x = linear(layer, x).clamp(min=0)
    return linear(last, x)
