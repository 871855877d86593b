"""JKNet, GCNII, DeeperGCN, UniMP, MAGNA, GATv2 and the reversible networks: what all of them promise."""

import pytest
import torch
from torch import Tensor

from agdn import Graph
from agdn.models import build_model
from graphs import random_edges, symmetric

N, F, C = 12, 5, 3
SYSTEMS: dict[str, dict[str, object]] = {
    "JKNet": {"num_layers": 3, "norm": "batch", "dropout": 0.2, "edge_dropout": 0.1},
    "JKNet max": {"num_layers": 3, "jump": "max"},
    "JKNet lstm": {"num_layers": 3, "jump": "lstm"},
    "GCNII": {"num_layers": 4, "dropout": 0.2},
    "GCNII two maps": {"num_layers": 4, "two_maps": True, "theta": None, "skip": True, "norm": "batch"},
    "DeeperGCN": {"num_layers": 3, "dropout": 0.2, "learn_scale": True, "mlp_layers": 2},
    "DeeperGCN power": {"num_layers": 3, "gathering": "power", "learn_scale": True, "norm": "layer"},
    "UniMP": {"dropout": 0.2, "attn_dropout": 0.2},
    "UniMP encoder": {"encoder": True, "gate": "all"},
    "MAGNA": {"heads": 2, "dropout": 0.2, "attn_dropout": 0.2, "edge_dropout": 0.1},
    "GATv2": {"heads": 2, "norm": "layer", "dropout": 0.2, "residual": True},
    "RevGNN": {"num_layers": 3, "dropout": 0.2},
    "RevGNN sage": {"num_layers": 3, "conv": "sage", "norm": "batch"},
    "RevGAT": {"num_layers": 4, "heads": 2, "dropout": 0.2, "edge_dropout": 0.1, "attn_dropout": 0.1},
    "RevAGDN": {"num_layers": 4, "heads": 2, "dropout": 0.2, "edge_dropout": 0.1, "position": True},
}


def built(name: str, **more: object) -> torch.nn.Module:
    options = {"name": name.split()[0], "hidden_channels": 8, **SYSTEMS[name], **more}
    return build_model(options, in_channels=F, out_channels=C)


@pytest.fixture
def graph() -> Graph:
    return Graph(symmetric(random_edges(N, 30)), N).coalesced().with_self_loops()


@pytest.fixture
def x() -> Tensor:
    return torch.randn(N, F)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_parameter_trains_and_resets(name: str, graph: Graph, x: Tensor) -> None:
    model = built(name).train()
    (model(x, graph) * torch.randn(N, C)).sum().backward()
    assert [key for key, parameter in model.named_parameters() if parameter.grad is None] == []
    before = model.eval()(x, graph)
    assert torch.equal(before, model(x, graph))
    drawn = {key: parameter.clone() for key, parameter in model.named_parameters() if parameter.dim() > 1}
    model.reset_parameters()
    assert not torch.equal(model(x, graph), before)
    now = dict(model.named_parameters())
    assert [key for key, old in drawn.items() if torch.equal(old, now[key])] == []


@pytest.mark.parametrize("name", SYSTEMS)
def test_names_of_nodes_do_not_matter(name: str, graph: Graph, x: Tensor) -> None:
    model, order = built(name).eval(), torch.randperm(N)
    place = order.argsort()
    out = model(x[order], Graph(place[graph.edge_index], N))
    torch.testing.assert_close(out, model(x, graph)[order], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", SYSTEMS)
def test_features_that_are_mostly_zeros(name: str, graph: Graph) -> None:
    torch.manual_seed(1)
    x = torch.randn(N, F) * (torch.rand(N, F) < 0.3)
    model = built(name).eval()
    torch.testing.assert_close(model(x.to_sparse_csr(), graph), model(x, graph), rtol=1e-4, atol=1e-5)
    model.train()(x.to_sparse_csr(), graph).sum().backward()


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_torch_path_gives_the_same(name: str, graph: Graph, x: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    model = built(name).eval()
    quick = model(x, graph)
    monkeypatch.setenv("AGDN_KERNELS", "torch")
    torch.testing.assert_close(model(x, graph), quick, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["RevGNN", "RevGNN sage", "RevGAT", "RevAGDN"])
def test_reversible_networks_have_the_gradients_of_plain_ones(name: str, graph: Graph, x: Tensor) -> None:
    found = []
    for reversible in (True, False):
        torch.manual_seed(0)
        model = built(name, reversible=reversible, num_layers=8).double().train()
        torch.manual_seed(1)
        out = model(x.double(), graph)
        (out * torch.linspace(-1, 1, out.numel()).view_as(out)).sum().backward()
        found.append([out, *(p.grad for p in model.parameters()), *model.buffers()])
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("DeeperGCN", {"mlp_layers": 2, "learn_scale": True}),
        ("RevGNN", {"gathering": "max", "num_layers": 3}),
        ("UniMP", {"encoder": True, "gate": "last"}),
        ("RevGAT", {"heads": 1}),
        ("RevAGDN", {}),
    ],
)
def test_features_of_edges_alone(name: str, options: dict[str, object], graph: Graph) -> None:
    model = build_model({"name": name, "hidden_channels": 8, "edge_dim": 4, **options}, in_channels=4, out_channels=C)
    edge_attr = torch.rand(graph.num_edges, 4)
    out = model(None, graph, edge_attr)
    out.square().sum().backward()
    assert out.shape == (N, C)
    assert [key for key, parameter in model.named_parameters() if parameter.grad is None] == []
    other = model(None, graph, edge_attr.flip(0))
    assert not torch.allclose(out, other)
    with pytest.raises(ValueError, match="give it edge_attr"):
        model(torch.randn(N, 4), graph)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"name": "JKNet", "jump": "sum"}, "jump must be concat, max or lstm, got 'sum'"),
        ({"name": "GCNII", "alpha": 1.5}, r"alpha, the share of the first state, must lie in \[0, 1\], got 1.5"),
        ({"name": "GCNII", "theta": 0.0}, "theta must be positive, or None"),
        ({"name": "DeeperGCN", "gathering": "median"}, "gathering must be one of softmax, semi_softmax"),
        ({"name": "DeeperGCN", "gathering": "max", "learn_scale": True}, "max has no scale that learns"),
        ({"name": "DeeperGCN", "scale": 0.0}, "must be positive, got 0.0"),
        ({"name": "DeeperGCN", "mlp_layers": 0}, "mlp_layers must be at least 1, got 0"),
        ({"name": "UniMP", "label_input": True}, "needs features beside 6 columns of labels; set task.labels"),
        ({"name": "UniMP", "edge_dim": 4}, "edge_dim needs encoder=True"),
        ({"name": "UniMP", "gate": "first"}, "gate must be none, last or all"),
        ({"name": "RevGNN", "groups": 1}, "need at least 2 groups of channels, got 1"),
        ({"name": "RevGNN", "groups": 3}, "hidden_channels must be divisible by groups, got 8 and 3"),
        ({"name": "RevGNN", "conv": "gcn"}, "conv must be gen or sage, got 'gcn'"),
        ({"name": "RevGNN", "conv": "sage", "edge_dim": 2}, "conv=sage carries no edge features"),
        ({"name": "RevAGDN", "num_layers": 1}, "counts the first and the last layer and must be at least 2, got 1"),
        ({"name": "RevAGDN", "hop": 1}, "unknown option of RevAGDN 'hop': did you mean 'hops'"),
    ],
)
def test_wrong_options_are_sentences(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        build_model({"hidden_channels": 8, **options}, in_channels=F, out_channels=6)


def test_messages_take_no_edge_weights(graph: Graph, x: Tensor) -> None:
    with pytest.raises(ValueError, match="DeeperGCN gathers messages channel by channel and takes no edge weights"):
        built("DeeperGCN")(x, graph, None, torch.ones(graph.num_edges))
