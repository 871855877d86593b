import copy
import itertools

import pytest
import torch
from torch import nn

from agdn import AGDNConv, Graph
from graphs import AWKWARD, random_edges, symmetric
from reference import dense_layer

TRANSITIONS = ["row", "col", "sym", "gat", "gat_col", "gat_sym", "gat_adj"]
WEIGHTINGS = ["HA", "HC", "HA+HC", "mean", "sum", "PPR", "heat"]
NORMS = [None, "layer", "l2"]


def _input(num_nodes: int, channels: int = 5) -> torch.Tensor:
    return torch.randn(num_nodes, channels, dtype=torch.float64, requires_grad=True)


def _agrees(conv: AGDNConv, x, edge_index, edge_attr=None) -> None:
    conv = conv.double().eval()
    expected = dense_layer(conv, x, edge_index, edge_attr)
    actual = conv(x, edge_index, edge_attr)
    torch.testing.assert_close(actual, expected.flatten(1), rtol=1e-9, atol=1e-11)
    wanted = [x, *conv.parameters()]
    probe = torch.randn_like(expected)
    for got, want in zip(
        torch.autograd.grad((actual * probe.flatten(1)).sum(), wanted, allow_unused=True),
        torch.autograd.grad((expected * probe).sum(), wanted, allow_unused=True),
        strict=True,
    ):
        if got is not None or want is not None:
            torch.testing.assert_close(
                torch.zeros_like(want) if got is None else got,
                torch.zeros_like(got) if want is None else want,
                rtol=1e-7,
                atol=1e-9,
            )


@pytest.mark.parametrize("path", ["compiled", "torch"])
@pytest.mark.parametrize("graph", AWKWARD)
@pytest.mark.parametrize("transition", TRANSITIONS)
def test_every_combination_agrees_with_the_dense_oracle(monkeypatch, graph: str, transition: str, path: str) -> None:
    monkeypatch.setenv("AGDN_KERNELS", "torch" if path == "torch" else "auto")
    edge_index, num_nodes = AWKWARD[graph]
    for weighting, norm in itertools.product(WEIGHTINGS, NORMS):
        conv = AGDNConv(
            5, 3, 2, 2, transition=transition, weighting=weighting, hop_norm=norm, position=norm is not None
        )
        _agrees(conv, _input(num_nodes), edge_index)


@pytest.mark.parametrize("transition", TRANSITIONS)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("norm", NORMS)
def test_gradcheck(transition: str, weighting: str, norm: str | None) -> None:
    edge_index, num_nodes = AWKWARD["directed"]
    conv = AGDNConv(
        3, 2, 2, 2, transition=transition, weighting=weighting, hop_norm=norm, position=True, bias=True
    ).double()
    graph = Graph(edge_index, num_nodes)
    names, values = zip(*conv.named_parameters(), strict=True)

    def layer(x, *parameters):
        return torch.func.functional_call(conv, dict(zip(names, parameters, strict=True)), (x, graph))

    # A step of 1e-6 must not cross a kink of the leaky ReLU: the seed is fixed and the check would say so.
    assert torch.autograd.gradcheck(layer, (_input(num_nodes, 3), *values), atol=1e-5, fast_mode=True)


@pytest.mark.parametrize("activation", ["leaky_relu", "relu", "sigmoid", "standardize", "none"])
@pytest.mark.parametrize(("first_hop", "query_hop"), [(0, 0), (1, 0), (1, 1), (0, 2)])
def test_hop_attention_options(activation: str, first_hop: int, query_hop: int) -> None:
    for name, norm in itertools.product(("HA", "HA+HC"), NORMS):
        weighting = {"name": name, "activation": activation, "query_hop": query_hop, "scale": True}
        conv = AGDNConv(5, 3, 3, 2, weighting=weighting, first_hop=first_hop, hop_norm=norm, position=True)
        _agrees(conv, _input(7), AWKWARD["directed"][0])


@pytest.mark.parametrize("options", [{"target_query": False}, {"share_query": True}, {"score_space": "input"}])
@pytest.mark.parametrize("edge_score", ["linear", "encoder"])
@pytest.mark.parametrize("kind", ["gat", "gat_sym", "gat_adj", "gat_col"])
def test_attention_options_with_edge_features(options, edge_score: str, kind: str) -> None:
    edge_index, num_nodes = AWKWARD["repeated edges"]
    edge_attr = torch.randn(edge_index.size(1), 4, dtype=torch.float64)
    conv = AGDNConv(5, 3, 2, 2, edge_dim=4, transition={"name": kind, "edge_score": edge_score, **options})
    _agrees(conv, _input(num_nodes), edge_index, edge_attr)


@pytest.mark.parametrize("transition", TRANSITIONS)
def test_integer_edge_weights_are_repeated_edges(transition: str) -> None:
    if transition == "gat_adj":
        pytest.skip("gat_adj rescales by the number of edges, which weights do not change")
    edge_index, weight = torch.tensor([[0, 1, 2, 2], [1, 2, 0, 1]]), torch.tensor([2.0, 1.0, 3.0, 0.0])
    repeated = edge_index.repeat_interleave(weight.long(), dim=1)
    conv = AGDNConv(4, 3, 2, 1, transition=transition)
    x = torch.randn(3, 4)
    if transition == "gat_sym":  # a square root of shares does not add up over repeated edges
        weights = conv(x, edge_index, edge_weight=weight, return_weights=True)[1].transition
        parts = conv(x, repeated, return_weights=True)[1].transition
        torch.testing.assert_close(weights[0] / 2, parts[0])
        torch.testing.assert_close(weights[2] / 3, parts[3])
    else:
        torch.testing.assert_close(conv(x, edge_index, edge_weight=weight), conv(x, repeated))


def test_mixed_edge_weights() -> None:
    edge_index = torch.tensor([[0, 1, 2, 2], [1, 2, 0, 1]])
    weight, x = torch.rand(4) + 0.1, torch.randn(3, 4)
    mixed = AGDNConv(4, 3, 1, 1, transition={"name": "gat", "edge_weight": "mix"})
    sym = AGDNConv(4, 3, 1, 1, transition="sym")
    got = mixed(x, edge_index, edge_weight=weight, return_weights=True)[1].transition
    gat = mixed(x, edge_index, return_weights=True)[1].transition
    fixed = sym(x, edge_index, edge_weight=weight, return_weights=True)[1].transition
    torch.testing.assert_close(got, (gat + fixed) / 2)


@pytest.mark.parametrize("transition", TRANSITIONS)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_permutation_equivariance(transition: str, weighting: str) -> None:
    edge_index, x = random_edges(12, 50), torch.randn(12, 5, dtype=torch.float64)
    conv = AGDNConv(5, 4, 3, 2, transition=transition, weighting=weighting).double()
    new_id = torch.randperm(12)
    moved = torch.empty_like(x).index_copy_(0, new_id, x)
    shuffled = new_id[edge_index][:, torch.randperm(50)]
    torch.testing.assert_close(conv(moved, shuffled)[new_id], conv(x, edge_index))


def test_no_hops_is_a_linear_layer() -> None:
    conv, x = AGDNConv(5, 4, hops=0, heads=2), torch.randn(6, 5)
    torch.testing.assert_close(conv(x, random_edges(6, 9)), x @ (conv.transform.weight + conv.residual.weight).t())


def test_zero_queries_give_the_symmetric_adjacency() -> None:
    edge_index, x = symmetric(random_edges(9, 20)), torch.randn(9, 5)
    expected = AGDNConv(5, 4, 1, transition="sym")(x, edge_index, return_weights=True)[1].transition
    row = AGDNConv(5, 4, 1, transition="row")(x, edge_index, return_weights=True)[1].transition
    for kind in ("gat_sym", "gat_adj", "gat"):
        conv = AGDNConv(5, 4, 1, transition=kind)
        nn.init.zeros_(conv.transition.source_query)
        nn.init.zeros_(conv.transition.target_query)
        got = conv(x, edge_index, return_weights=True)[1].transition
        torch.testing.assert_close(got, row if kind == "gat" else expected)


def test_transition_sums() -> None:
    edge_index, x = random_edges(9, 40), torch.randn(9, 5)
    for kind, end in (("gat", 1), ("gat_col", 0), ("row", 1), ("col", 0)):
        weights = AGDNConv(5, 4, 1, 3, transition=kind)(x, edge_index, return_weights=True)[1].transition
        sums = torch.zeros(9, weights.size(1)).index_add(0, edge_index[end], weights)
        present = torch.bincount(edge_index[end], minlength=9) > 0
        torch.testing.assert_close(sums[present], torch.ones_like(sums[present]))
    shared = AGDNConv(5, 4, 1, transition={"name": "gat_sym", "share_query": True})
    both = symmetric(edge_index)
    a = torch.zeros(9, 9)
    a[both[1], both[0]] = shared(x, both, return_weights=True)[1].transition.squeeze(1)
    torch.testing.assert_close(a, a.t())
    assert float(a.detach().max()) <= 1


def test_hop_attention_sums_to_one_and_starts_at_the_mean() -> None:
    edge_index, x = random_edges(9, 40), torch.randn(9, 5)
    theta = AGDNConv(5, 4, 3, 2)(x, edge_index, return_weights=True)[1].hops
    assert theta.shape == (9, 2, 4, 1)
    assert bool((theta >= 0).all())
    torch.testing.assert_close(theta.sum(2), torch.ones(9, 2, 1))
    zero = AGDNConv(5, 4, 3, 2, weighting={"name": "HA", "init": "zeros"})
    mean = AGDNConv(5, 4, 3, 2, weighting="mean")
    mean.load_state_dict(zero.state_dict(), strict=False)
    torch.testing.assert_close(zero(x, edge_index), mean(x, edge_index))


def test_a_kernel_may_start_at_personalised_pagerank() -> None:
    edge_index, x = random_edges(9, 40), torch.randn(9, 5)
    learnt = AGDNConv(5, 4, 3, 2, transition="sym", weighting={"name": "HC", "init": "PPR", "alpha": 0.3})
    fixed = AGDNConv(5, 4, 3, 2, transition="sym", weighting={"name": "PPR", "alpha": 0.3})
    fixed.load_state_dict(learnt.state_dict(), strict=False)
    torch.testing.assert_close(learnt(x, edge_index), fixed(x, edge_index))
    assert learnt.weighting.kernel.requires_grad
    with pytest.raises(ValueError, match="weighs hop 0 too; leave first_hop=1 out"):
        AGDNConv(5, 4, 3, first_hop=1, weighting={"name": "HC", "init": "PPR"})
    with pytest.raises(ValueError, match="init must be one of xavier, ones, PPR, got 'zeros'"):
        AGDNConv(5, 4, 3, weighting={"name": "HC", "init": "zeros"})


def test_one_hop_kernel_equals_pygs_gat() -> None:
    from torch_geometric.nn import GATConv

    edge_index, x, edge_attr = random_edges(9, 40), torch.randn(9, 5), torch.randn(40, 3)
    ours = AGDNConv(5, 4, 1, 2, weighting={"name": "HC", "init": "ones"}, residual=False, edge_dim=3)
    peer = GATConv(5, 4, 2, add_self_loops=False, bias=False, edge_dim=3)
    with torch.no_grad():
        ours.weighting.kernel[0] = 0
        peer.lin.weight.copy_(ours.transform.weight)
        peer.att_src.copy_(ours.transition.source_query[None])
        peer.att_dst.copy_(ours.transition.target_query[None])
        peer.att_edge.copy_(ours.transition.edge_query[None])
        peer.lin_edge.weight.copy_(ours.transition.edge_transform.flatten(0, 1))
    torch.testing.assert_close(ours(x, edge_index, edge_attr), peer(x, edge_index, edge_attr), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("weighting", "method", "hops"),
    [
        ({"name": "PPR", "alpha": 0.3}, {"method": "ppr", "alpha": 0.3}, 200),
        ({"name": "heat", "t": 2.0}, {"method": "heat", "t": 2.0}, 60),
    ],
)
@pytest.mark.parametrize("transition", ["sym", "col"])
def test_fixed_weights_equal_pygs_gdc(weighting, method, hops: int, transition: str) -> None:
    from torch_geometric.transforms import GDC

    edge_index, x = symmetric(random_edges(9, 30)), torch.randn(9, 5)
    gdc = GDC()
    edge_weight = torch.ones(edge_index.size(1))
    edges, weight = gdc.transition_matrix(edge_index, edge_weight, 9, transition)
    matrix = gdc.diffusion_matrix_exact(edges, weight, 9, **method)
    conv = AGDNConv(5, 5, hops, weighting=weighting, transition=transition, residual=False)
    nn.init.eye_(conv.transform.weight)
    torch.testing.assert_close(conv(x, edge_index), matrix @ x, rtol=1e-4, atol=1e-5)


def test_edge_dropout_keeps_an_exact_count_for_all_hops() -> None:
    edge_index, x = random_edges(20, 200), torch.randn(20, 5)
    conv = AGDNConv(5, 4, 3, 2, edge_dropout=0.35).train()
    seen = [conv(x, edge_index, return_weights=True)[1].transition for _ in range(2)]
    kept = [(weights != 0).all(1) for weights in seen]
    assert [int(k.sum()) for k in kept] == [200 - 70] * 2
    assert not torch.equal(*kept)
    sums = torch.zeros(20, 2).index_add(0, edge_index[1], seen[0])
    present = torch.bincount(edge_index[1, kept[0]], minlength=20) > 0
    torch.testing.assert_close(sums[present], torch.ones_like(sums[present]))
    conv.eval()
    assert torch.equal(conv(x, edge_index), conv(x, edge_index))


def test_fixed_weights_of_kept_edges_are_not_renormalised() -> None:
    edge_index, x = random_edges(20, 200), torch.randn(20, 5)
    for kind in ("row", "sym"):
        conv = AGDNConv(5, 4, 2, transition=kind, edge_dropout=0.5)
        full = conv.eval()(x, edge_index, return_weights=True)[1].transition
        some = conv.train()(x, edge_index, return_weights=True)[1].transition
        torch.testing.assert_close(some[some != 0], full[some != 0])


@pytest.mark.parametrize(
    "options",
    [{"attn_dropout": 0.5}, {"attn_dropout": 0.5, "attn_dropout_per_hop": True}, {"diffusion_dropout": 0.5}],
)
def test_dropouts_act_in_training_only_and_keep_the_mean(options) -> None:
    edge_index, x = random_edges(30, 600), torch.randn(30, 5)
    conv = AGDNConv(5, 4, 2, weighting="mean", transition="row", residual=False, **options)
    expected = conv.eval()(x, edge_index)
    torch.testing.assert_close(conv(x, edge_index), expected, rtol=0, atol=0)
    conv.train()
    draws = torch.stack([conv(x, edge_index) for _ in range(400)])
    assert not torch.equal(draws[0], draws[1])
    error = (draws.mean(0) - expected).abs() / (draws.std(0) / 400**0.5 + 1e-9)
    assert float(error.detach().mean()) < 2


def test_per_hop_attention_dropout_redraws() -> None:
    edge_index = torch.stack([torch.arange(4000), torch.arange(4000)])
    for per_hop, ratio in ((False, 0.5), (True, 0.25)):
        conv = AGDNConv(
            1, 1, 2, weighting="sum", first_hop=2, transition="row", residual=False, attn_dropout=0.5,
            attn_dropout_per_hop=per_hop,
        )  # fmt: skip
        survived = (conv.train()(torch.ones(4000, 1), edge_index) != 0).float().mean()
        assert abs(float(survived) - ratio) < 0.05


def test_bipartite_input() -> None:
    edge_index = torch.tensor([[0, 4, 2, 3], [1, 0, 1, 1]])
    x = torch.randn(5, 6), torch.randn(2, 6)
    shared = AGDNConv(6, 4, hops=1, heads=2)
    out = shared(x, Graph(edge_index, size=(5, 2)))
    torch.testing.assert_close(out, shared(x, edge_index))
    joined = torch.cat([x[1], x[0]])  # the same as one graph where targets come first
    as_one = edge_index + torch.tensor([[2], [0]])
    torch.testing.assert_close(out, shared(joined, as_one)[:2])
    two_kinds = AGDNConv((6, 3), 4, hops=1, heads=2)
    assert two_kinds((x[0], torch.randn(2, 3)), edge_index).shape == (2, 8)
    with pytest.raises(ValueError, match="one hop only"):
        AGDNConv(6, 4, hops=2)(x, edge_index)


def test_a_users_own_weighting_and_transition() -> None:
    class LastHop(nn.Module):
        def forward(self, hops):
            return hops[-1]

    class Uniform(nn.Module):
        def forward(self, graph, x, z, edge_attr=None, edge_weight=None):
            return torch.full((graph.num_edges, 1), 0.5)

    edge_index, x = random_edges(9, 40), torch.randn(9, 5)
    conv = AGDNConv(5, 4, 2, 2, weighting=LastHop(), transition=Uniform(), residual=False)
    a = torch.zeros(9, 9)
    a.index_put_((edge_index[1], edge_index[0]), torch.full((40,), 0.5), accumulate=True)
    out, weights = conv(x, edge_index, return_weights=True)
    torch.testing.assert_close(out, a @ a @ x @ conv.transform.weight.t())
    assert weights.hops is None


def test_a_good_pyg_citizen() -> None:
    from torch_geometric.nn import GCNConv, Sequential

    edge_index, x = random_edges(9, 40), torch.randn(9, 5)
    model = Sequential(
        "x, edge_index",
        [
            (AGDNConv(5, 8, hops=2, heads=2), "x, edge_index -> x"),
            nn.ReLU(),
            (GCNConv(16, 3), "x, edge_index -> x"),
        ],
    )
    assert model(x, edge_index).shape == (9, 3)
    conv = AGDNConv(5, 8, hops=2, heads=2, concat=False, bias=True)
    assert conv(x, edge_index).shape == (9, 8)
    assert repr(conv).startswith("AGDNConv(5, 8, hops=2, heads=2, transition=AttentionTransition(gat)")
    twin = copy.deepcopy(conv)
    before = twin(x, edge_index)
    twin.reset_parameters()
    assert not torch.equal(twin(x, edge_index), before)
    twin.load_state_dict(conv.state_dict())
    assert torch.equal(twin(x, edge_index), before)


@pytest.mark.parametrize("weighting", ["HA", "HC", "HA+HC", "mean", "PPR"])
def test_hop_weights_are_the_same_with_and_without_gradients(weighting: str) -> None:
    edge_index, x = random_edges(9, 40), torch.randn(9, 5)
    conv = AGDNConv(5, 4, 2, 2, weighting=weighting)
    told = conv(x, edge_index, return_weights=True)[1].hops
    with torch.no_grad():
        torch.testing.assert_close(conv(x, edge_index, return_weights=True)[1].hops, told)


def test_attention_is_handed_out_in_the_callers_order() -> None:
    edge_index, x = random_edges(9, 40), torch.randn(9, 5)
    conv = AGDNConv(5, 4, 1, 2)
    order = torch.randperm(40)
    a = conv(x, edge_index, return_weights=True)[1].transition
    b = conv(x, edge_index[:, order], return_weights=True)[1].transition
    torch.testing.assert_close(a[order], b)


def test_initial_standard_deviations() -> None:
    conv = AGDNConv(512, 256, 3, 3, position=True, weighting="HA", bias=True)
    near = lambda tensor, std: abs(float(tensor.detach().std()) / std - 1) < 0.06  # noqa: E731
    assert near(conv.transform.weight, (2 * 2 / (512 + 768)) ** 0.5)
    assert near(conv.residual.weight, (2 * 2 / (512 + 768)) ** 0.5)
    assert near(conv.transition.source_query, 0.0625)
    assert near(conv.weighting.query, 0.0625)
    assert near(conv.hop_transform.position, (2 / (256 * 7)) ** 0.5)
    assert not conv.bias.any()
    sliced = AGDNConv(8, 256, 3, 3, position=True, position_init="slice").hop_transform.position
    assert near(sliced, 2**0.5 * (2 / (256 + 3)) ** 0.5)
    joint = AGDNConv(8, 256, 3, 3, position=True, position_init="joint").hop_transform.position
    assert near(joint, 2**0.5 * (2 / (4 * 4 * 256)) ** 0.5)
    kernel = AGDNConv(8, 256, 3, 3, weighting="HC").weighting.kernel
    bound = 2**0.5 * (6 / (4 * 4 * 256)) ** 0.5
    assert near(kernel, bound / 3**0.5)
    assert float(kernel.detach().abs().max()) <= bound
    inputs = AGDNConv(512, 8, 1, 3, transition={"name": "gat", "score_space": "input"}).transition.source_query
    assert near(inputs, 2**0.5 * (2 / 515) ** 0.5)
    assert 0 <= float(AGDNConv(8, 8, weighting={"name": "HA", "scale": True}).weighting.log_scale.detach()) <= 1


def test_positions_do_not_enter_the_propagation() -> None:
    edge_index, x = random_edges(9, 40), torch.randn(9, 5)
    conv = AGDNConv(5, 4, 2, weighting="sum", transition="row", position=True)
    with_positions = conv(x, edge_index)
    added = conv.hop_transform.position.sum(0)
    nn.init.zeros_(conv.hop_transform.position)
    torch.testing.assert_close(with_positions, conv(x, edge_index) + added.flatten())


def test_nan_is_not_hidden() -> None:
    edge_index, x = torch.tensor([[0, 1], [1, 2]]), torch.randn(4, 5)
    x[0, 0] = float("nan")
    out = AGDNConv(5, 4, 1)(x, edge_index)
    assert out[:2].isnan().all()
    assert not out[2:].isnan().any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"transition": "gatt"}, "unknown transition 'gatt': did you mean 'gat'"),
        ({"weighting": "Ha"}, "unknown weighting 'Ha': did you mean 'HA'"),
        ({"weighting": {"name": "HA", "query_hops": 1}}, "unknown option of HopAttention 'query_hops': did you mean"),
        ({"weighting": {"query_hop": 1}}, 'needs a "name"'),
        ({"transition": {"name": "gat", "shared": 1}}, "unknown option of AttentionTransition 'shared'"),
        ({"hops": -1}, "hops must not be negative"),
        ({"heads": 0}, "heads must be at least 1"),
        ({"first_hop": 9}, r"first_hop must lie in 0\.\.3"),
        ({"weighting": {"name": "HA", "query_hop": 7}}, r"query_hop must lie in 0\.\.3"),
        ({"weighting": {"name": "HA", "activation": "tanh"}}, "activation must be one of"),
        ({"weighting": {"name": "PPR", "alpha": 0}}, "restart probability"),
        ({"hop_norm": "batch"}, "hop_norm must be None, layer or l2"),
        ({"edge_dropout": 1.0}, r"edge_dropout must lie in \[0, 1\)"),
        ({"memory": "disk"}, "memory must be store or recompute"),
        ({"transition": {"name": "gat", "share_query": True, "target_query": False}}, "needs target_query=True"),
    ],
)
def test_wrong_options_are_named(options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AGDNConv(**{"in_channels": 5, "out_channels": 4, "hops": 3, **options})


def test_wrong_inputs_are_named() -> None:
    edge_index, x = random_edges(9, 40), torch.randn(9, 5)
    graph = Graph(edge_index, 9)
    with pytest.raises(ValueError, match="9 source nodes, but x has 8 rows"):
        AGDNConv(5, 4)(x[:8], graph)
    with pytest.raises(ValueError, match="built for 5 input channels, but x has 4"):
        AGDNConv(5, 4)(x[:, :4], graph)
    with pytest.raises(ValueError, match="40 edges, but edge_attr has 3 rows"):
        AGDNConv(5, 4, edge_dim=2)(x, graph, torch.randn(3, 2))
    with pytest.raises(ValueError, match="give it edge_attr"):
        AGDNConv(5, 4, edge_dim=2)(x, graph)


@pytest.mark.parametrize("weighting", ["sum", "mean", "PPR", "heat"])
@pytest.mark.parametrize("options", [{}, {"residual": False, "bias": True}, {"heads": 2, "concat": False}], ids=str)
def test_a_fixed_diffusion_of_the_narrower_side_gives_the_same(weighting: str, options: dict) -> None:
    torch.manual_seed(0)
    graph = Graph(random_edges(20, 90), 20)
    first = {"first_hop": 1} if weighting == "sum" else {}
    conv = AGDNConv(5, 40, hops=2, transition="sym", weighting=weighting, **first, **options).double()
    x, edge_weight = torch.randn(20, 5, dtype=torch.float64), torch.rand(90, dtype=torch.float64)
    for weights in (None, edge_weight):
        assert conv._diffuses_first(x)
        expected, _ = conv(x, graph, None, weights, return_weights=True)  # which transforms first
        torch.testing.assert_close(conv(x, graph, None, weights), expected)
    slopes = [
        torch.autograd.grad(out.square().sum(), list(conv.parameters()))
        for out in (conv(x, graph), conv(x, graph, return_weights=True)[0])
    ]
    for ours, theirs in zip(*slopes, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_what_does_not_commute_is_transformed_first() -> None:
    x = torch.randn(20, 5)
    assert not AGDNConv(5, 40)._diffuses_first(x)
    fixed = {"transition": "sym", "weighting": "PPR"}
    assert not AGDNConv(5, 40, hop_norm="layer", **fixed)._diffuses_first(x)
    assert not AGDNConv(5, 40, attn_dropout=0.5, **fixed)._diffuses_first(x)
    assert AGDNConv(5, 40, attn_dropout=0.5, **fixed).eval()._diffuses_first(x)
    assert not AGDNConv(5, 2, **fixed)._diffuses_first(x)
    assert AGDNConv(5, 3, **fixed)._diffuses_first(x)  # whose gradient needs no way back
    assert not AGDNConv(5, 3, **fixed)._diffuses_first(x.requires_grad_())
