"""Simple graph convolution: softmax(A^K X W).

Wu, Souza, Zhang, Fifty, Yu and Weinberger, Simplifying graph convolutional networks, ICML 2019.
"""

from __future__ import annotations

from agdn.models.linear_filter import LinearFilter
from agdn.ops.normalise import Normalisation


class SGC(LinearFilter):
    """A linear model of features that were propagated K times; give it a graph with self-loops.

    Args:
        hops: K.
        transition: ``sym``, or ``row`` or ``col``.
    """

    def __init__(
        self, in_channels: int, out_channels: int, *, hops: int = 2, transition: Normalisation = "sym"
    ) -> None:
        if hops < 0:
            raise ValueError(f"hops must not be negative, got {hops}")
        super().__init__(in_channels, out_channels, coefficients=[0.0] * hops + [1.0], transition=transition)
