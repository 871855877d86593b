"""Walks followed back against every walk enumerated, in dense float64 matrices."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import reference
from agdn.explain.attribution import Attribution
from agdn.explain.held_layer import held_layer
from agdn.explain.held_network import held_network
from agdn.explain.question import Question, question
from agdn.explain.walk import walk
from agdn.graph import Graph
from agdn.models import AGDN, GAT, GCN, GCNII, GATv2, GraphSAGE
from agdn.nn.conv import AGDNConv
from agdn.tasks.inputs import Signals
from agdn.tasks.output import NodeOutput

N, F, C = 6, 3, 3
EDGES = torch.tensor([[0, 1, 2, 3, 4, 0, 2, 5, 1, 3, 3], [1, 2, 3, 4, 0, 2, 0, 1, 1, 3, 5]])
SETTINGS: dict[str, dict[str, Any]] = {
    "HA": {"weighting": "HA"},
    "HC": {"weighting": "HC", "norm": "none"},
    "HA+HC": {"weighting": "HA+HC", "transition": "gat_sym", "heads": 2},
    "fixed": {"weighting": "PPR", "transition": "sym", "norm": "layer"},
    "hop norm": {"hop_norm": "layer", "position": True, "first_hop": 1, "heads": 2, "out_heads": 2, "out_bias": True},
    "l2": {"hop_norm": "l2", "weighting": {"name": "HA", "query_hop": 1}, "first_hop": 1, "bias": True},
    "pair": {"norm": "pair", "residual": "bias", "transition": "row"},
    "skip": {"skip": "input", "num_layers": 3, "hops": 1},
    "sum": {"skip": "sum", "num_layers": 3, "hops": 1, "out_activation": True},
    "linear": {"output": "linear", "encoder_channels": 4, "residual": False},
}


def agdn(**options: Any) -> AGDN:
    return AGDN(F, 4, C, **{"num_layers": 2, "hops": 2, **options})


def trained(model: nn.Module) -> nn.Module:
    """In float64, with statistics and parameters that are not those of the start."""
    generator = torch.Generator().manual_seed(1)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm1d):
            module.running_mean.copy_(torch.randn(module.num_features, generator=generator) / 5)
            module.running_var.copy_(torch.rand(module.num_features, generator=generator) + 0.5)
    model = model.double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return model


def held(model: nn.Module) -> tuple[Signals, Any]:
    torch.manual_seed(0)
    signals = Signals(torch.randn(N, F, dtype=torch.float64), Graph(EDGES, N))
    return signals, held_network(trained(model), signals)


def asked(outputs: Tensor, node: int = 1) -> Question:
    return question(node, outputs, NodeOutput("class"))


def matrices(layer: Any, head: int) -> Tensor:
    """A of a head, dense."""
    a = layer.transition[:, min(head, layer.transition.size(1) - 1)]
    return torch.zeros(N, N, dtype=torch.float64).index_put((EDGES[1], EDGES[0]), a, accumulate=True)


def inputs_of(model: Any, signals: Signals) -> list[Tensor]:
    """What each convolution was given."""
    seen: list[Tensor] = []
    hooks = [conv.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0])) for conv in model.convs]
    with torch.no_grad():
        model(signals.x, signals.graph)
    for hook in hooks:
        hook.remove()
    return seen


def dense_conv(conv: AGDNConv, held_layer: Any, given: Tensor, x: Tensor, *, constants: bool) -> Tensor:
    """The layer as an affine map of any x, with attention, hop weights and norms as they were where it was given."""
    z_given = (given @ conv.transform.weight.t()).view(N, conv.heads, conv.out_channels)
    z = (x @ conv.transform.weight.t()).view(N, conv.heads, conv.out_channels)
    heads = []
    for h in range(conv.heads):
        a, total = matrices(held_layer, h), torch.zeros(N, conv.out_channels, dtype=torch.float64)
        for place, k in enumerate(held_layer.weighed):
            was = torch.linalg.matrix_power(a, k) @ z_given[:, h]
            hop, row = torch.linalg.matrix_power(a, k) @ z[:, h], conv.used_hops.index(k)
            transform = conv.hop_transform
            if transform.norm == "layer":
                deviation = (was.var(1, correction=0, keepdim=True) + 1e-9).sqrt()
                hop = (hop - hop.mean(1, keepdim=True)) / deviation * transform.scale[row, h]
                hop = hop + constants * transform.offset[row, h]
            elif transform.norm == "l2":
                hop = hop / was.norm(dim=1, keepdim=True)
            if transform.position is not None:
                hop = hop + constants * transform.position[row, h]
            theta = held_layer.theta[place].expand(N, conv.heads, conv.out_channels)[:, h]
            total = total + theta * hop
        heads.append(total)
    out = torch.stack(heads, 1)
    if conv.residual is not None:
        out = out + (x @ conv.residual.weight.t()).view(out.shape)
        if conv.residual.bias is not None:
            out = out + constants * conv.residual.bias.view(1, *out.shape[1:])
    out = out.flatten(1) if conv.concat else out.mean(1)
    return out if conv.bias is None else out + constants * conv.bias


def dense_network(model: Any, network: Any, inputs: list[Tensor], x: Tensor) -> Tensor:
    """The whole network in the same way, without its constants: linear."""
    h, running = x, None
    for place, conv in enumerate(model.convs):
        out = dense_conv(conv, network.layers[place], inputs[place], h, constants=False)
        between = network.between[place]
        if place < len(model.norms):
            if getattr(model, "skip", None) == "input" and place > 0 and out.shape == h.shape:
                out = out + h
            if getattr(model, "skip", None) == "sum":
                out = running = out if running is None else out + running
            if isinstance(model.norms[place], nn.LayerNorm):
                out = out - out.mean(1, keepdim=True)
            out = between.norm * out
        h = out if between is None else between.activation * out
    return h if network.final is None else h @ network.final


def check_parts(model: Any, signals: Signals, network: Any, fed: Tensor) -> Attribution:
    """Each node's part is what the linear network makes of its features alone."""
    about, inputs = asked(network.outputs), inputs_of(model, signals)
    found = walk(network, about)
    for node in range(N):
        alone = torch.zeros_like(fed)
        alone[node] = fed[node]
        part = dense_network(model, network, inputs, alone)[about.node] @ about.direction
        assert float(found.source[node]) == pytest.approx(float(part.detach()), abs=1e-10)
    return found


@pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS)
def test_the_parts_by_node_are_those_of_the_linear_network(options: dict[str, Any]) -> None:
    model = agdn(**options)
    signals, network = held(model)
    fed = signals.x if model.encoder is None else torch.relu(model.encoder(signals.x))
    found = check_parts(model, signals, network, fed)
    about, outputs = asked(network.outputs), signals.outputs(model)
    assert found.score == pytest.approx(float((outputs[about.node] @ about.direction).detach()))


@pytest.mark.parametrize(
    "model", [GCN(F, 4, C), GAT(F, 4, C, heads=2, norm="batch"), GraphSAGE(F, 4, C), GATv2(F, 4, C)]
)
def test_so_are_they_in_the_networks_of_one_hop(model: nn.Module) -> None:
    signals, network = held(model)
    check_parts(model, signals, network, signals.x)


def test_without_constants_nothing_is_left_over() -> None:
    _, network = held(agdn(weighting="HA+HC", norm="none", heads=2))
    found = walk(network, asked(network.outputs))
    assert found.constant == pytest.approx(0, abs=1e-10)


def enumerated(model: Any, network: Any, about: Question) -> tuple[Tensor, Tensor]:
    """By brute force over all walks of a network with one head: (N, T) by origin and length, (E,) by edge."""
    reach = network.reach
    by_hop, flow = torch.zeros(N, reach + 1, dtype=torch.float64), torch.zeros(EDGES.size(1), dtype=torch.float64)
    ways = [
        [(k, stays) for k in range(conv.hops + 1) for stays in ([False, True] if k == 0 else [False])]
        for conv in model.convs
    ]
    arriving: dict[int, list[int]] = {node: [] for node in range(N)}
    for edge, target in enumerate(EDGES[1].tolist()):
        arriving[target].append(edge)

    def walks(node: int, steps: int) -> list[list[int]]:
        if steps == 0:
            return [[]]
        return [[edge, *rest] for edge in arriving[node] for rest in walks(int(EDGES[0, edge]), steps - 1)]

    for choice in itertools.product(*ways):
        steps = sum(k for k, _ in choice)
        for path in walks(about.node, steps):
            adjoint, node, left = about.direction.clone(), about.node, list(path)
            for place in reversed(range(len(choice))):
                conv, layer, (k, stays) = model.convs[place], network.layers[place], choice[place]
                if network.between[place] is not None:
                    between = network.between[place]
                    adjoint = adjoint * (between.activation * between.norm)[node]
                if stays:
                    weight = conv.residual.weight
                else:
                    theta = layer.theta[layer.weighed.index(k)].expand(N, 1, conv.out_channels)
                    adjoint, weight = adjoint * theta[node, 0], conv.transform.weight
                    for _ in range(k):
                        edge = left.pop(0)
                        adjoint, node = adjoint * layer.transition[edge, 0], int(EDGES[0, edge])
                adjoint = adjoint @ weight
            given = float(adjoint @ network.x[node])
            by_hop[node, steps] += given
            for edge in path:
                flow[edge] += given
    return by_hop, flow


@pytest.mark.parametrize(
    "options", [{"weighting": "HA"}, {"weighting": "HC"}, {"weighting": "mean", "transition": "sym"}]
)
def test_lengths_and_edges_are_those_of_all_walks(options: dict[str, Any]) -> None:
    model = agdn(norm="batch", **options)
    signals, network = held(model)

    class WithInput:
        x = signals.x

        def __getattr__(self, name: str) -> Any:
            return getattr(network, name)

    about = asked(network.outputs, node=2)
    with torch.no_grad():
        by_hop, flow = enumerated(model, WithInput(), about)
    found = walk(network, about)
    torch.testing.assert_close(found.by_hop, by_hop)
    assert found.flow is not None
    torch.testing.assert_close(found.flow, flow)


def test_the_held_layer_is_the_layer() -> None:
    """The oracle of this file and that of the equations agree on where it is held."""
    conv = agdn(weighting="HA", heads=2).convs[0].double()
    signals, _ = held(agdn())
    layer = held_layer(conv, signals.x, signals.graph, None, None)
    dense = reference.dense_layer(conv, signals.x, EDGES).flatten(1)
    torch.testing.assert_close(dense_conv(conv, layer, signals.x, signals.x, constants=True), dense)


def test_other_networks_are_told_what_to_use() -> None:
    model = GCNII(F, 4, C).double().eval()
    signals = Signals(torch.randn(N, F, dtype=torch.float64), Graph(EDGES, N))
    with pytest.raises(ValueError, match="for GCNII use --method gradients"):
        held_network(model, signals)
