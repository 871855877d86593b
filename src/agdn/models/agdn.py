"""A stack of AGDN layers: the networks of the paper's experiments as options of one class.

Sun, Hu, Gu, Chen, Liang and Yang, Adaptive graph diffusion networks, arXiv 2012.15024.
"""

from __future__ import annotations

import copy
from typing import Any, Literal, TypedDict, Unpack

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models.in_blocks import agdn_in_blocks
from agdn.models.presets import PRESETS
from agdn.nn.conv import AGDNConv, Part, Weights
from agdn.nn.hops import HopNorm, PositionInit
from agdn.nn.linear import Linear
from agdn.nn.norm import hidden_norms, norm_of
from agdn.ops import drop_nodes, dropout, relu_dropout, sum_over_targets
from agdn.ops.halo import own_ids
from agdn.ops.sparse_rows import dense
from agdn.ops.storage import Storage
from agdn.part import unknown_name


class LayerOptions(TypedDict, total=False):
    """Options that every layer receives as they are: see :class:`agdn.AGDNConv`."""

    transition: Part
    weighting: Part
    residual: bool | Literal["bias"]
    bias: bool
    edge_dim: int | None
    first_hop: int
    hop_norm: HopNorm | None
    position: bool
    position_init: PositionInit
    edge_dropout: float
    attn_dropout: float
    attn_dropout_per_hop: bool
    diffusion_dropout: float


class ConvOptions(LayerOptions, total=False):
    """The same with how hops are kept."""

    memory: Literal["store", "recompute"]


class AGDN(nn.Module):
    """Input dropout, then layers of convolution, skip, norm, ReLU and dropout, then the output.

    Args:
        in_channels: Width of the input features.
        hidden_channels: Channels a head of every layer but the output.
        out_channels: Classes, tasks or embedding width.
        num_layers: Number of diffusion layers.
        heads: Attention heads of every layer but the output.
        hops: Diffusion depth K of every layer.
        output: ``"conv"``, the last diffusion layer makes the output; ``"linear"``, a linear map after the last layer.
        out_heads: Heads of an output convolution.
        out_concat: Concatenate these heads instead of averaging them; each then has ``out_channels`` channels.
        out_bias: Add a learned bias to the output of an output convolution.
        out_activation: End a convolution output with ReLU and dropout.
        encoder_channels: Width of a linear layer with ReLU in front of everything; None for none.
        skip: ``"input"`` adds each layer's input to its output, from the second layer on and where widths agree;
            ``"sum"`` adds the running sum before the norms.
        norm: ``"batch"``, ``"layer"``, ``"pair"`` or ``"none"``, between the layers.
        input_norm: The same of the features, in front of everything: for columns of unlike scales.
        dropout: Rate after each layer.
        input_dropout: Rate on the input of the first layer (the encoder's output).
        encoder_dropout: Rate on the features in front of the encoder.
        node_dropout: Rate at which nodes lose all their features, before anything else (DropNode of GRAND).
        conv: Everything else goes to every :class:`~agdn.AGDNConv`.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 3,
        heads: int = 1,
        hops: int = 3,
        *,
        output: Literal["conv", "linear"] = "conv",
        out_heads: int = 1,
        out_concat: bool = False,
        out_bias: bool = False,
        out_activation: bool = False,
        encoder_channels: int | None = None,
        skip: Literal["input", "sum"] | None = None,
        norm: str = "batch",
        input_norm: str = "none",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        encoder_dropout: float = 0.0,
        node_dropout: float = 0.0,
        **conv: Unpack[ConvOptions],
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        if output not in ("conv", "linear"):
            raise ValueError(f"output must be conv or linear, got {output!r}")
        if skip not in (None, "input", "sum"):
            raise ValueError(f"skip must be None, input or sum, got {skip!r}")
        if encoder_dropout and encoder_channels is None:
            raise ValueError("encoder_dropout is in front of an encoder; set encoder_channels, or use input_dropout")
        unknown = [option for option in conv if option not in ConvOptions.__annotations__]
        if unknown:
            raise ValueError(unknown_name("option of AGDN", unknown[0], model_options()))
        self.in_channels, self.out_channels, self.skip = in_channels, out_channels, skip
        self.dropout, self.input_dropout, self.out_activation = dropout, input_dropout, out_activation
        self.encoder_dropout, self.node_dropout = encoder_dropout, node_dropout

        self.input_norm = None if input_norm == "none" else norm_of(input_norm, in_channels)
        self.encoder = None if encoder_channels is None else Linear(in_channels, encoder_channels)
        width = in_channels if encoder_channels is None else encoder_channels
        self.convs, widths = nn.ModuleList(), []
        for _ in range(num_layers if output == "linear" else num_layers - 1):
            self.convs.append(AGDNConv(width, hidden_channels, hops, heads, **own_parts(conv)))
            width = heads * hidden_channels
            widths.append(width)
        self.norms = hidden_norms(norm, widths)
        self.output_linear = self.out_bias = None
        if output == "linear":
            self.output_linear = Linear(width, out_channels)
        else:
            last = AGDNConv(width, out_channels, hops, out_heads, concat=out_concat, **own_parts(conv))
            self.convs.append(last)
            if out_bias:
                self.out_bias = nn.Parameter(torch.zeros(out_heads * out_channels if out_concat else out_channels))

    @classmethod
    def preset(cls, name: str, in_channels: int, out_channels: int, **changes: Any) -> AGDN:
        """A network of the paper's experiments; ``changes`` override its options."""
        if name not in PRESETS:
            raise ValueError(unknown_name("preset", name, sorted(PRESETS)))
        return cls(**{"in_channels": in_channels, "out_channels": out_channels, **PRESETS[name], **changes})

    def reset_parameters(self) -> None:
        for module in (self.input_norm, self.encoder, *self.convs, *self.norms, self.output_linear):
            if module is not None and hasattr(module, "reset_parameters"):
                module.reset_parameters()
        if self.out_bias is not None:
            nn.init.zeros_(self.out_bias)

    def forward(
        self,
        x: Tensor | None,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
        *,
        return_weights: bool = False,
    ) -> Any:
        """(N, out_channels) outputs; with ``return_weights`` also a list of each layer's :class:`~agdn.nn.Weights`.

        Without node features (``x=None``) a node's input is the sum of its incoming edges' features.
        """
        graph = graph if isinstance(graph, Graph) else Graph(graph, None if x is None else x.size(0))
        h, ids = summed_edges(graph, edge_attr) if x is None else x, own_ids(graph)
        if self.input_norm is not None:
            h = self.input_norm(dense(h))
        h = drop_nodes(h, self.node_dropout, self.training, ids)
        if self.encoder is not None:
            h = torch.relu(self.encoder(dropout(h, self.encoder_dropout, self.training, ids)))
        h = dropout(h, self.input_dropout, self.training, ids)
        attended: list[Weights] = []
        running: Tensor | None = None
        for layer, conv in enumerate(self.convs):
            out, weights = (
                conv(h, graph, edge_attr, edge_weight, return_weights=True)
                if return_weights
                else (conv(h, graph, edge_attr, edge_weight), None)
            )
            if weights is not None:
                attended.append(weights)
            if layer == len(self.norms):  # the output convolution
                h = out
                break
            if self.skip == "input" and layer > 0 and out.shape == h.shape:
                out = out + h
            elif self.skip == "sum":
                out = out if running is None else out + running
                running = out
            h = relu_dropout(self.norms[layer](out), self.dropout, self.training, ids)
        h = self._output(h, ids)
        return (h, attended) if return_weights else h

    @torch.no_grad()
    def in_blocks(
        self,
        x: Tensor | None,
        graph: Graph,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
        *,
        storage: Storage,
    ) -> tuple[Tensor, list[Tensor | None]]:
        """What the model gives in evaluation mode, with its states in ``storage``; and the hop weights of the layers.

        The same bits wherever the states lie. Those of :meth:`forward` may differ in the last place, as it computes
        all rows and heads together.
        """
        if self.training:
            raise ValueError("in_blocks is for evaluation; call model.eval() first")
        h = summed_edges(graph, edge_attr) if x is None else dense(x)
        return agdn_in_blocks(self, h, graph, edge_attr, edge_weight, storage)

    def _output(self, h: Tensor, ids: Tensor | None = None) -> Tensor:
        if self.output_linear is not None:
            out: Tensor = self.output_linear(h)
            return out
        if self.out_bias is not None:
            h = h + self.out_bias
        return relu_dropout(h, self.dropout, self.training, ids) if self.out_activation else h


def model_options() -> list[str]:
    """Every option that AGDN takes, those of its layers included."""
    import inspect

    own = [name for name in inspect.signature(AGDN).parameters if name != "conv"]
    return own + list(ConvOptions.__annotations__)


def own_parts(options: ConvOptions) -> ConvOptions:
    """A layer's own copy of a transition or weighting that was handed in as a built module."""
    parts = {key: copy.deepcopy(value) for key, value in options.items() if isinstance(value, nn.Module)}
    return {**options, **parts}  # type: ignore[typeddict-item]


def summed_edges(graph: Graph, edge_attr: Tensor | None) -> Tensor:
    """What a node without features is given: the sum of its incoming edges' features."""
    if edge_attr is None:
        raise ValueError("without node features (x=None) the model builds them from edge_attr; give it edge_attr")
    return sum_over_targets(edge_attr[graph.order], graph)
