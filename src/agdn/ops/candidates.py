"""Who might become a neighbour: the nodes two steps away."""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.graph import Graph


def near_nodes(graph: Graph, nodes: Tensor, most: int) -> Tensor:
    """(2, P) pairs of each of ``nodes`` with at most ``most`` nodes two steps away and not one, the likeliest.

    These are the ones with the largest sum over common neighbours w of 1 / degree(w) in a symmetric graph; of equal
    ones the lower ids. Pairs are grouped by node, in the order of ``nodes``.
    """
    from agdn.ops.kernels.candidates import two_steps_away
    from agdn.ops.kernels.jit import use_threads

    use_threads()
    nodes = nodes.long().cpu()
    found = torch.full((len(nodes), most), -1, dtype=torch.int64)
    degree = graph.in_degree.clamp(min=1).double()
    two_steps_away(nodes.numpy(), graph.indptr.numpy(), graph.indices.numpy(), degree.numpy(), found.numpy())
    there = found >= 0
    return torch.stack([nodes.repeat_interleave(there.sum(1)), found[there]])
