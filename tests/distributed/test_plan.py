"""The plan's figures: what ranks really send, and how the formula behaves."""

from __future__ import annotations

import pytest
import torch

from agdn import AGDN, Graph
from agdn.distributed.partition import crossing, halo_sizes, owners
from agdn.distributed.plan import Layer, layers_of, plan, random_halo
from graphs import random_edges
from parted_layers import sent_by_model
from ranks import on_ranks


@pytest.mark.parametrize("transition", ["sym", "gat", "gat_sym"])
def test_what_is_sent_is_what_the_formula_says(transition: str) -> None:
    for rank, (sent, evaluated, given, halo) in enumerate(on_ranks(sent_by_model, 2, transition)):
        model = AGDN(6, 4, 3, num_layers=2, heads=2, hops=3, transition=transition, norm="none")
        expected = plan(layers_of(model), nodes=1, edges=1, features=6, halo=halo, given=given)
        assert sent == expected.sent, rank
        assert evaluated == expected.sent_in_evaluation, rank


def test_layers_of_a_model() -> None:
    model = AGDN(6, 4, 3, num_layers=2, heads=2, hops=3, transition="gat_sym")
    assert layers_of(model) == [Layer(6, 8, 2, 3, "gat_sym"), Layer(8, 3, 1, 3, "gat_sym")]


def test_more_of_anything_needs_more_memory_and_recomputing_less() -> None:
    layers = [Layer(128, 768, 3, 3), Layer(768, 768, 3, 3), Layer(768, 40, 1, 3)]
    small = {"nodes": 1e6, "edges": 1e7, "features": 128, "halo": 1e5}
    usual = plan(layers, **small)
    for key in small:
        assert plan(layers, **{**small, key: 2 * small[key]}).memory > usual.memory
    again = plan(layers, **small, memory="recompute")
    assert again.memory < usual.memory
    assert again.sent > usual.sent


def test_a_random_partition_has_no_larger_halo_than_foretold() -> None:
    graph = Graph(random_edges(3000, 12000, seed=1), 3000)
    for parts in (2, 5):
        owner = owners(graph, parts, "random", seed=3)
        sizes = halo_sizes(graph, owner, parts).double()
        assert float(sizes.mean()) <= 1.02 * random_halo(3000, 12000, parts)
        assert crossing(graph, owner) == pytest.approx(12000 * (1 - 1 / parts), rel=0.05)
        assert torch.bincount(owner, minlength=parts).max() <= 3000 / parts + 1


def test_metis_cuts_fewer_edges_than_chance() -> None:
    pytest.importorskip("pymetis")
    ring = torch.arange(600)
    graph = Graph(torch.stack([torch.cat([ring, (ring + 1) % 600]), torch.cat([(ring + 1) % 600, ring])]), 600)
    owner = owners(graph, 3, "metis", seed=0)
    assert crossing(graph, owner) <= 12
    assert torch.equal(owner, owners(graph, 3, "metis", seed=0))


def test_wrong_partitions_are_told() -> None:
    graph = Graph(random_edges(5, 9), 5)
    with pytest.raises(ValueError, match="at least 1 part"):
        owners(graph, 0)
    with pytest.raises(ValueError, match="made by metis or at random"):
        owners(graph, 2, "luck")  # type: ignore[arg-type]
