"""Links among negatives of their own that are hard to tell from them, as HeaRT has it (Li et al., 2023).

Every node is given the nodes that it is not linked to and looks most linked to, by shared neighbours and by PageRank. A
link u - v is then ranked among u with the hard ones of u and the hard ones of v with v.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from agdn.data.unlinked import unlinked_pairs
from agdn.graph import Graph
from agdn.ops.candidates import near_nodes
from agdn.ops.heuristics import pagerank_from, resource_allocation
from agdn.sampling.streams import derived
from agdn.tasks.link_metrics import HITS, hits_of
from agdn.tasks.negatives import KnownPairs
from agdn.tasks.pair_scores import Watch

PAIRS = 1 << 21  # looked at in one go
ALL_UP_TO = 50_000_000  # pairs, past which only nodes near each other are looked at
NEAR = 8  # times as many of these as are wanted
ROUNDS = 20  # of drawing where too few are near


def hardest(
    graph: Graph, known: Graph, nodes: Tensor, count: int, *, seed: int = 0, watch: Watch | None = None
) -> Tensor:
    """(len(nodes), count) for each node the unlinked nodes that stand first by resource allocation or by PageRank.

    A node's place is the better of its two ranks, then the other one, then its id. In graphs of more than
    ``ALL_UP_TO`` pairs only nodes two steps away are compared; where there are too few, others are drawn. -1 stands
    where a node has fewer than ``count`` unlinked ones.

    Args:
        graph: What the ranks are read from, symmetric: the message graph.
        known: Every link there is, symmetric; none of these is a negative.
    """
    everyone = known.num_nodes**2 <= ALL_UP_TO
    links = None if everyone else KnownPairs.of(known.edge_index, known.num_nodes)
    step = max(1, PAIRS // (known.num_nodes if everyone else NEAR * count))
    found = torch.full((len(nodes), count), -1, dtype=torch.int64)
    for begin in range(0, len(nodes), step):
        block = nodes[begin : begin + step]
        pairs = unlinked_pairs(block, known) if links is None else _near(graph, links, block, NEAR * count)
        rows, places, chosen = _first(pairs, graph, block, count)
        found[begin + rows, places] = chosen
        if links is not None:
            _fill(found[begin : begin + step], block, links, derived(seed, begin))
        if watch is not None:
            watch("hard negatives", min(begin + step, len(nodes)), len(nodes))
    return found


def hard_scores(
    score: Callable[[Tensor], Tensor], links: Tensor, of_links: Tensor, hard: Callable[[Tensor], Tensor]
) -> dict[str, float]:
    """Mean reciprocal rank and hits of (2, P) links among their own hard negatives; tied ones count half.

    Args:
        score: (Q,) of (2, Q) pairs.
        of_links: (P,) the scores of the links.
        hard: The hard negatives of nodes, see :func:`hardest`.
    """
    above = torch.zeros(links.size(1), dtype=torch.float64)
    for side in range(2):
        nodes, at = links[side].unique(return_inverse=True)
        others = hard(nodes)
        there = others >= 0
        pairs = torch.stack([nodes[:, None].expand_as(others)[there], others[there]])
        scores = torch.full(others.shape, -torch.inf)
        scores[there] = score(pairs if side == 0 else pairs.flip(0))
        ordered = scores.sort(1).values
        for chosen in torch.arange(len(at)).split(max(1, PAIRS // others.size(1))):
            rows, own = ordered[at[chosen]], of_links[chosen, None]
            not_above = torch.searchsorted(rows, own, right=True) + torch.searchsorted(rows, own)
            above[chosen] += others.size(1) - 0.5 * not_above.squeeze(1).double()
    ranks = 1 / (above + 1)
    return {"hard_mrr": float(ranks.mean())} | {f"hard_hits@{k}": hits_of(ranks, k) for k in HITS}


def _near(graph: Graph, known: KnownPairs, block: Tensor, most: int) -> Tensor:
    """Nodes two steps away in the message graph that no part links."""
    pairs = near_nodes(graph, block, most)
    return pairs[:, ~_linked(known, pairs)]


def _linked(known: KnownPairs, pairs: Tensor) -> Tensor:
    """(P,) whether each pair is a link or a node with itself."""
    return known.holds(pairs) | (pairs[0] == pairs[1])


def _first(pairs: Tensor, graph: Graph, block: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Row of the block, place and node of the ``count`` hardest of each node."""
    source, target = pairs.numpy()
    starts = np.flatnonzero(np.r_[True, source[1:] != source[:-1]]) if len(source) else np.zeros(0, np.int64)
    group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(source)]))
    within = np.arange(len(source)) - starts[group]

    def ranks(values: Tensor) -> np.ndarray:
        """The place of each pair among those of its source, best first."""
        order = np.lexsort((target, -values.numpy(), group))
        rank = np.empty(len(order), np.int64)
        rank[order] = within
        return rank

    by_neighbours, by_pagerank = ranks(resource_allocation(graph, pairs)), ranks(pagerank_from(graph, pairs))
    better, other = np.minimum(by_neighbours, by_pagerank), np.maximum(by_neighbours, by_pagerank)
    order = np.lexsort((target, other, better, group))
    kept = order[within < count]
    row_of = {int(node): row for row, node in enumerate(block.tolist())}
    rows = torch.tensor([row_of[int(node)] for node in source[starts]], dtype=torch.int64)[group[kept]]
    return rows, torch.from_numpy(within[within < count]), torch.from_numpy(target[kept])


def _fill(found: Tensor, block: Tensor, known: KnownPairs, seed: int) -> None:
    """Draw what is missing in the rows, none of it linked or there already."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(ROUNDS):
        rows, places = (found < 0).nonzero().t()
        if not len(rows):
            return
        drawn = torch.randint(known.num_nodes, (len(rows),), generator=generator)
        pairs = torch.stack([block[rows], drawn])
        taken = (found[rows] == drawn[:, None]).any(1) | _linked(known, pairs)
        keys = rows * known.num_nodes + drawn
        order = keys.sort(stable=True).indices
        again = torch.zeros(len(keys), dtype=torch.bool)
        again[order[1:]] = keys[order[1:]] == keys[order[:-1]]
        kept = ~(taken | again)
        found[rows[kept], places[kept]] = drawn[kept]
