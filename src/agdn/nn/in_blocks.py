"""A layer's inference with bounded memory: head by head, and what concerns rows alone in blocks of rows."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.nn.conv import AGDNConv
from agdn.nn.one_head import can_be_divided, one_head
from agdn.ops.storage import Storage, row_blocks


def mapped_rows(function: Callable[[Tensor], Tensor], x: Tensor, width: int, storage: Storage) -> Tensor:
    """``function`` of every row, in blocks of rows: (N, F) -> (N, width)."""
    out = storage.empty(x.size(0), width, dtype=x.dtype)
    for rows in row_blocks(x.size(0)):
        out[rows] = function(x[rows])
    return out


def conv_in_blocks(
    conv: AGDNConv,
    x: Tensor,
    graph: Graph,
    edge_attr: Tensor | None,
    edge_weight: Tensor | None,
    storage: Storage,
) -> tuple[Tensor, Tensor | None]:
    """What the layer gives in evaluation mode, (N, H * D) or (N, D), and theta where its weighting tells."""
    channels, heads = conv.out_channels, conv.heads
    divided = can_be_divided(conv)
    out = storage.empty(x.size(0), heads * channels if conv.concat else channels, dtype=x.dtype)
    thetas = []
    for head in range(heads if divided else 1):
        layer = one_head(conv, head) if divided else conv
        diffused, theta = _diffused(layer, x, graph, edge_attr, edge_weight, storage)
        if theta is not None:
            thetas.append(theta)
        columns = slice(head * channels, head * channels + diffused.size(1))
        for rows in row_blocks(x.size(0)):
            _take(conv, out[rows], diffused[rows], x[rows], columns)
    theta = torch.cat([theta.expand(-1, layer.heads, -1, -1) for theta in thetas], 1) if thetas else None
    return out, theta


def _diffused(
    layer: AGDNConv,
    x: Tensor,
    graph: Graph,
    edge_attr: Tensor | None,
    edge_weight: Tensor | None,
    storage: Storage,
) -> tuple[Tensor, Tensor | None]:
    width = layer.heads * layer.out_channels
    z = mapped_rows(layer.transform, x, width, storage).view(-1, layer.heads, layer.out_channels)
    a = layer.transition(graph, (x, x), (z, z), edge_attr, edge_weight)
    with storage.behind_kernels():
        out, theta = layer._diffused(z, z, a, graph, True)
    return out.flatten(1), theta


def _take(conv: AGDNConv, out: Tensor, diffused: Tensor, x: Tensor, columns: slice) -> None:
    """Put some heads of a block of rows where they belong, with what is added to them."""
    if conv.residual is not None:
        weight, bias = conv.residual.weight[columns], conv.residual.bias
        diffused = torch.nn.functional.linear(x, weight, None if bias is None else bias[columns]) + diffused
    if conv.concat:
        out[:, columns] = diffused if conv.bias is None else diffused + conv.bias[columns]
        return
    share = diffused.view(len(diffused), -1, conv.out_channels).sum(1) / conv.heads
    if columns.start:
        out += share
    else:
        out.copy_(share if conv.bias is None else share + conv.bias)
