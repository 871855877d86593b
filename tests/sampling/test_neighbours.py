import pytest
import torch

from agdn import AGDN, Graph
from agdn.sampling import EgoSampler, NeighbourSampler
from graphs import random_edges

GRAPH = Graph(random_edges(80, 500), 80)
BOTH = pytest.mark.parametrize("kind", [NeighbourSampler, EgoSampler])


@BOTH
def test_an_epoch_visits_every_seed_once_seeds_first(kind) -> None:
    seeds = torch.randperm(80)[:33]
    sampler = kind(GRAPH, seeds, (3, 2), batch_size=10, seed=4)
    assert len(sampler) == 4
    epochs = [[sampler.batch(epoch, i) for i in range(4)] for epoch in range(2)]
    for epoch in epochs:
        assert [batch.num_seeds for batch in epoch] == [10, 10, 10, 3]
        assert sorted(torch.cat([batch.seeds for batch in epoch]).tolist()) == sorted(seeds.tolist())
    assert not torch.equal(epochs[0][0].seeds, epochs[1][0].seeds)


@BOTH
def test_unshuffled_seeds_keep_their_order_but_draw_anew(kind) -> None:
    seeds = torch.randperm(80)[:20]
    sampler = kind(GRAPH, seeds, (2,), batch_size=20, shuffle=False)
    first, second = sampler.batch(0, 0), sampler.batch(1, 0)
    assert torch.equal(first.seeds.long(), seeds)
    assert torch.equal(second.seeds.long(), seeds)
    assert first.graph.origin.tolist() != second.graph.origin.tolist()


def test_a_mask_names_the_seeds() -> None:
    mask = torch.rand(80) < 0.3
    sampler = NeighbourSampler(GRAPH, mask, (2,), batch_size=100, shuffle=False)
    assert torch.equal(sampler.batch(0, 0).seeds.long(), mask.nonzero().squeeze(1))


def test_one_fanout_for_all_hops() -> None:
    assert NeighbourSampler(GRAPH, torch.arange(4), 3, hops=4, batch_size=4).fanouts == (3, 3, 3, 3)
    repeated, given = (
        NeighbourSampler(GRAPH, torch.arange(4), *options, batch_size=4, hops=3) for options in [(2,), ([2, 2, 2],)]
    )
    assert torch.equal(repeated.batch(0, 0).nodes, given.batch(0, 0).nodes)


@BOTH
def test_with_all_neighbours_the_seeds_get_what_the_whole_graph_gives_them(kind) -> None:
    """L layers of K hops see L * K hops far: with the softmax of each target's own edges, that is all they need."""
    model = AGDN(6, 4, 3, num_layers=2, hops=2, transition="gat").double().eval()
    x, seeds = torch.randn(80, 6, dtype=torch.double), torch.randperm(80)[:12]
    batch = kind(GRAPH, seeds, -1, hops=4, batch_size=12, shuffle=False).batch(0, 0)
    with torch.no_grad():
        found, expected = model(x[batch.nodes], batch.graph)[: batch.num_seeds], model(x, GRAPH)[seeds]
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seeds": torch.tensor([1, 80])}, r"seeds name nodes 1\.\.80, but the graph has 80 nodes"),
        ({"seeds": torch.tensor([1, 1])}, "a seed is repeated"),
        ({"seeds": torch.ones(3)}, "node ids or a mask, got torch.float32"),
        ({"seeds": torch.ones(3, dtype=torch.bool)}, "one entry for each of the 80 nodes, got 3"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"fanouts": (3, -2)}, "-1 for all; got -2"),
        ({"fanouts": 3}, "a single fanout needs the number of hops"),
        ({"fanouts": (3, 2), "hops": 3}, "2 fanouts are for as many hops, but hops is 3"),
    ],
)
@BOTH
def test_what_a_caller_gets_wrong(kind, changes: dict, sentence: str) -> None:
    options = {"graph": GRAPH, "seeds": torch.arange(5), "fanouts": (2,), "batch_size": 2, **changes}
    with pytest.raises(ValueError, match=sentence):
        kind(**options)
