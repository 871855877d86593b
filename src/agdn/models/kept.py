"""What was made of an input, kept for as long as that input lives and stays as it is."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

from agdn.graph import Graph
from agdn.ops.backend import only_plain_operators

State = tuple[int, Graph, Tensor | None, int]


class Kept:
    """Results by the very tensor that they were made of; they go when it goes, and copies of a model start anew."""

    def __init__(self) -> None:
        self._known: MutableMapping[Tensor, tuple[State, Tensor]] = WeakIdKeyDictionary()

    def of(self, x: Tensor, graph: Graph, edge_weight: Tensor | None, make: Callable[[], Tensor]) -> Tensor:
        """``make()``, unless it was made before of the same features, graph and weights."""
        learnt = x.requires_grad or (edge_weight is not None and edge_weight.requires_grad)
        if learnt or x.is_inference() or torch.compiler.is_compiling() or only_plain_operators():
            return make()
        state = (x._version, graph, edge_weight, 0 if edge_weight is None else edge_weight._version)
        known = self._known.get(x)
        if known is not None and _same(known[0], state):
            return known[1]
        with torch.inference_mode(False):  # so that training may use it too
            made = make()
        self._known[x] = state, made
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Kept:
        return Kept()

    def __reduce__(self) -> tuple[type[Kept], tuple[()]]:
        return Kept, ()


def _same(known: State, state: State) -> bool:
    return known[0] == state[0] and known[1] is state[1] and known[2] is state[2] and known[3] == state[3]
