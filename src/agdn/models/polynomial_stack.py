"""Layers that are polynomials of the adjacency: TAGCN and ChebNet."""

from __future__ import annotations

from typing import ClassVar

from agdn.models.stack import Activation, Stack, layer_widths
from agdn.nn.polynomial_conv import Basis, PolynomialConv


class PolynomialStack(Stack):
    """Every layer has a linear map for every order of a polynomial.

    Args:
        hidden_channels: Width of every layer but the output.
        num_layers: Number of layers.
        hops: K, the highest order.
    """

    basis: ClassVar[Basis]

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        hops: int = 3,
        *,
        norm: str = "none",
        activation: Activation = "relu",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
    ) -> None:
        widths = layer_widths(in_channels, hidden_channels, num_layers)
        outputs = [*widths[1:], out_channels]
        super().__init__(
            (PolynomialConv(a, b, hops, basis=self.basis) for a, b in zip(widths, outputs, strict=True)),
            widths[1:],
            norm=norm,
            activation=activation,
            dropout=dropout,
            input_dropout=input_dropout,
        )
