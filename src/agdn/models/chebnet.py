"""Chebyshev network: H' = act(sum over k of T_k(L) H W_k + b), L = -D^-1/2 A D^-1/2 the scaled Laplacian.

Defferrard, Bresson and Vandergheynst, Convolutional neural networks on graphs with fast localized spectral filtering,
NeurIPS 2016; lambda_max = 2 as in Kipf and Welling, ICLR 2017.
"""

from __future__ import annotations

from agdn.models.polynomial_stack import PolynomialStack


class ChebNet(PolynomialStack):
    """Layers with a linear map for every Chebyshev polynomial of the Laplacian; their graph has no self-loops."""

    basis = "chebyshev"
