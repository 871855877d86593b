"""Topology adaptive network: H' = act(sum over k of A^k H W_k + b), A the symmetric normalised adjacency.

Du, Zhang, Wu, Moura and Kar, Topology adaptive graph convolutional networks, 2017.
"""

from __future__ import annotations

from agdn.models.polynomial_stack import PolynomialStack


class TAGCN(PolynomialStack):
    """Layers with a linear map for every power of the adjacency; their graph has no self-loops."""

    basis = "power"
