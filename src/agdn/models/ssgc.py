"""Simple spectral graph convolution, S2GC: 1/K sum over k = 1..K of ((1 - alpha) A^k X + alpha X) W.

Zhu and Koniusz, Simple spectral graph convolution, ICLR 2021.
"""

from __future__ import annotations

from agdn.models.linear_filter import LinearFilter
from agdn.ops.normalise import Normalisation


class SSGC(LinearFilter):
    """A linear model of the mean of features that were propagated 1..K times; give it a graph with self-loops.

    Args:
        hops: K, at least 1.
        alpha: Share of the features themselves.
        transition: ``sym``, or ``row`` or ``col``.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hops: int = 16,
        alpha: float = 0.05,
        transition: Normalisation = "sym",
    ) -> None:
        if hops < 1 or not 0 <= alpha <= 1:
            raise ValueError(f"SSGC needs hops >= 1 and alpha in [0, 1], got {hops} and {alpha}")
        coefficients = [alpha, *[(1 - alpha) / hops] * hops]
        super().__init__(in_channels, out_channels, coefficients=coefficients, transition=transition)
