"""A small graph with labels, and a model that answers what it is told."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agdn.data.dataset import Dataset, NodeSplit
from agdn.graph import Graph

N = 60
NODES = torch.arange(N)


def dataset(target: str = "class", metric: str = "accuracy", **changes: object) -> Dataset:
    generator = torch.Generator().manual_seed(3)
    y = {
        "class": torch.randint(3, (N,), generator=generator),
        "multilabel": torch.randint(2, (N, 4), generator=generator).float(),
        "numeric": 100 + 10 * torch.randn(N, generator=generator),
    }[target]
    if metric == "rocauc" and target == "class":
        y = y.clamp(max=1)
    fields: dict[str, object] = {
        "name": "toy",
        "graph": Graph(torch.randint(N, (2, 200), generator=generator), N),
        "target": target,
        "metric": metric,
        "splits": (NodeSplit(NODES[:30], NODES[30:45], NODES[45:]),),
        "x": torch.randn(N, 5, generator=generator),
        "y": y,
    }
    return Dataset(**{**fields, **changes})  # type: ignore[arg-type]


class Answers(nn.Module):
    """The same logits for every node, and a record of what it was given."""

    def __init__(self, logits: list[float]) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.tensor(logits))
        self.given: list[Tensor] = []
        self.with_gradient: list[bool] = []

    def forward(self, x: Tensor, graph: Graph) -> Tensor:
        self.given.append(x.clone())
        self.with_gradient.append(torch.is_grad_enabled())
        return self.logits.expand(graph.num_nodes, -1)
