"""Vectors learnt from the structure of a graph alone, to be used as node features."""

from agdn.embedding.walk_embedding import walk_embedding

__all__ = ["walk_embedding"]
