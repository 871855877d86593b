import copy

import pytest
import torch
from torch import nn

from agdn import AGDN, Graph
from agdn.models import PRESETS, HadamardMLP, LinkModel
from agdn.models.agdn import model_options
from graphs import random_edges, symmetric


def count(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize(
    ("preset", "in_channels", "out_channels", "parameters"),
    [
        ("arxiv", 128, 40, 1_453_416),
        ("arxiv-bot", 168, 40, 1_513_280),
        ("arxiv-xrt", 808, 40, 1_309_760),
        ("proteins", 8, 112, 8_588_902),
        ("products", 100, 47, 1_540_207),
    ],
)
def test_parameter_counts_of_node_models(preset: str, in_channels: int, out_channels: int, parameters: int) -> None:
    assert count(AGDN.preset(preset, in_channels, out_channels)) == parameters


def test_parameter_counts_of_link_models() -> None:
    ddi = LinkModel(
        AGDN.preset("ddi", 512, 512),
        HadamardMLP(512, 512, 2),
        state_channels=512,
        num_nodes=4_267,
        embedding_channels=512,
    )
    assert count(ddi) == 3_506_691
    with torch.device("meta"):
        ppa = LinkModel(
            AGDN.preset("ppa", 64, 64),
            HadamardMLP(64, 64, 2),
            state_channels=64,
            num_nodes=576_289,
            embedding_channels=64,
        )
    assert count(ppa) == 36_904_259
    assert count(AGDN.preset("citation2", 128, 256)) + count(HadamardMLP(256, 256, 3)) == 305_153


def _arguments(preset: str, num_nodes: int = 12):
    edge_index = random_edges(num_nodes, 40)
    if preset == "proteins":
        return None, Graph(edge_index, num_nodes), torch.rand(40, 8)
    return torch.randn(num_nodes, 8), Graph(edge_index, num_nodes), None


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_trains_every_parameter(preset: str) -> None:
    model = AGDN.preset(preset, 8, 5, hidden_channels=6, dropout=0.1, edge_dropout=0.0)
    out = model.train()(*_arguments(preset))
    assert out.shape == (12, 5)
    (out * torch.randn_like(out)).sum().backward()
    idle = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum()]
    # A query shared by all logits of a softmax shifts them alike: only the leaky ReLU lets its gradient through.
    assert [name for name in idle if "query" not in name] == []


@pytest.mark.parametrize("preset", PRESETS)
def test_state_copy_and_reset(preset: str) -> None:
    model = AGDN.preset(preset, 8, 5, hidden_channels=6).eval()
    arguments = _arguments(preset)
    before = model(*arguments)
    twin = copy.deepcopy(model)
    twin.reset_parameters()
    assert not torch.equal(twin(*arguments), before)
    twin.load_state_dict(model.state_dict())
    assert torch.equal(twin(*arguments), before)


def test_arxiv_forward_follows_the_published_order() -> None:
    """conv, identity skip, norm, ReLU; the output convolution averages its heads and adds the bias."""
    model = AGDN.preset("arxiv", 8, 5, hidden_channels=4).eval()
    nn.init.normal_(model.out_bias)
    x, graph, _ = _arguments("arxiv")
    first = torch.relu(model.norms[0](model.convs[0](x, graph)))
    second = torch.relu(model.norms[1](model.convs[1](first, graph) + first))
    torch.testing.assert_close(model(x, graph), model.convs[2](second, graph) + model.out_bias)


def test_proteins_forward_follows_the_published_order() -> None:
    model = AGDN.preset("proteins", 8, 5, hidden_channels=4, num_layers=3).eval()
    _, graph, edge_attr = _arguments("proteins")
    x = torch.zeros(12, 8).index_add(0, graph.edge_index[1], edge_attr)
    h, running = torch.relu(model.encoder(x)), torch.zeros(())
    for conv, norm in zip(model.convs, model.norms, strict=True):
        running = conv(h, graph, edge_attr) + running
        h = torch.relu(norm(running))
    torch.testing.assert_close(model(None, graph, edge_attr), model.output_linear(h))
    torch.testing.assert_close(model(x, graph, edge_attr), model.output_linear(h))


def test_return_weights_gives_one_entry_a_layer() -> None:
    model = AGDN.preset("arxiv", 8, 5, hidden_channels=4).eval()
    x, graph, _ = _arguments("arxiv")
    out, weights = model(x, graph, return_weights=True)
    torch.testing.assert_close(out, model(x, graph))
    assert [tuple(w.hops.shape) for w in weights] == [(12, 3, 4, 1), (12, 3, 4, 1), (12, 1, 4, 1)]
    assert [tuple(w.transition.shape) for w in weights] == [(40, 3), (40, 3), (40, 1)]


@pytest.mark.parametrize("norm", ["batch", "layer", "pair", "none"])
def test_norms(norm: str) -> None:
    x, graph, _ = _arguments("paper")
    assert AGDN(8, 4, 5, num_layers=2, norm=norm)(x, graph).isfinite().all()


def test_citation2_and_concatenated_output_heads() -> None:
    x, graph, _ = _arguments("paper")
    assert AGDN(8, 4, 5, num_layers=1, out_heads=3, out_concat=True, out_bias=True)(x, graph).shape == (12, 15)
    assert (AGDN(8, 4, 5, num_layers=1, out_activation=True)(x, graph) >= 0).all()


def test_own_weighting_gets_a_copy_a_layer() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(()))

        def forward(self, hops):
            return hops[-1] * self.scale

    x, graph, _ = _arguments("paper")
    model = AGDN(8, 4, 5, num_layers=2, weighting=Scaled())
    assert model.convs[0].weighting is not model.convs[1].weighting
    assert model(x, graph).shape == (12, 5)
    assert AGDN(8, 4, 5, num_layers=2, weighting=Scaled)(x, graph).shape == (12, 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_layers": 0}, "num_layers must be at least 1"),
        ({"norm": "bacth"}, "unknown norm 'bacth': did you mean 'batch'"),
        ({"output": "mlp"}, "output must be conv or linear"),
        ({"skip": "dense"}, "skip must be None, input or sum"),
        ({"hop_norms": "l2"}, "unknown option of AGDN 'hop_norms': did you mean 'hop_norm'"),
    ],
)
def test_wrong_options_are_named(options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AGDN(8, 4, 5, **options)


def test_unknown_preset_and_missing_edge_features_are_named() -> None:
    with pytest.raises(ValueError, match="unknown preset 'arxive': did you mean 'arxiv'"):
        AGDN.preset("arxive", 8, 5)
    with pytest.raises(ValueError, match="give it edge_attr"):
        AGDN(8, 4, 5)(None, _arguments("paper")[1])
    assert {"hops", "transition", "dropout", "edge_dropout"} <= set(model_options())


@pytest.mark.parametrize("preset", ["arxiv", "arxiv-xrt", "products", "ddi"])
def test_exported_model_agrees_on_another_graph_size(preset: str) -> None:
    model = AGDN.preset(preset, 8, 5, hidden_channels=6).eval()
    x, edge_index = torch.randn(12, 8), symmetric(random_edges(12, 40))
    nodes, edges = torch.export.Dim("nodes"), torch.export.Dim("edges")
    program = torch.export.export(model, (x, edge_index), dynamic_shapes=({0: nodes}, {1: edges}))
    for num_nodes, num_edges in ((12, 40), (31, 90)):
        x, edge_index = torch.randn(num_nodes, 8), random_edges(num_nodes, num_edges)
        expected = model(x, edge_index)
        torch.testing.assert_close(program.module()(x, edge_index), expected)


def test_compiled_model_agrees_on_another_graph_size() -> None:
    torch._dynamo.reset()
    model = AGDN.preset("arxiv", 8, 5, hidden_channels=6, num_layers=1).eval()
    compiled = torch.compile(model, dynamic=True)
    for num_nodes, num_edges in ((12, 40), (31, 90)):
        x, graph = torch.randn(num_nodes, 8), Graph(random_edges(num_nodes, num_edges), num_nodes)
        torch.testing.assert_close(compiled(x, graph), model(x, graph))


def test_encoder_dropout_acts_on_the_features_in_training_alone() -> None:
    graph, x = Graph(torch.tensor([[0, 1], [1, 0]]), 2), torch.ones(2, 50)
    model = AGDN(50, 4, 3, num_layers=1, encoder_channels=8, encoder_dropout=0.9, norm="none")
    seen: list[torch.Tensor] = []
    assert model.encoder is not None
    model.encoder.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    model(x, graph)
    model.eval()(x, graph)
    assert 0.7 < float((seen[0] == 0).float().mean()) < 1
    assert torch.equal(seen[1], x)
    with pytest.raises(ValueError, match="in front of an encoder"):
        AGDN(50, 4, 3, encoder_dropout=0.5)


def test_with_a_norm_of_the_input_the_scales_of_columns_do_not_matter() -> None:
    torch.manual_seed(0)
    x, graph, scales = torch.randn(30, 5), Graph(random_edges(30, 90), 30), torch.tensor([1.0, 9.0, 0.2, 30.0, 4.0])
    normed, plain = AGDN(5, 4, 3, input_norm="batch"), AGDN(5, 4, 3)
    torch.testing.assert_close(normed(x * scales + 7, graph), normed(x, graph), rtol=1e-3, atol=1e-3)
    assert (plain(x * scales + 7, graph) - plain(x, graph)).abs().max() > 0.1
    assert "input_norm.weight" in normed.state_dict()
    assert not any("input_norm" in key for key in plain.state_dict())
