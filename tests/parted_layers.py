"""Layers and models on a small graph, whole or in parts: what ranks compute in the tests of parts."""

from __future__ import annotations

import os
from unittest.mock import patch

import torch
from torch import Tensor, nn

from agdn import AGDN, AGDNConv, Graph
from agdn.distributed.norms import over_all_ranks
from agdn.distributed.part_graph import PartGraph, cut_out
from agdn.distributed.world import World
from agdn.models.registry import IN_PARTS, build_model, option_types
from graphs import random_edges

NODES, EDGES = 41, 230
DROPPED = {"edge_dropout": 0.3, "attn_dropout": 0.2, "diffusion_dropout": 0.25}
EVERYWHERE = {
    **DROPPED, "hidden_channels": 4, "num_layers": 2, "heads": 2, "hops": 2, "norm": "batch", "dropout": 0.3,
    "input_dropout": 0.2, "hop_dropout": 0.2, "state_dropout": 0.1, "groups": 2,
}  # fmt: skip
NORMS = (None, "layer", "l2")
TRANSITIONS = ["row", "col", "sym", "gat", "gat_col", "gat_sym", "gat_adj"]


def whole(dtype: torch.dtype = torch.float64) -> tuple[Graph, Tensor, Tensor, Tensor]:
    torch.manual_seed(5)
    graph = Graph(random_edges(NODES, EDGES, seed=3), NODES)
    return graph, torch.randn(NODES, 6, dtype=dtype), torch.randn(EDGES, 4, dtype=dtype), torch.rand(EDGES, dtype=dtype)


def owner(kind: str) -> Tensor:
    ids = torch.arange(NODES)
    if kind == "uneven":
        return (ids % 7 == 0).long()
    return torch.full_like(ids, 1) if kind == "empty" else (ids * 7919) % 3 % 2


def models(names: list[str]) -> dict[str, nn.Module]:
    torch.manual_seed(1)
    built: dict[str, nn.Module] = {}
    for number, transition in enumerate(TRANSITIONS):
        edge = {"edge_dim": 4} if transition.startswith("gat") else {}
        for weighting, norm in (("HA", NORMS[number % 3]), ("HC", NORMS[(number + 1) % 3])):
            built[f"{transition} {weighting} {norm}"] = AGDNConv(
                6, 3, 3, 2, transition=transition, weighting=weighting, hop_norm=norm, position=True, **edge, **DROPPED
            )
    for transition in ("sym", "gat_sym", {"name": "gat_adj", "scaled_scores": True}):
        built[f"model {transition}"] = AGDN(
            6, 4, 3, num_layers=3, heads=2, hops=2, transition=transition, dropout=0.3, input_dropout=0.2, skip="input",
            attn_dropout_per_hop=True, **DROPPED,
        )  # fmt: skip
    built["pair"] = AGDN(6, 4, 3, num_layers=2, norm="pair", dropout=0.3)
    built["one hop"] = AGDNConv(6, 3, 1, 2, first_hop=1, weighting="sum", residual=False)
    built["query 2"] = AGDNConv(6, 3, 3, 2, weighting={"name": "HA", "query_hop": 2, "scale": True}, **DROPPED)
    built["recomputed"] = AGDNConv(6, 3, 3, 2, memory="recompute", hop_norm="layer", **DROPPED)
    built["weighted"] = AGDNConv(6, 3, 2, 2, transition="gat_col", **DROPPED)
    built["weighted sym"] = AGDNConv(6, 3, 2, 2, transition="sym", **DROPPED)
    built["mixed"] = AGDNConv(6, 3, 2, 2, transition={"name": "gat", "edge_weight": "mix"}, **DROPPED)
    for name in IN_PARTS:
        known = option_types(name)
        options = {key: value for key, value in EVERYWHERE.items() if key in known}
        built[f"model {name}"] = build_model({"name": name, **options}, in_channels=6, out_channels=3)
    return {name: built[name] for name in names or built}


def edge_signals(name: str, edge_attr: Tensor, edge_weight: Tensor) -> dict[str, Tensor]:
    if name.startswith("gat"):
        return {"edge_attr": edge_attr}
    return {"edge_weight": edge_weight} if name in ("weighted", "weighted sym", "mixed") else {}


def passed(model: nn.Module, x: Tensor, graph: Graph, signals: dict[str, Tensor], probe: Tensor) -> dict[str, Tensor]:
    """Outputs, and the gradients of the input and of every parameter, in training and with a fixed generator."""
    torch.manual_seed(11)
    x = x.clone().requires_grad_()
    out = model.train()(x, graph, **signals)
    (out * probe).sum().backward()
    gradients = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    buffers = {name: b.clone() for name, b in model.named_buffers() if b.is_floating_point()}
    return {"out": out.detach(), "x": x.grad, **gradients, **buffers, "inference": _inferred(model, x, graph, signals)}


@torch.no_grad()
def _inferred(model: nn.Module, x: Tensor, graph: Graph, signals: dict[str, Tensor]) -> Tensor:
    return model.eval()(x.detach(), graph, **signals)


def probe(name: str, rows: int, dtype: torch.dtype) -> Tensor:
    width = 3 if name.startswith("model") or name == "pair" else 6
    return torch.randn(rows, width, dtype=dtype, generator=torch.Generator().manual_seed(2))


def on_part(
    world: World, names: list[str], owner: Tensor, dtype: torch.dtype, kernels: bool = True
) -> dict[str, dict[str, Tensor]]:
    """What every model gives on this rank's part; gradients of parameters are summed over the ranks."""
    with patch.dict(os.environ, {} if kernels else {"AGDN_KERNELS": "torch"}):
        return _on_part(world, names, owner, dtype)


def _on_part(world: World, names: list[str], owner: Tensor, dtype: torch.dtype) -> dict[str, dict[str, Tensor]]:
    graph, x, edge_attr, edge_weight = whole(dtype)
    part = PartGraph.joined(cut_out(graph, owner, world.rank), world)
    answers = {}
    for name, model in models(names).items():
        signals = edge_signals(name, edge_attr[part.edges], edge_weight[part.edges])
        own = probe(name, NODES, dtype)[part.nodes]
        answer = passed(over_all_ranks(model.to(dtype), world), x[part.nodes], part, signals, own)
        for key in [key for key, _ in model.named_parameters() if key in answer]:
            answer[key] = world.sum(answer[key])
        answers[name] = answer
    return {**answers, "nodes": {"nodes": part.nodes}}


def sent_by_model(world: World, transition: str) -> list[float]:
    """Bytes that a step and an evaluation give to other ranks; rows given and asked for."""
    graph, x, *_ = whole(torch.float32)
    part = PartGraph.joined(cut_out(graph, owner("uneven"), world.rank), world)
    model = AGDN(6, 4, 3, num_layers=2, heads=2, hops=3, transition=transition, norm="none")
    start = world.sent.total()
    model(x[part.nodes].requires_grad_(), part).sum().backward()
    step = world.sent.total() - start
    with torch.no_grad():
        model.eval()(x[part.nodes], part)
    return [step, world.sent.total() - start - step, len(part.halo.sent), part.halo.size]
