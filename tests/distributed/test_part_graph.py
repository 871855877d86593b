"""A layer on a graph in parts gives the outputs and gradients of the whole graph, whatever the options."""

from __future__ import annotations

import pytest
import torch

from agdn import Graph
from agdn.distributed.part_graph import cut_out
from graphs import AWKWARD
from parted_layers import NODES, edge_signals, models, on_part, owner, passed, probe, whole
from ranks import on_ranks


def _agree(names: list[str], kind: str, size: int, dtype: torch.dtype, tolerance: float) -> None:
    owners = (torch.arange(NODES) * 31 % size) if size > 2 else owner(kind)
    graph, x, edge_attr, edge_weight = whole(dtype)
    answers = on_ranks(on_part, size, names, owners, dtype)
    order = torch.cat([answer["nodes"]["nodes"] for answer in answers]).argsort()
    for name, model in models(names).items():
        model = model.to(dtype)
        expected = passed(model, x, graph, edge_signals(name, edge_attr, edge_weight), probe(name, NODES, dtype))
        assert expected.keys() == answers[0][name].keys(), name
        for key, want in expected.items():
            got = answers[0][name][key]
            if key in ("out", "x", "inference"):
                got = torch.cat([answer[name][key] for answer in answers])[order]
            torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance, msg=lambda m: f"{name} {key}: {m}")  # noqa: B023


def test_every_transition_weighting_and_model_with_every_dropout() -> None:
    _agree([], "halves", 2, torch.float64, 1e-8)


@pytest.mark.parametrize("kind", ["uneven", "empty"])
def test_uneven_and_empty_parts(kind: str) -> None:
    _agree(["gat_sym HA l2", "model sym", "gat_col HC l2", "recomputed", "weighted"], kind, 2, torch.float64, 1e-8)


def test_three_ranks_in_single_precision() -> None:
    _agree(["gat HA None", "model gat_sym", "sym HC None"], "", 3, torch.float32, 1e-4)


def test_the_torch_path_gives_the_same() -> None:
    names = ["gat_sym HA l2", "col HC l2", "one hop", "model GATv2"]
    owners = owner("halves")
    compiled, plain = (on_ranks(on_part, 2, names, owners, torch.float64, kernels) for kernels in (True, False))
    for name in names:
        alike = name in ("one hop", "model GATv2")  # the others drop channels between hops, and draw differently
        for key in compiled[0][name] if alike else ["inference"]:
            torch.testing.assert_close(plain[0][name][key], compiled[0][name][key], msg=lambda m: f"{name} {key}: {m}")  # noqa: B023


@pytest.mark.parametrize("graph", AWKWARD)
def test_a_cut_piece_has_every_edge_once(graph: str) -> None:
    edge_index, nodes = AWKWARD[graph]
    full = Graph(edge_index, nodes)
    pieces = [cut_out(full, torch.arange(nodes) % 2, rank) for rank in range(2)]
    assert torch.equal(torch.cat([piece.edges for piece in pieces]).sort().values, torch.arange(edge_index.size(1)))
    for piece in pieces:
        sources = torch.cat([piece.nodes, piece.halo])[piece.indices.long()]
        targets = piece.nodes.repeat_interleave(piece.indptr.diff())
        assert torch.equal(torch.stack([sources, targets]), edge_index[:, piece.edges])
        assert torch.equal(piece.out_degree, full.out_degree[torch.cat([piece.nodes, piece.halo])])
