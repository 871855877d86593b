"""Deletion on a chain whose answer comes from one place."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from agdn.explain.attribution import Attribution, distances
from agdn.explain.deletion import deletion, remaining
from agdn.explain.question import Question, question
from agdn.graph import Graph
from agdn.tasks.inputs import Signals
from agdn.tasks.output import NodeOutput

CHAIN = torch.tensor([[0, 1, 2, 3, 4, 6, 5], [1, 2, 3, 4, 5, 5, 5]])  # 0 -> ... -> 5, 6 -> 5 and a loop
N = 7


class Reach(nn.Module):
    """A class score of every node: the sum of the features that reach it, whatever the way."""

    def forward(self, x: Tensor, graph: Graph, edge_weight: Tensor | None = None) -> Tensor:
        heard = x.clone()
        for _ in range(N):
            heard = x + torch.zeros_like(x).index_add_(0, graph.targets.long(), heard[graph.indices.long()])
        return torch.cat([heard, -heard], 1)


@pytest.fixture
def given() -> Signals:
    x = torch.zeros(N, 1)
    x[2], x[6] = 3.0, -0.5
    return Signals(x, Graph(CHAIN, N), edge_weight=torch.ones(7))


def found(graph: Graph) -> tuple[Question, Attribution]:
    flow = torch.tensor([0.0, 0.0, 3.0, 3.0, 3.0, -0.5, 9.0])
    by_hop = torch.zeros(N, 4)
    by_hop[2, 3], by_hop[6, 1] = 3.0, -0.5
    asked = question(5, torch.tensor([[2.5, -2.5]]).repeat(N, 1), NodeOutput("class"))
    return asked, Attribution(5, 5.0, 0.0, by_hop, flow, distances(graph, 5))


def test_steps_follow_the_edges() -> None:
    graph = Graph(CHAIN, N)
    assert distances(graph, 5).tolist() == [5, 4, 3, 2, 1, 0, 1]
    assert distances(graph, 5, 2).tolist() == [-1, -1, -1, 2, 1, 0, 1]
    assert distances(graph, 0).tolist() == [0, -1, -1, -1, -1, -1, -1]


def test_what_is_handed_on_counts_no_loops(given: Signals) -> None:
    _, attribution = found(given.graph)
    assert attribution.handed(given.graph).tolist() == [0, 0, 3, 3, 3, 0, -0.5]
    assert attribution.ranked_nodes(given.graph).tolist() == [2, 3, 4, 6]
    assert attribution.ranked_edges(given.graph).tolist() == [2, 3, 4, 5]


def test_without_what_is_named_the_answer_falls(given: Signals) -> None:
    asked, attribution = found(given.graph)
    for kind in ("nodes", "edges"):
        check = deletion(Reach(), given, asked, attribution, kind, counts=(1, 2, 9), draws=40)
        assert check is not None
        assert check.counts == (1, 2)
        assert check.whole > 0.99
        assert (check.named < 0.5).all()
        assert check.whole > check.anywhere.mean(0)[0] > check.named[0]
        assert set(np.unique(check.anywhere.round(4))) >= {np.round(check.named[0], 4), np.round(check.whole, 4)}
    assert deletion(Reach(), given, asked, attribution, counts=(9,)) is None


def test_what_spoke_against_the_answer_is_never_named(given: Signals) -> None:
    asked, attribution = found(given.graph)
    for kind, places in (("nodes", 3), ("edges", 3)):
        check = deletion(Reach(), given, asked, attribution, kind, counts=(places, places + 1), draws=1)
        assert check is not None
        assert check.counts == (places,), "the fourth is negative"


def test_random_ones_are_within_reach(given: Signals) -> None:
    asked, attribution = found(given.graph)
    assert attribution.reach == 3
    check = deletion(Reach(), given, asked, attribution, "edges", counts=(1,), draws=60)
    assert check is not None
    apart = {round(float(value), 4) for value in check.anywhere.ravel()}
    cut = {round(asked.value(remaining(given, torch.tensor([edge]), "edges").outputs(Reach())), 4) for edge in (2, 5)}
    assert apart == cut, "edges that carry nothing, 0 to 1 and 1 to 2, are not drawn"


def test_random_ones_as_near_have_the_same_distances(given: Signals) -> None:
    asked, attribution = found(given.graph)
    check = deletion(Reach(), given, asked, attribution, counts=(1,), draws=8)
    assert check is not None
    np.testing.assert_allclose(check.as_near, check.named[0])  # node 2 is the only one three steps away


def test_taking_out_keeps_the_rest(given: Signals) -> None:
    rest = remaining(given, torch.tensor([3]), "nodes")
    assert sorted(rest.graph.edge_index.t().tolist()) == [[0, 1], [1, 2], [4, 5], [5, 5], [6, 5]]
    assert rest.edge_weight is not None
    assert len(rest.edge_weight) == 5
    rest = remaining(given, torch.tensor([0, 6]), "edges")
    assert sorted(rest.graph.edge_index.t().tolist()) == [[1, 2], [2, 3], [3, 4], [4, 5], [6, 5]]
