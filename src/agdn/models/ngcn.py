"""Network of GCNs: GCNs on A^0..A^K side by side, their outputs joined by a linear map or by attention.

    H_k' = act(A^k H_k W), k = 0..K         out = [Y_0 ; ... ; Y_K] W  or  sum over k of softmax(m)_k Y_k

Abu-El-Haija, Kapoor, Perozzi and Lee, N-GCN: Multi-scale graph convolution for semi-supervised node classification,
UAI 2019.
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models.stack import Activation, Stack, layer_widths
from agdn.nn.conv import AGDNConv
from agdn.nn.in_blocks import mapped_rows
from agdn.nn.linear import Linear
from agdn.ops.storage import Storage


class NGCN(nn.Module):
    """One GCN for each power of the adjacency, or several; give it a graph with self-loops.

    Args:
        hidden_channels: Width of every layer of a GCN but its output.
        num_layers: Layers of a GCN.
        hops: K, the highest power.
        replicas: GCNs of each power.
        combine: ``concat``, a linear map of all outputs, or ``attention``, a learnt weight for each GCN.
        norm: Between the layers.
        activation: Between the layers.
        dropout: Rate after each layer.
        input_dropout: Rate on the features, drawn for each GCN.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        hops: int = 3,
        *,
        replicas: int = 1,
        combine: Literal["concat", "attention"] = "concat",
        norm: str = "none",
        activation: Activation = "relu",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if hops < 0 or replicas < 1:
            raise ValueError(f"NGCN needs hops >= 0 and replicas >= 1, got {hops} and {replicas}")
        if combine not in ("concat", "attention"):
            raise ValueError(f"combine must be concat or attention, got {combine!r}")
        widths = layer_widths(in_channels, hidden_channels, num_layers)
        outputs = [*widths[1:], out_channels]
        between: dict[str, Any] = {
            "norm": norm,
            "activation": activation,
            "dropout": dropout,
            "input_dropout": input_dropout,
        }
        self.gcns = nn.ModuleList()
        for power in range(hops + 1):
            options: dict[str, Any] = {
                "hops": power,
                "first_hop": power,
                "transition": "sym",
                "weighting": "sum",
                "residual": False,
                "bias": True,
            }
            for _ in range(replicas):
                convs = [AGDNConv(a, b, **options) for a, b in zip(widths, outputs, strict=True)]
                self.gcns.append(Stack(convs, widths[1:], **between))
        joined = len(self.gcns) * out_channels
        self.linear = Linear(joined, out_channels) if combine == "concat" else None
        self.share = nn.Parameter(torch.zeros(len(self.gcns))) if combine == "attention" else None
        self.out_channels = out_channels

    def reset_parameters(self) -> None:
        for module in (*self.gcns, *([] if self.linear is None else [self.linear])):
            module.reset_parameters()
        if self.share is not None:
            nn.init.zeros_(self.share)

    def forward(
        self,
        x: Tensor,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        graph = graph if isinstance(graph, Graph) else Graph(graph, x.size(0))
        outputs = [gcn(x, graph, edge_attr, edge_weight) for gcn in self.gcns]
        return self._combined(torch.cat(outputs, dim=1))

    @torch.no_grad()
    def in_blocks(
        self,
        x: Tensor,
        graph: Graph,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
        *,
        storage: Storage,
    ) -> tuple[Tensor, list[Tensor | None]]:
        """As :meth:`agdn.AGDN.in_blocks`; there are no hop weights to tell."""
        joined = storage.empty(x.size(0), len(self.gcns) * self.out_channels, dtype=x.dtype)
        for number, gcn in enumerate(self.gcns):
            out, _ = gcn.in_blocks(x, graph, edge_attr, edge_weight, storage=storage)  # type: ignore[operator]
            joined[:, number * self.out_channels : (number + 1) * self.out_channels] = out
        return mapped_rows(self._combined, joined, self.out_channels, storage), []

    def _combined(self, joined: Tensor) -> Tensor:
        if self.linear is not None:
            out: Tensor = self.linear(joined)
            return out
        assert self.share is not None
        return torch.einsum("ngc,g->nc", joined.unflatten(1, (len(self.gcns), -1)), self.share.softmax(0))
