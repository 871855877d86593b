"""No network at all: what is given is the state of a node.

Matrix factorisation: Koren, Bell and Volinsky, Computer 2009. DeepWalk: Perozzi, Al-Rfou and Skiena, KDD 2014.
node2vec: Grover and Leskovec, KDD 2016.
"""

from __future__ import annotations

from torch import Tensor, nn

from agdn.graph import Graph


class Identity(nn.Module):
    """Passes features on. With learned embeddings in front and a decoder behind it is matrix factorisation; with walk
    embeddings in front, DeepWalk or node2vec.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        if in_channels != out_channels:
            raise ValueError(f"Identity has as many channels out as in, not {out_channels} for {in_channels}")

    def reset_parameters(self) -> None:
        pass

    def forward(
        self,
        x: Tensor,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        return x
