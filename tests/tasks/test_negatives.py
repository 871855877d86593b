import pytest
import torch

from agdn.tasks.negatives import KnownPairs, draw_negatives
from graphs import random_edges, symmetric

N = 40
EDGES = symmetric(random_edges(N, 300))
POSITIVES = EDGES[:, :50]
KNOWN = KnownPairs.of(EDGES, N)


def draw(kind, per_edge: int = 3, seed: int = 0, known: KnownPairs = KNOWN, positives=POSITIVES):
    return draw_negatives(kind, positives, per_edge, known.num_nodes, torch.Generator().manual_seed(seed), known)


@pytest.mark.parametrize("kind", ["global", "strict", "per_source", "permuted"])
def test_all_are_in_range_and_repeat_with_their_seed(kind) -> None:
    drawn = draw(kind)
    assert drawn.shape == (2, 150)
    assert 0 <= int(drawn.min()) <= int(drawn.max()) < N
    assert torch.equal(drawn, draw(kind))
    assert not torch.equal(drawn, draw(kind, seed=1))


@pytest.mark.parametrize("kind", ["strict", "permuted"])
def test_strict_ones_are_no_edges(kind) -> None:
    edges = {tuple(pair) for pair in EDGES.t().tolist()}
    for seed in range(20):
        for source, target in draw(kind, seed=seed).t().tolist():
            assert source != target
            assert (source, target) not in edges


def test_global_ones_may_be_edges() -> None:
    assert bool(KNOWN.holds(draw("global", per_edge=40)).any())


def test_those_of_a_source_belong_to_their_own_positive() -> None:
    sources = draw("per_source").view(2, 50, 3)[0]
    assert torch.equal(sources, POSITIVES[0][:, None].expand(-1, 3))


def test_permuted_ones_are_few_in_several_orders() -> None:
    columns = draw("permuted").view(2, 50, 3)
    first = sorted(columns[:, :, 0].t().tolist())
    for order in (1, 2):
        assert sorted(columns[:, :, order].t().tolist()) == first
        assert not torch.equal(columns[:, :, order], columns[:, :, 0])


def test_known_pairs_have_a_direction() -> None:
    known = KnownPairs.of(torch.tensor([[0, 1], [1, 2]]), 3)
    assert known.holds(torch.tensor([[0, 1, 1], [1, 0, 2]])).tolist() == [True, False, True]
    assert KnownPairs.of(torch.zeros(2, 0).long(), 3).holds(torch.zeros(2, 2).long()).tolist() == [False, False]


def test_a_graph_without_free_pairs_is_refused() -> None:
    full = torch.cartesian_prod(torch.arange(4), torch.arange(4)).t()
    with pytest.raises(ValueError, match="nearly all pairs of nodes are linked"):
        draw("strict", known=KnownPairs.of(full, 4), positives=full[:, :3])
