import pytest
import torch
from torch_geometric.nn import GCNConv
from torch_geometric.nn.aggr import SortAggregation

from agdn.graph import Graph
from agdn.models.seal import SEAL, sort_pooled
from agdn.ops.enclosing import enclosing_subgraphs
from graphs import random_edges, symmetric

EDGES = symmetric(random_edges(60, 200))
GRAPH = Graph(EDGES, 60)
PAIRS = torch.tensor([[0, 3, 7, 20], [1, 9, 8, 41]])


def model(**options) -> SEAL:
    torch.manual_seed(0)
    return SEAL(**{"hidden_channels": 8, "label_channels": 4, "sorted_nodes": 12, **options}).eval()


def test_sort_pooling_is_pygs() -> None:
    h, ptr = torch.randn(20, 3), torch.tensor([0, 5, 6, 20])
    index = torch.arange(3).repeat_interleave(ptr.diff())
    expected = SortAggregation(k=6)(h, index).view(3, 6, 3)
    assert torch.equal(sort_pooled(h, ptr, 6), expected)


def test_its_convolutions_are_gcns_on_the_subgraphs() -> None:
    made = model()
    found = enclosing_subgraphs(GRAPH, PAIRS, 1)
    h = made.embedding(found.labels).sum(1)
    loops = found.graph.edge_index[0] == found.graph.edge_index[1]
    for conv in made.convs:
        theirs = GCNConv(h.size(1), conv.bias.numel())
        with torch.no_grad():
            theirs.lin.weight.copy_(conv.transform.weight)
            theirs.bias.copy_(conv.bias)
        expected = theirs(h, found.graph.edge_index[:, ~loops])
        torch.testing.assert_close(conv(h, found.graph), expected)
        h = torch.tanh(expected)


@pytest.mark.parametrize("options", [{}, {"labels": "de"}, {"labels": "de+"}, {"diffusion_hops": 2}, {"hops": 2}])
def test_a_score_is_that_of_the_pair_alone(options) -> None:
    made = model(**options)
    together = made(None, GRAPH, PAIRS)
    alone = torch.cat([made(None, GRAPH, PAIRS[:, p : p + 1]) for p in range(4)])
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-5)


def test_the_link_itself_is_not_seen() -> None:
    made, asked = model(), torch.tensor([[0], [1]])
    with_link = Graph(torch.cat([EDGES, asked, asked.flip(0)], dim=1), 60).coalesced()
    torch.testing.assert_close(made(None, GRAPH, asked), made(None, with_link, asked))


def test_features_are_joined_and_everything_learns() -> None:
    made = model(features=5).train()
    x = torch.randn(60, 5)
    made(x, GRAPH, PAIRS).square().sum().backward()
    assert all(parameter.grad is not None for parameter in made.parameters())
    assert not torch.equal(made.eval()(x, GRAPH, PAIRS), made(x + 1, GRAPH, PAIRS))


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="sorted_nodes must be at least 10"):
        SEAL(sorted_nodes=9)
    with pytest.raises(ValueError, match="num_layers and diffusion_hops must be at least 1"):
        SEAL(num_layers=0)


def test_kept_subgraphs_are_those_that_are_cut_anew() -> None:
    made, states = model(cached=True), model(cached=True).encode(None, GRAPH)
    assert states.kept is not None
    states.kept.of(PAIRS[:, :2])
    again = PAIRS[:, [3, 1, 1, 0, 2]]
    found, expected = states.kept.of(again), enclosing_subgraphs(GRAPH, again, 1)
    assert len(states.kept) == 4
    for ours, theirs in zip(found, expected, strict=True):
        if isinstance(ours, Graph):
            assert torch.equal(ours.edge_index, theirs.edge_index)
            assert torch.equal(ours.indptr, theirs.indptr)
        else:
            assert torch.equal(ours, theirs)
    assert torch.equal(made.decode(made.encode(None, GRAPH), again), made.decode(model().encode(None, GRAPH), again))
    assert made.encode(None, GRAPH).kept is states.kept
    assert model(cached=True, hops=2).encode(None, GRAPH).kept is not states.kept
