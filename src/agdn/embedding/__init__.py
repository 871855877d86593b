"""Vectors learnt from the structure of a graph, or from its structure and its nodes' texts, to be used as features."""

from agdn.embedding.class_scores import class_scores
from agdn.embedding.neighbour_training import NeighbourTraining
from agdn.embedding.spectral_embedding import spectral_embedding
from agdn.embedding.text_embedding import Transformer, Words, text_embedding
from agdn.embedding.walk_embedding import walk_embedding

__all__ = [
    "NeighbourTraining",
    "Transformer",
    "Words",
    "class_scores",
    "spectral_embedding",
    "text_embedding",
    "walk_embedding",
]
