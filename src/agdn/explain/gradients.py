"""Integrated gradients, as an algorithm of PyG's ``Explainer``.

    IG(x) = (x - x') * integral over a in 0..1 of dF(x' + a (x - x')) / dx          x' = 0

of the features with all edges in place, and of a factor on every edge's transition weight, from 0 to 1, with the
features in place. Each sums up to F(x) - F(x'), the completeness of Sundararajan, Taly and Yan, *Axiomatic attribution
for deep networks*, ICML 2017. The integral is taken by Gauss and Legendre's rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.explain import Explainer, ExplainerAlgorithm, Explanation
from torch_geometric.explain.config import ExplanationType, MaskType, ModelMode, ModelTaskLevel

from agdn.explain.attribution import Attribution, distances
from agdn.explain.held_network import is_walkable
from agdn.explain.question import Question
from agdn.graph import Graph
from agdn.models.agdn import summed_edges
from agdn.ops.sparse_rows import dense
from agdn.tasks.inputs import Signals


class Scored(nn.Module):
    """A model in the form that PyG calls, ``model(x, edge_index)``, whose output is the explained score of every node.

    ``masked_edges`` puts a factor on the transition weights of its layers.
    """

    def __init__(self, model: nn.Module, signals: Signals, direction: Tensor) -> None:
        super().__init__()
        self.model, self.signals, self.direction = model, signals, direction

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        graph = self.signals.graph
        if edge_index is not graph.edge_index:
            graph = Graph(edge_index, x.size(0))
        out: Tensor = self.model(x, graph, **self.signals.edge_signals)
        return (out @ self.direction.to(out.dtype)).unsqueeze(1)

    @contextmanager
    def masked_edges(self, mask: Tensor) -> Iterator[None]:
        """``mask`` (E,) in the caller's order."""
        if not is_walkable(self.model):
            raise ValueError(f"edges are explained in AGDN and stacks of one hop, not in {type(self.model).__name__}")

        def times_mask(module: nn.Module, inputs: tuple[Any, ...], a: Tensor) -> Tensor:
            return a * mask[inputs[0].order].unsqueeze(1)

        with ExitStack() as hooks:
            for conv in self.model.convs:  # type: ignore[union-attr]
                hooks.callback(conv.transition.register_forward_hook(times_mask).remove)
            yield


class IntegratedGradients(ExplainerAlgorithm):
    """Masks are signed parts of the model's output at ``index``: of the features, and of the edges.

    Args:
        steps: Points at which gradients are taken.
    """

    def __init__(self, steps: int = 32) -> None:
        super().__init__()
        if steps < 1:
            raise ValueError(f"steps must be at least 1, got {steps}")
        points, weights = np.polynomial.legendre.leggauss(steps)
        self.points = [((1 + point) / 2, weight / 2) for point, weight in zip(points, weights, strict=True)]

    def supports(self) -> bool:
        node_mask = self.explainer_config.node_mask_type
        return (
            self.explainer_config.explanation_type is ExplanationType.model
            and self.model_config.task_level is ModelTaskLevel.node
            and node_mask in (None, MaskType.object, MaskType.attributes)
        )

    def forward(
        self,
        model: nn.Module,
        x: Tensor,
        edge_index: Tensor,
        *,
        target: Tensor,
        index: Tensor | int | None = None,
        **kwargs: Any,
    ) -> Explanation:
        node_mask = edge_mask = None
        if self.explainer_config.node_mask_type is not None:
            node_mask = self._integrated(
                x, lambda given: self._asked(model(given, edge_index, **kwargs), target, index)
            )
            if self.explainer_config.node_mask_type is MaskType.object:
                node_mask = node_mask.sum(1, keepdim=True)
        if self.explainer_config.edge_mask_type is not None:
            masked: Callable[[Tensor], AbstractContextManager[None]] | None = getattr(model, "masked_edges", None)
            if masked is None:
                raise ValueError(
                    f"a factor on edges needs a model with masked_edges, such as agdn.explain.gradients.Scored around "
                    f"one of ours, not {type(model).__name__}; explain it without edge_mask_type"
                )

            def through(mask: Tensor) -> Tensor:
                with masked(mask):
                    return self._asked(model(x, edge_index, **kwargs), target, index)

            edge_mask = self._integrated(x.new_ones(edge_index.size(1)), through)
        return Explanation(node_mask=node_mask, edge_mask=edge_mask)

    def _asked(self, out: Tensor, target: Tensor, index: Tensor | int | None) -> Tensor:
        """What is explained, as one number."""
        rows = slice(None) if index is None else index
        if self.model_config.mode is ModelMode.multiclass_classification:
            return out[rows].gather(1, target[rows].reshape(-1, 1)).sum()
        if self.model_config.mode is ModelMode.binary_classification:
            return (out[rows].reshape(-1) * (2 * target[rows].reshape(-1) - 1)).sum()
        return out[rows].sum()

    def _integrated(self, at: Tensor, score: Callable[[Tensor], Tensor]) -> Tensor:
        total = torch.zeros_like(at)
        for point, weight in self.points:
            given = (point * at).requires_grad_()
            with torch.enable_grad():
                value = score(given)
            (gradient,) = torch.autograd.grad(value, given, allow_unused=True) if value.requires_grad else (None,)
            if gradient is None:
                raise ValueError("the model's outputs do not depend on node features, so gradients explain nothing")
            total += weight * gradient
        return total * at


def gradients(model: nn.Module, signals: Signals, asked: Question, *, steps: int = 32) -> Attribution:
    """The score divided up, for any model; edges too where ours are its layers."""
    graph = signals.graph
    x = summed_edges(graph, signals.edge_attr) if signals.x is None else dense(signals.x)
    scored = Scored(model, signals, asked.direction).eval()
    explainer = Explainer(
        scored,
        IntegratedGradients(steps),
        explanation_type="model",
        model_config={"mode": "regression", "task_level": "node", "return_type": "raw"},
        node_mask_type="attributes",
        edge_mask_type="object" if is_walkable(model) else None,
    )
    found = explainer(x, graph.edge_index, index=asked.node)
    source = found.node_mask.sum(1)
    everywhere = distances(graph, asked.node)
    reach = int(everywhere[source != 0].max()) if bool(source.any()) else 0
    distance = torch.where(everywhere <= reach, everywhere, -1)
    by_hop = source.new_zeros(len(source), reach + 1)
    by_hop.scatter_(1, distance.clamp(min=0).unsqueeze(1), source.unsqueeze(1))
    score = float(found.prediction[asked.node]) + asked.offset
    with torch.no_grad():
        constant = float(scored(torch.zeros_like(x), graph.edge_index)[asked.node]) + asked.offset
    missing = score - constant - float(source.sum())
    return Attribution(
        asked.node, score, constant, by_hop, found.get("edge_mask"), distance, missing, follows_ways=False
    )
