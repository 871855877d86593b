"""Negatives that look like links: found as the definition says, and links ranked among them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agdn.graph import Graph
from agdn.ops.heuristics import pagerank_from, personalised_pagerank, resource_allocation
from agdn.tasks import hard_negatives
from agdn.tasks.hard_negatives import hard_scores, hardest


def random_graph(nodes: int, edges: int, seed: int) -> Graph:
    generator = torch.Generator().manual_seed(seed)
    return Graph(torch.randint(nodes, (2, edges), generator=generator), nodes).undirected()


def by_definition(graph: Graph, known: Graph, node: int, count: int) -> list[int]:
    linked = set(known.indices[int(known.indptr[node]) : int(known.indptr[node + 1])].tolist()) | {node}
    others = [other for other in range(graph.num_nodes) if other not in linked]
    pairs = torch.tensor([[node] * len(others), others])
    ranks = []
    for scores in (resource_allocation(graph, pairs), pagerank_from(graph, pairs)):
        order = sorted(range(len(others)), key=lambda i: (-float(scores[i]), others[i]))
        ranks.append({others[i]: place for place, i in enumerate(order)})
    key = {other: (min(r[other] for r in ranks), max(r[other] for r in ranks), other) for other in others}
    return sorted(others, key=key.__getitem__)[:count]


@pytest.mark.parametrize("at_once", [1, 1 << 21])
def test_the_hardest_are_those_of_the_definition(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(hard_negatives, "PAIRS", at_once)
    graph, known = random_graph(40, 90, 0), random_graph(40, 90, 0)
    more = torch.cat([known.edge_index, torch.tensor([[0, 3], [39, 20]])], dim=1)
    known = Graph(more, 40).undirected()
    nodes = torch.tensor([7, 0, 3, 39])
    found = hardest(graph, known, nodes, 6)
    assert found.tolist() == [by_definition(graph, known, node, 6) for node in nodes.tolist()]


def test_a_node_with_few_unlinked_ones_has_gaps() -> None:
    star = Graph(torch.tensor([[0, 0, 0], [1, 2, 3]]), 5).undirected()
    found = hardest(star, star, torch.tensor([0, 1]), 3)
    assert found[0].tolist() == [4, -1, -1]
    assert sorted(found[1].tolist()) == [2, 3, 4]


def test_a_large_graph_is_filled_with_drawn_nodes_none_of_them_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hard_negatives, "ALL_UP_TO", 0)
    graph = random_graph(60, 50, 1)
    nodes = torch.arange(60)
    found = hardest(graph, graph, nodes, 8, seed=3)
    assert torch.equal(found, hardest(graph, graph, nodes, 8, seed=3))
    for node, row in enumerate(found.tolist()):
        linked = set(graph.indices[int(graph.indptr[node]) : int(graph.indptr[node + 1])].tolist()) | {node}
        assert len(set(row)) == 8
        assert not linked & set(row)
    best = [by_definition(graph, graph, node, 1)[0] for node in range(60)]
    near = resource_allocation(graph, torch.stack([nodes, torch.tensor(best)])) > 0
    assert torch.equal(found[near, 0], torch.tensor(best)[near])


def test_links_are_ranked_among_the_hard_ones_of_both_their_nodes() -> None:
    links = torch.tensor([[0, 1], [2, 3]])
    hard = {0: [4, 5], 1: [4, -1], 2: [5, 6], 3: [4, 6]}
    value = {(0, 4): 3.0, (0, 5): 1.0, (1, 4): 0.5, (5, 2): 2.0, (6, 2): 0.0, (4, 3): 1.0, (6, 3): 0.2}

    def score(pairs: torch.Tensor) -> torch.Tensor:
        return torch.tensor([value[tuple(pair)] for pair in pairs.t().tolist()])

    scores = hard_scores(
        score, links, torch.tensor([2.0, 0.7]), lambda nodes: torch.tensor([hard[n] for n in nodes.tolist()])
    )
    # 0 - 2 scores 2: below (0, 4), level with (5, 2). 1 - 3 scores 0.7: below (4, 3).
    assert scores["hard_mrr"] == pytest.approx(np.mean([1 / 2.5, 1 / 2]))
    assert scores["hard_hits@1"] == 0
    assert scores["hard_hits@3"] == 1


def test_a_constant_scorer_does_not_score() -> None:
    links = torch.tensor([[0], [1]])
    scores = hard_scores(
        lambda pairs: torch.zeros(pairs.size(1)), links, torch.zeros(1), lambda nodes: torch.full((1, 250), 2)
    )
    assert scores["hard_mrr"] == pytest.approx(1 / 251)
    assert scores["hard_hits@100"] == 0


def test_pagerank_from_one_side_is_half_of_that_from_both() -> None:
    graph = random_graph(30, 60, 2)
    pairs = torch.randint(30, (2, 50), generator=torch.Generator().manual_seed(0))
    both = pagerank_from(graph, pairs) + pagerank_from(graph, pairs.flip(0))
    torch.testing.assert_close(both, personalised_pagerank(graph, pairs))
