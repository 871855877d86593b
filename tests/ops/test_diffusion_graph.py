import math

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import GDC

from agdn.graph import Graph
from agdn.ops import diffusion_graph
from graphs import AWKWARD, random_edges, symmetric
from reference import fixed_transition

N = 40
GRAPH = Graph(symmetric(random_edges(N, 90)), N).with_self_loops()


def series(matrix: Tensor, coefficients: list[float]) -> Tensor:
    return sum(c * torch.linalg.matrix_power(matrix, k) for k, c in enumerate(coefficients))


def dense(graph: Graph, weight: Tensor) -> Tensor:
    source, target = graph.edge_index
    return torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.float64).index_put(
        (target, source), weight.double(), accumulate=True
    )


KERNELS = {
    "PPR": ({"alpha": 0.15}, [0.15 * 0.85**k for k in range(250)]),
    "heat": ({"t": 3.0}, [math.exp(-3) * 3.0**k / math.factorial(k) for k in range(60)]),
}


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("method", ["exact", "approximate"])
def test_it_is_the_sum_of_powers(kind: str, name: str, method: str) -> None:
    edges, nodes = AWKWARD[name]
    options, coefficients = KERNELS[kind]
    made, weight = diffusion_graph(Graph(edges, nodes), **options, epsilon=1e-7, method=method, tolerance=1e-9)
    expected = series(fixed_transition("sym", edges, nodes), coefficients)
    torch.testing.assert_close(dense(made, weight), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("cut", [{"top_k": 5}, {"epsilon": 0.02}, {"top_k": 3, "epsilon": 0.1}], ids=str)
def test_both_methods_keep_the_same_edges(kind: str, cut: dict) -> None:
    options, _ = KERNELS[kind]
    weights = torch.rand(GRAPH.num_edges) + 0.5  # no two entries alike
    exact, approximate = (
        diffusion_graph(GRAPH, weights, **options, **cut, method=method, tolerance=1e-10)
        for method in ("exact", "approximate")
    )
    torch.testing.assert_close(dense(*approximate), dense(*exact), rtol=1e-5, atol=1e-7)
    out = torch.bincount(exact[0].edge_index[0], minlength=N)
    assert int(out.max()) <= cut.get("top_k", N)
    assert float(exact[1].min()) >= cut.get("epsilon", 0)
    if "epsilon" not in cut:
        assert set(out.tolist()) == {5}


@pytest.mark.parametrize("kind", KERNELS)
def test_pyg_gives_the_same(kind: str) -> None:
    peer = {"method": kind.lower(), **KERNELS[kind][0]}
    transform = GDC(
        self_loop_weight=None, normalization_in="sym", normalization_out=None, diffusion_kwargs=peer,
        sparsification_kwargs={"method": "threshold", "eps": 0.01}, exact=True,
    )  # fmt: skip
    theirs = transform(Data(edge_index=GRAPH.edge_index, num_nodes=N))
    made, weight = diffusion_graph(GRAPH, **KERNELS[kind][0], epsilon=0.01)
    expected = dense(Graph(theirs.edge_index, N), theirs.edge_attr)
    torch.testing.assert_close(dense(made, weight), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KERNELS)
def test_a_smaller_tolerance_is_nearer(kind: str) -> None:
    options, coefficients = KERNELS[kind]
    expected = series(fixed_transition("sym", GRAPH.edge_index, N), coefficients)
    errors = []
    for tolerance in (1e-2, 1e-3, 1e-4, 1e-5):
        made = diffusion_graph(GRAPH, **options, epsilon=1e-9, method="approximate", tolerance=tolerance)
        errors.append(float((expected - dense(*made)).abs().max()))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-3 < errors[0]


def test_the_same_bits_for_any_number_of_threads() -> None:
    before, found = torch.get_num_threads(), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        found.append(diffusion_graph(GRAPH, alpha=0.1, top_k=4, method="approximate"))
    torch.set_num_threads(before)
    assert torch.equal(found[0][0].edge_index, found[1][0].edge_index)
    assert torch.equal(found[0][1], found[1][1])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"top_k": 3}, "give alpha or t"),
        ({"alpha": 0.1, "t": 1.0, "top_k": 3}, "give alpha or t"),
        ({"alpha": 1.0, "top_k": 3}, "between 0 and 1, got 1.0"),
        ({"t": 200.0, "top_k": 3}, r"in \(0, 100\], got 200.0"),
        ({"alpha": 0.1}, "say which edges stay"),
        ({"alpha": 0.1, "top_k": 0}, "top_k must be at least 1"),
        ({"alpha": 0.1, "top_k": 3, "tolerance": 0.0}, "tolerance must lie between 0 and 1"),
    ],
)
def test_wrong_options_are_one_sentence(options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        diffusion_graph(GRAPH, **options)


def test_a_dense_matrix_has_its_limit() -> None:
    large = Graph(torch.zeros(2, 0, dtype=torch.long), 40_000)
    with pytest.raises(ValueError, match="use method=approximate beyond 30000"):
        diffusion_graph(large, alpha=0.1, top_k=3, method="exact")
