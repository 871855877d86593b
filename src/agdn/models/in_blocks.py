"""Inference of a whole model layer by layer, for graphs whose states do not fit into memory at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.conv import AGDNConv
from agdn.nn.in_blocks import conv_in_blocks, mapped_rows
from agdn.nn.norm import ROW_WISE
from agdn.ops.storage import Storage, row_blocks

if TYPE_CHECKING:
    from agdn.models.agdn import AGDN
    from agdn.models.stack import Stack


def agdn_in_blocks(
    model: AGDN, x: Tensor, graph: Graph, edge_attr: Tensor | None, edge_weight: Tensor | None, storage: Storage
) -> tuple[Tensor, list[Tensor | None]]:
    """(N, out_channels), and every layer's theta where its weighting tells."""
    h, running = x, None
    if model.input_norm is not None:
        h = normed(model.input_norm, lambda rows: rows, x, storage, keep=True)
    if model.encoder is not None:
        encoder = model.encoder
        h = mapped_rows(lambda rows: torch.relu(encoder(rows)), h, encoder.out_features, storage)
    thetas = []
    for layer, conv in enumerate(model.convs):
        out, theta = conv_in_blocks(cast(AGDNConv, conv), h, graph, edge_attr, edge_weight, storage)
        thetas.append(theta)
        if layer == len(model.norms):  # the output convolution
            h = out
            break
        if model.skip == "input" and layer > 0 and out.shape == h.shape:
            _add(out, h)
        elif model.skip == "sum" and running is not None:
            _add(out, running)
        if model.skip == "sum":
            running = out
        h = normed(model.norms[layer], torch.relu, out, storage, keep=running is out)
    return mapped_rows(model._output, h, model.out_channels if model.output_linear else h.size(1), storage), thetas


def stack_in_blocks(
    model: Stack, x: Tensor, graph: Graph, edge_attr: Tensor | None, edge_weight: Tensor | None, storage: Storage
) -> Tensor:
    h = x
    for conv, norm in zip(model.convs, model.norms, strict=False):
        out = _layer_in_blocks(conv, h, graph, edge_attr, edge_weight, storage)
        h = normed(norm, model._activated, out, storage)
    return _layer_in_blocks(model.convs[-1], h, graph, edge_attr, edge_weight, storage)


def _layer_in_blocks(
    conv: nn.Module, x: Tensor, graph: Graph, edge_attr: Tensor | None, edge_weight: Tensor | None, storage: Storage
) -> Tensor:
    if isinstance(conv, AGDNConv):
        return conv_in_blocks(conv, x, graph, edge_attr, edge_weight, storage)[0]
    out: Tensor = conv.in_blocks(x, graph, edge_weight, storage=storage)  # type: ignore[operator]
    return out


def normed(
    norm: nn.Module, activation: Callable[[Tensor], Tensor], out: Tensor, storage: Storage, *, keep: bool = False
) -> Tensor:
    """Norm and activation in blocks of rows, in place unless ``out`` is to be kept."""
    if not isinstance(norm, ROW_WISE):
        return activation(norm(out))
    h = storage.empty(*out.shape, dtype=out.dtype) if keep else out
    for rows in row_blocks(out.size(0)):
        h[rows] = activation(norm(out[rows]))
    return h


def _add(out: Tensor, other: Tensor) -> None:
    for rows in row_blocks(out.size(0)):
        out[rows] += other[rows]
