import numba
import pytest
import torch

from agdn import Graph
from agdn.ops import drop_edges, drop_nodes, dropout, relu_dropout
from agdn.ops.dropout import dropout_op, edge_keys_op, relu_dropout_op
from agdn.ops.hashing import hash64, kept_entries
from agdn.ops.kernels import jit
from agdn.ops.sparse_rows import compact, dense, is_sparse, select_rows
from graphs import random_edges


def test_share_and_scale_of_what_is_kept() -> None:
    x = torch.ones(2000, 500)
    for p in (0.1, 0.5, 0.9):
        out = dropout(x, p, True)
        kept = out != 0
        assert abs(float(kept.float().mean()) - (1 - p)) < 0.002
        torch.testing.assert_close(out[kept], torch.full_like(out[kept], 1 / (1 - p)))
        assert float(kept.float().mean(0).std()) < 2 * (p * (1 - p) / 2000) ** 0.5
        assert float(kept.float().mean(1).std()) < 2 * (p * (1 - p) / 500) ** 0.5
        neighbours = torch.corrcoef(torch.stack([kept[:, :-1].flatten(), kept[:, 1:].flatten()]).float())
        assert abs(float(neighbours[0, 1])) < 0.005


def test_off_in_evaluation_and_at_zero() -> None:
    x = torch.randn(5, 5)
    assert dropout(x, 0.5, False) is x
    assert dropout(x, 0.0, True) is x
    assert torch.equal(relu_dropout(x, 0.5, False), x.relu())


def test_manual_seed_repeats_and_calls_differ() -> None:
    x = torch.ones(50, 50)
    torch.manual_seed(1)
    a, b = dropout(x, 0.5, True), dropout(x, 0.5, True)
    torch.manual_seed(1)
    assert torch.equal(dropout(x, 0.5, True), a)
    assert not torch.equal(a, b)


def test_a_part_drops_what_the_whole_would() -> None:
    x, rows = torch.randn(100, 30), torch.randperm(100)[:40]
    torch.manual_seed(1)
    whole = dropout(x, 0.5, True)
    torch.manual_seed(1)
    assert torch.equal(dropout(x[rows], 0.5, True, ids=rows), whole[rows])
    torch.manual_seed(1)
    whole = relu_dropout(x, 0.5, True)
    torch.manual_seed(1)
    assert torch.equal(relu_dropout(x[rows], 0.5, True, ids=rows), whole[rows])


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("rows", [70, jit.PARALLEL_FROM])
def test_a_column_alone_drops_what_it_would_beside_others(rows: int, far: bool) -> None:
    x, seed, ids = torch.randn(rows, 3), torch.tensor(7), torch.arange(rows) + (1 << 62) if far else None
    whole = dropout_op(x, 0.5, seed, ids)
    assert torch.equal(dropout_op(x[:, :1].contiguous(), 0.5, seed, ids), whole[:, :1])
    plain = kept_entries(x, 0.5, seed, torch.arange(rows) if ids is None else ids)
    torch.testing.assert_close(whole, x * plain)


@pytest.mark.parametrize("edges", [50, jit.PARALLEL_FROM])
def test_keys_of_edges_are_those_of_the_plain_hash(edges: int) -> None:
    ids = torch.arange(edges) + (1 << 62)  # a float64 would not tell them apart
    keys = edge_keys_op(ids, torch.tensor(7))
    assert torch.equal(keys, hash64(7, ids))


@pytest.mark.parametrize("sparse", [False, True])
def test_nodes_lose_all_their_features_or_none(sparse: bool) -> None:
    x, rows = torch.rand(2000, 200) * (torch.rand(2000, 200) < 0.04), torch.randperm(2000)[:700]
    given = compact(x) if sparse else x
    assert is_sparse(given) == sparse
    torch.manual_seed(1)
    out = dense(drop_nodes(given, 0.4, True))
    kept = out.any(1)
    torch.testing.assert_close(out, torch.where(kept.unsqueeze(1), x / 0.6, 0.0))
    assert abs(float(kept.float().mean()) - 0.6) < 0.04
    torch.manual_seed(1)
    assert torch.equal(dense(drop_nodes(select_rows(given, rows), 0.4, True, ids=rows)), out[rows])
    assert drop_nodes(given, 0.4, False) is given


def test_backward_uses_the_same_mask() -> None:
    x = torch.randn(40, 30, dtype=torch.float64, requires_grad=True)
    for function in (dropout, relu_dropout):
        out = function(x, 0.3, True)
        (gradient,) = torch.autograd.grad(out.sum(), x)
        expected = torch.where(out != 0, 1 / 0.7, 0.0)
        torch.testing.assert_close(gradient, expected.double())


def test_relu_keeps_nan() -> None:
    x = torch.full((100, 10), float("nan"))
    out = relu_dropout(x, 0.5, True)
    assert 0.3 < float(out.isnan().float().mean()) < 0.7
    assert not out[~out.isnan()].any()


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    x, results = torch.randn(1000, 64), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        torch.manual_seed(7)
        results.append(relu_dropout(x, 0.5, True))
    torch.set_num_threads(1)
    assert torch.equal(*results)


@pytest.mark.parametrize("kernels", ["auto", "torch"])
def test_edges_by_exact_count(monkeypatch, kernels: str) -> None:
    monkeypatch.setenv("AGDN_KERNELS", kernels)
    graph = Graph(random_edges(50, 1000), 50)
    hits = torch.zeros(1000)
    for _ in range(200):
        kept = drop_edges(graph, 0.335, True)
        assert kept.num_edges == 1000 - 335
        hits[kept.order.long()] += 1
    assert abs(float(hits.mean()) - 200 * 0.665) < 1e-3
    assert float(hits.std()) < 1.3 * (200 * 0.665 * 0.335) ** 0.5
    assert drop_edges(graph, 0.5, False) is graph


def test_edges_are_keyed_on_their_ids_not_on_their_order() -> None:
    edge_index, ids = random_edges(50, 1000), torch.randperm(10_000)[:1000]
    shuffle = torch.randperm(1000)
    kept = []
    for order in (torch.arange(1000), shuffle):
        torch.manual_seed(2)
        graph = drop_edges(Graph(edge_index[:, order], 50), 0.5, True, ids=ids[order])
        kept.append(set(ids[order][graph.order.long()].tolist()))
    assert kept[0] == kept[1]


def test_opcheck() -> None:
    x = torch.randn(9, 5, requires_grad=True)
    torch.library.opcheck(dropout_op, (x, 0.3, torch.tensor(5), None))
    torch.library.opcheck(relu_dropout_op, (x, 0.3, torch.tensor(5), torch.arange(9)))
