"""The compiled operator against the plain torch path, which the dense oracle proves."""

import itertools

import numba
import pytest
import torch

from agdn import AGDNConv, Graph
from agdn.ops.blocks import blocks
from agdn.ops.diffuse import diffuse_op
from agdn.ops.kernels import jit
from graphs import AWKWARD, random_edges

WEIGHTINGS = ["HA", "HC", "HA+HC", "mean", "sum", "PPR", "heat"]
NORMS = [None, "layer", "l2"]


def outputs(conv: AGDNConv, x, graph, **options):
    """The output and the gradients of the input and of every parameter."""
    x = x.detach().requires_grad_()
    out = conv(x, graph, **options)
    probe = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view_as(out)
    gradients = torch.autograd.grad((out * probe).sum(), [x, *conv.parameters()], allow_unused=True)
    return [out, *(torch.zeros(()) if gradient is None else gradient for gradient in gradients)]


def assert_same(left, right, **tolerance) -> None:
    for a, b in zip(left, right, strict=True):
        torch.testing.assert_close(a, b, **tolerance)


def layer(**options) -> AGDNConv:
    torch.manual_seed(1)
    conv = AGDNConv(**{"in_channels": 6, "out_channels": 20, "hops": 3, "heads": 2, "position": True, **options})
    for parameter in conv.parameters():  # away from the special values of an initialisation
        torch.nn.init.normal_(parameter, 0.3, 0.4)
    return conv


@pytest.mark.parametrize("memory", ["store", "recompute"])
@pytest.mark.parametrize("transition", ["sym", "gat_sym"])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_equals_the_torch_path(monkeypatch, weighting: str, norm: str | None, transition: str, memory: str) -> None:
    graph, x = Graph(random_edges(40, 300), 40), torch.randn(40, 6)
    conv = layer(weighting=weighting, hop_norm=norm, transition=transition, memory=memory)
    compiled = outputs(conv, x, graph)
    monkeypatch.setenv("AGDN_KERNELS", "torch")
    assert_same(
        compiled, outputs(conv, x, graph), rtol=1e-5, atol=1e-5 * max(float(t.detach().abs().max()) for t in compiled)
    )


@pytest.mark.parametrize("hops", range(5))
@pytest.mark.parametrize("weighting", ["HA", "HC", "sum"])
def test_inference_agrees_with_training_at_any_depth(weighting: str, hops: int) -> None:
    graph, x = Graph(random_edges(40, 300), 40), torch.randn(40, 6)
    conv = layer(weighting=weighting, hops=hops).eval()
    expected = conv(x, graph)
    with torch.no_grad():
        torch.testing.assert_close(conv(x, graph), expected)


@pytest.mark.parametrize("memory", ["store", "recompute"])
@pytest.mark.parametrize("weighting", ["HA+HC", "mean"])
def test_the_parallel_form_equals_the_serial_one(monkeypatch, weighting: str, memory: str) -> None:
    graph, x = Graph(random_edges(40, 300), 40), torch.randn(40, 6)
    conv = layer(weighting=weighting, hop_norm="layer", memory=memory)
    serial = outputs(conv, x, graph)
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    assert_same(serial, outputs(conv, x, graph), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("activation", ["leaky_relu", "relu", "sigmoid", "standardize", "none"])
@pytest.mark.parametrize(("first_hop", "query_hop"), [(0, 0), (1, 0), (1, 1), (0, 2)])
def test_inference_and_both_memories_agree(activation: str, first_hop: int, query_hop: int) -> None:
    graph, x = Graph(random_edges(40, 300), 40), torch.randn(40, 6, dtype=torch.float64)
    for norm, scale in itertools.product(NORMS, (False, True)):
        weighting = {"name": "HA+HC", "activation": activation, "query_hop": query_hop, "scale": scale}
        conv = layer(weighting=weighting, first_hop=first_hop, hop_norm=norm).double()
        stored = outputs(conv, x, graph)
        conv.memory = "recompute"
        assert_same(stored, outputs(conv, x, graph), rtol=1e-9, atol=1e-9)
        with torch.no_grad():
            torch.testing.assert_close(conv(x, graph), stored[0], rtol=1e-9, atol=1e-9)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
@pytest.mark.parametrize("memory", ["store", "recompute"])
@pytest.mark.parametrize("weighting", ["HA", "HC", "HA+HC", "mean"])
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch, weighting: str, memory: str) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    graph = Graph(random_edges(700, 9000), 700)
    z, a = torch.randn(700, 2, 20), torch.rand(9000, 2)
    conv = layer(weighting=weighting, hop_norm="layer", memory=memory)
    results = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        inputs = [z.clone().requires_grad_(), a.clone().requires_grad_()]
        out, _ = conv._fused(inputs[0], inputs[1].unsqueeze(0), graph)
        wanted = [*inputs, *conv.weighting.parameters(), *conv.hop_transform.parameters()]
        results.append([out, *torch.autograd.grad(out.square().mul(0.5).sum(), wanted)])
    torch.set_num_threads(1)
    assert all(torch.equal(a, b) for a, b in zip(*results, strict=True))


@pytest.mark.parametrize("memory", ["store", "recompute"])
@pytest.mark.parametrize("shared", [True, False])
def test_gradients_with_diffusion_and_per_hop_attention_dropout(memory: str, shared: bool) -> None:
    graph = Graph(*AWKWARD["directed"])
    conv = AGDNConv(
        3, 4, 3, 2, transition="sym" if shared else "gat", diffusion_dropout=0.4, attn_dropout=0.3,
        attn_dropout_per_hop=True, memory=memory,
    ).double()  # fmt: skip
    names, values = zip(*conv.named_parameters(), strict=True)

    def function(x, *parameters):
        torch.manual_seed(5)  # the same masks every time
        return torch.func.functional_call(conv, dict(zip(names, parameters, strict=True)), (x, graph))

    x = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(function, (x, *values), atol=1e-5)


@pytest.mark.parametrize("options", [
    {"diffusion_dropout": 0.5},
    {"weighting": "HA", "position": True},
    {"weighting": {"name": "HA", "scale": True}, "first_hop": 1},
    {"weighting": "HA+HC", "transition": "sym"},
    {"weighting": "HC", "hop_norm": "layer"},
])  # fmt: skip
def test_recompute_in_blocks_gives_what_storing_gives(options: dict[str, object]) -> None:
    graph, x = Graph(random_edges(30, 200), 30), torch.randn(30, 6)
    conv = layer(out_channels=160, hops=8, **options)
    assert len(blocks(2, 160, 8)) == 4
    torch.manual_seed(3)
    stored = outputs(conv, x, graph)
    conv.memory = "recompute"
    torch.manual_seed(3)
    scale = max(float(t.detach().abs().max()) for t in stored)
    assert_same(stored, outputs(conv, x, graph), rtol=1e-4, atol=1e-5 * scale)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("weighting", ["HA", "HC", "mean"])
@pytest.mark.parametrize("norm", NORMS)
def test_nan_and_infinity_are_not_hidden(bad: float, weighting: str, norm: str | None) -> None:
    graph = Graph(torch.tensor([[0, 1], [1, 2]]), 5)
    x = torch.randn(5, 6)
    x[0, 0] = bad
    conv = layer(weighting=weighting, hop_norm=norm, residual=False, transition="row")
    for out in (conv(x, graph), conv.eval()(x, graph).detach()):
        assert not out[:3].isfinite().all(1).any()
        assert out[3:].isfinite().all()


def test_empty_rows_are_zero() -> None:
    graph = Graph(torch.tensor([[0], [1]]), 3)
    conv = AGDNConv(6, 4, 2, 2, weighting="sum", first_hop=1, residual=False)
    out = conv(torch.randn(3, 6), graph)
    assert not out[0].any()
    assert not out[2].any()


def test_a_retained_graph_can_be_walked_twice() -> None:
    graph, x = Graph(random_edges(30, 200), 30), torch.randn(30, 6, requires_grad=True)
    for memory in ("store", "recompute"):
        out = layer(memory=memory)(x, graph).square().sum()
        first = torch.autograd.grad(out, x, retain_graph=True)[0]
        assert torch.equal(first, torch.autograd.grad(out, x)[0])


@pytest.mark.parametrize("store", [True, False])
def test_opcheck(store: bool) -> None:
    graph = Graph(*AWKWARD["directed"])
    z, a = torch.randn(7, 2, 4, requires_grad=True), torch.rand(1, graph.num_edges, 2, requires_grad=True)
    shapes = [(3, 2, 4)] * 3 + [(2, 4)] * 2 + [(2,)]
    vectors = [torch.randn(*shape, requires_grad=True) for shape in shapes]
    options = (torch.tensor(3), 2, 0, 0, 1, 0, 0.2, 0.0, store)
    arguments = (z, a, graph.indptr, graph.indices, None, *graph.transposed, *vectors, *options)
    torch.library.opcheck(diffuse_op, arguments)


def test_compiled_training_step_agrees() -> None:
    torch._dynamo.reset()
    graph, x = Graph(random_edges(30, 200), 30), torch.randn(30, 6)
    _ = graph.transposed, graph.targets
    conv = layer(hop_norm="layer")
    assert_same(outputs(torch.compile(conv, backend="aot_eager"), x, graph), outputs(conv, x, graph))
