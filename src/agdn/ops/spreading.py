"""Values that spread over the graph from where they start: z <- alpha A z + (1 - alpha) z_0, so many times."""

from __future__ import annotations

from torch import Tensor

from agdn.graph import Graph
from agdn.ops.propagate import propagate


def spread(
    start: Tensor,
    weight: Tensor,
    graph: Graph,
    *,
    alpha: float,
    steps: int,
    bounds: tuple[float, float] | None = None,
) -> Tensor:
    """(N, C) values and (E, 1) weights in the graph's order -> (N, C); every step is cut to the ``bounds``."""
    values = start
    for _ in range(steps):
        values = alpha * propagate(values.unsqueeze(1), weight, graph).squeeze(1) + (1 - alpha) * start
        if bounds is not None:
            values = values.clamp(*bounds)
    return values
