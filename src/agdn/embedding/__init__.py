"""Vectors learnt from the structure of a graph alone, to be used as node features."""

from agdn.embedding.spectral_embedding import spectral_embedding
from agdn.embedding.walk_embedding import walk_embedding

__all__ = ["spectral_embedding", "walk_embedding"]
