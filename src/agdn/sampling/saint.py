"""GraphSAINT: subgraphs of randomly drawn nodes, edges or walks, with weights that take the drawing out again.

With C_v and C_uv, the numbers of C pre-sampled subgraphs that hold node v and edge u -> v,

    edge weight  C_v / C_uv  (1 / alpha_uv):    sum over u of weight * x_u  has the full sum of v as its mean,
    node weight  C / (N C_v)  (1 / (N lambda_v)):    sum over v of weight * loss_v  has the mean loss as its mean.

Counts of 0 are taken for 1: what turns up in a batch has been seen once. As in the paper the edge weight counts the
target, where the sum is taken; PyG's ``edge_norm`` counts the source. The node weight is PyG's ``node_norm``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.checks import check_counts, check_seed
from agdn.ops.draws import uniform_draws, weighted_draws
from agdn.ops.subgraphs import different_nodes, induced_subgraph
from agdn.ops.walks import random_walks
from agdn.sampling.batch import Batch, check_index
from agdn.sampling.streams import derived

BATCHES, COUNTING = 0, 1  # what the seed is used for
STARTS, STEPS = 0, 1


class _Saint(ABC):
    """Draws nodes (a subclass says how) and gives the subgraph that they induce; all of them are seeds.

    Args:
        batches: Batches of an epoch.
        normalise: Pre-sample subgraphs, when the sampler is made, and weight nodes and edges by what they count.
        coverage: How often a node is to be in them on average.
    """

    def __init__(self, graph: Graph, *, batches: int, normalise: bool, coverage: int, seed: int) -> None:
        check_seed(seed)
        check_counts(batches=batches, coverage=coverage)
        self.graph, self.batches, self.seed = graph.to("cpu"), batches, seed
        self.weights = self._estimated(coverage) if normalise else None

    def __len__(self) -> int:
        return self.batches

    def batch(self, epoch: int, index: int) -> Batch:
        check_index(epoch, index, self.batches)
        nodes, graph = self._subgraph(derived(self.seed, BATCHES, epoch, index))
        if self.weights is None:
            return Batch(graph, nodes, len(nodes))
        node_weight, edge_weight = self.weights
        return Batch(graph, nodes, len(nodes), node_weight[nodes], edge_weight[graph.origin])

    @abstractmethod
    def _draw(self, seed: int) -> Tensor:
        """Node ids, repeated ones among them."""

    def _subgraph(self, seed: int) -> tuple[Tensor, Graph]:
        nodes = different_nodes(self._draw(seed), self.graph.num_nodes)
        return nodes, induced_subgraph(self.graph, nodes)

    def _estimated(self, coverage: int) -> tuple[Tensor, Tensor]:
        """(N,) node and (E,) edge weights, the latter in the caller's edge order."""
        num_nodes, num_edges = self.graph.num_nodes, self.graph.full.num_edges
        node_count, edge_count = torch.zeros(num_nodes), torch.zeros(num_edges)
        samples, wanted = 0, coverage * num_nodes
        while wanted > 0:
            nodes, graph = self._subgraph(derived(self.seed, COUNTING, samples))
            if not len(nodes):
                break
            node_count[nodes] += 1
            edge_count[graph.origin] += 1
            samples, wanted = samples + 1, wanted - len(nodes)
        at_target = torch.ones(num_edges)
        at_target[self.graph.order] = node_count[self.graph.targets]
        node_weight = samples / (node_count.clamp(min=1) * max(num_nodes, 1))
        return node_weight, at_target.clamp(min=1) / edge_count.clamp(min=1)


class SaintWalk(_Saint):
    """The nodes on random walks of ``length`` steps from ``roots`` nodes, drawn uniformly and with replacement.

    Walks follow the edges; one that reaches a node without out-edges stays there.

    Args:
        roots: Walks of a batch.
        batches: Batches of an epoch.
        normalise: Pre-sample subgraphs, when the sampler is made, and weight nodes and edges by what they count.
        coverage: How often a node is to be in them on average.
    """

    def __init__(
        self,
        graph: Graph,
        roots: int,
        length: int,
        *,
        batches: int,
        normalise: bool = False,
        coverage: int = 50,
        seed: int = 0,
    ) -> None:
        check_counts(roots=roots)
        if length < 0:
            raise ValueError(f"a walk cannot have {length} steps; length must be 0 or more")
        self.roots, self.length = roots, length
        super().__init__(graph, batches=batches, normalise=normalise, coverage=coverage, seed=seed)

    def _draw(self, seed: int) -> Tensor:
        starts = uniform_draws(self.roots, self.graph.num_nodes, seed=derived(seed, STARTS))
        return random_walks(self.graph, starts, self.length, seed=derived(seed, STEPS))


class SaintNode(_Saint):
    """``nodes`` draws of a node, in proportion to its out-degree: the sources of edges drawn uniformly.

    Args:
        nodes: Draws of a batch, with replacement.
        batches, normalise, coverage: As in :class:`SaintWalk`.
    """

    def __init__(
        self,
        graph: Graph,
        nodes: int,
        *,
        batches: int,
        normalise: bool = False,
        coverage: int = 50,
        seed: int = 0,
    ) -> None:
        check_counts(nodes=nodes)
        self.nodes = nodes
        super().__init__(graph, batches=batches, normalise=normalise, coverage=coverage, seed=seed)

    def _draw(self, seed: int) -> Tensor:
        return self.graph.indices[uniform_draws(self.nodes, self.graph.num_edges, seed=seed)]


class SaintEdge(_Saint):
    """Both ends of ``edges`` drawn edges; u -> v is drawn in proportion to 1 / out-degree(u) + 1 / in-degree(v).

    Args:
        edges: Draws of a batch, with replacement.
        batches, normalise, coverage: As in :class:`SaintWalk`.
    """

    def __init__(
        self,
        graph: Graph,
        edges: int,
        *,
        batches: int,
        normalise: bool = False,
        coverage: int = 50,
        seed: int = 0,
    ) -> None:
        check_counts(edges=edges)
        self.edges = edges
        cpu = graph.to("cpu")
        chance = 1 / cpu.out_degree[cpu.indices].double() + 1 / cpu.in_degree[cpu.targets].double()
        self._cumulative = chance.cumsum(0)
        super().__init__(graph, batches=batches, normalise=normalise, coverage=coverage, seed=seed)

    def _draw(self, seed: int) -> Tensor:
        drawn = weighted_draws(self.edges, self._cumulative, seed=seed)
        return torch.stack([self.graph.indices[drawn], self.graph.targets[drawn]])
