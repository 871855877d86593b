"""Scalable and adaptive graph networks: the diffusion comes first and once, and nodes weigh its hops by attention.

    h_k = W_k norm(A^k x)        h = act(norm(sum_k theta_k h_k + W_r x))        then h <- h + act(norm(W h)), L times

Sun, Gu and Hu, Scalable and adaptive graph neural networks with self-label-enhanced training, arXiv 2104.09376. There
every hop has a network of its own; here it is a normalised linear map, and depth comes after the hops are weighed.
"""

from __future__ import annotations

from torch import Tensor, nn

from agdn.models.propagated_first import PropagatedFirst
from agdn.nn.conv import Part
from agdn.nn.linear import Linear
from agdn.nn.norm import hidden_norms
from agdn.nn.weighting import WEIGHTINGS
from agdn.ops import dropout, relu_dropout
from agdn.ops.normalise import Normalisation
from agdn.part import build


class SAGN(PropagatedFirst):
    """An AGDN layer over a fixed transition, with a map of its own for every hop, and feed-forward layers behind it.

    Args:
        hidden_channels: Width of every layer but the output.
        hops: K, the hops beside the features themselves.
        num_layers: Feed-forward layers between the hops and the output, each added to its input.
        transition: How the adjacency is normalised.
        weighting: How hops become one state: the names of :class:`agdn.AGDNConv`.
        residual: Add a linear map of the features to the weighed hops.
        norm: ``"batch"``, ``"layer"`` or ``"none"``, of the hops and before every activation.
        dropout: Rate after each activation.
        input_dropout: Rate on the hops.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        hops: int = 3,
        num_layers: int = 2,
        *,
        transition: Normalisation = "row",
        weighting: Part = "HA",
        residual: bool = True,
        norm: str = "batch",
        dropout: float = 0.5,
        input_dropout: float = 0.2,
    ) -> None:
        super().__init__(out_channels, hops, transition)
        if num_layers < 0:
            raise ValueError(f"num_layers must not be negative, got {num_layers}")
        self.hop_norms = hidden_norms(norm, [in_channels] * (hops + 1))
        self.hop_maps = nn.ModuleList(Linear(in_channels, hidden_channels) for _ in range(hops + 1))
        self.weighting = build("weighting", WEIGHTINGS, weighting, hops=hops, heads=1, channels=hidden_channels)
        self.residual = Linear(in_channels, hidden_channels) if residual else None
        self.layers = nn.ModuleList(Linear(hidden_channels, hidden_channels) for _ in range(num_layers))
        self.norms = hidden_norms(norm, [hidden_channels] * (num_layers + 1))
        self.output = Linear(hidden_channels, out_channels)
        self.dropout, self.input_dropout = dropout, input_dropout

    def reset_parameters(self) -> None:
        for module in (*self.hop_norms, *self.hop_maps, self.weighting, self.residual, *self.layers, *self.norms):
            if module is not None and hasattr(module, "reset_parameters"):
                module.reset_parameters()
        self.output.reset_parameters()

    def learnt(self, h: Tensor) -> Tensor:
        seen = [
            dropout(norm(hop), self.input_dropout, self.training)
            for norm, hop in zip(self.hop_norms, h.unbind(1), strict=True)
        ]
        maps = zip(self.hop_maps, seen, strict=True)
        state: Tensor = self.weighting([hop_map(hop).unsqueeze(1) for hop_map, hop in maps]).squeeze(1)
        if self.residual is not None:
            state = state + self.residual(seen[0])
        state = self._activated(state, 0)
        for at, layer in enumerate(self.layers, start=1):
            state = state + self._activated(layer(state), at)
        out: Tensor = self.output(state)
        return out

    def _activated(self, state: Tensor, at: int) -> Tensor:
        out: Tensor = relu_dropout(self.norms[at](state), self.dropout, self.training)
        return out
