"""A linear autoencoder of neighbourhoods in closed form: each node's links are regressed on its other links.

X = D^-1/2 A D^-1/2        min over B with diag B = 0 of ||X - X B||^2 + ridge ||B||^2        S = D^1/2 X B D^1/2

The minimum is B = I - P diag(P)^-1 off the diagonal, P = (X^T X + ridge I)^-1 (Steck, 2019: Embarrassingly shallow
autoencoders for sparse data). No node explains its own column, so that a known link is no answer to itself. Degrees are
divided out in front of the regression and multiplied back behind it: else it would be about the largest nodes alone.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.models.heuristics import Heuristic

MOST_NODES = 20_000  # four tables of 1.6 GB
SCORES = "_linear_autoencoder"  # what is kept with a graph


class LinearAutoencoder(Heuristic):
    """(S_uv + S_vu) / 2, for graphs small enough to hold a number for every pair of nodes.

    Args:
        ridge: How strongly large weights are punished; the largest eigenvalue of X is 1.
    """

    def __init__(self, *, ridge: float = 0.003) -> None:
        super().__init__()
        if ridge <= 0:
            raise ValueError(f"ridge must be above 0, got {ridge}")
        self.ridge = ridge

    def decode(self, graph: Graph, pairs: Tensor) -> Tensor:
        """(2, P) node pairs -> (P,) scores; all pairs are scored at the first call for a graph."""
        key = f"{SCORES}_{self.ridge}"
        if key not in graph.__dict__:
            graph._set(**{key: autoencoder_scores(graph, self.ridge)})
        scores: Tensor = graph.__dict__[key]
        return scores[pairs[0], pairs[1]]

    def extra_repr(self) -> str:
        return f"ridge={self.ridge}"


def autoencoder_scores(graph: Graph, ridge: float, *, dtype: torch.dtype = torch.float32) -> Tensor:
    """(N, N) symmetric scores; links count in both directions, repeated ones once."""
    n = graph.num_nodes
    if n > MOST_NODES:
        raise ValueError(
            f"LinearAutoencoder holds a number for every pair of nodes, up to {MOST_NODES:,} nodes; the graph has {n:,}"
        )
    links = graph.undirected().edge_index.long()
    x = torch.zeros(n, n, dtype=dtype, device=graph.device)
    x[links[0], links[1]] = 1
    root = x.sum(1).clamp(min=1).sqrt()
    x.div_(root[:, None]).div_(root)
    precision = x.T @ x
    precision.diagonal().add_(ridge)
    precision = torch.cholesky_inverse(torch.linalg.cholesky(precision))
    own = precision.diagonal().clone()
    precision.div_(-own).fill_diagonal_(0)  # B
    scores = (x @ precision).mul_(root[:, None]).mul_(root)
    return (scores + scores.T).div_(2)
