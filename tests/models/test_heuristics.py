import pytest
import torch
from torch import nn

from agdn import Graph
from agdn.models.heuristics import AdamicAdar, CommonNeighbours, Katz, PersonalisedPageRank, ResourceAllocation
from agdn.ops import heuristics
from graphs import random_edges, symmetric

EDGES = symmetric(random_edges(20, 60))
PAIRS = random_edges(20, 30, seed=1)
MODELS = [
    (CommonNeighbours(), heuristics.common_neighbours, {}),
    (AdamicAdar(), heuristics.adamic_adar, {}),
    (ResourceAllocation(), heuristics.resource_allocation, {}),
    (PersonalisedPageRank(), heuristics.personalised_pagerank, {}),
    (PersonalisedPageRank(alpha=0.5, eps=1e-3), heuristics.personalised_pagerank, {"alpha": 0.5, "eps": 1e-3}),
    (Katz(), heuristics.katz, {}),
    (Katz(beta=0.1, length=4), heuristics.katz, {"beta": 0.1, "length": 4}),
]


@pytest.mark.parametrize(("model", "score", "options"), MODELS, ids=[str(model) for model, *_ in MODELS])
def test_scores_are_those_of_the_function(model: nn.Module, score, options: dict) -> None:
    graph = Graph(EDGES, 20)
    expected = score(graph, PAIRS, **options)
    assert expected.any()
    state = model.encode(None, graph, edge_weight=torch.rand(EDGES.size(1)))
    assert state is graph
    assert torch.equal(model.decode(state, PAIRS), expected)
    assert torch.equal(model(None, graph, PAIRS), expected)
    assert torch.equal(model(torch.rand(20, 3), EDGES, PAIRS), expected)


@pytest.mark.parametrize("model", [model for model, *_ in MODELS], ids=str)
def test_there_is_nothing_to_learn(model: nn.Module) -> None:
    model.reset_parameters()
    assert not model.state_dict()


def test_edges_alone_leave_out_what_only_the_features_know() -> None:
    lonely = torch.tensor([[0], [19]])
    assert CommonNeighbours()(torch.rand(20, 1), torch.tensor([[0], [1]]), lonely).tolist() == [0]
    with pytest.raises(ValueError, match="but there are 2 nodes"):
        CommonNeighbours()(None, torch.tensor([[0], [1]]), lonely)


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: PersonalisedPageRank(alpha=0.0), "alpha must lie between 0 and 1, got 0.0"),
        (lambda: PersonalisedPageRank(eps=2.0), "eps must lie between 0 and 1, got 2.0"),
        (lambda: Katz(beta=-1.0), "beta must be a number above 0, got -1.0"),
        (lambda: Katz(length=0), "length must be at least 1, got 0"),
    ],
)
def test_options_are_checked_at_once(build, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        build()
