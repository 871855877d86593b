"""Whole networks: forward(x, graph)."""

from agdn.models.agdn import AGDN
from agdn.models.decoders import DECODERS, Bilinear, Cosine, Dot, HadamardMLP
from agdn.models.gat import GAT
from agdn.models.gcn import GCN
from agdn.models.identity import Identity
from agdn.models.label_propagation import LabelPropagation
from agdn.models.link import LinkModel, NodeEmbedding
from agdn.models.mlp import MLP
from agdn.models.presets import PRESETS
from agdn.models.registry import HEURISTICS, MODELS, build_model
from agdn.models.sage import GraphSAGE

__all__ = [
    "AGDN",
    "DECODERS",
    "GAT",
    "GCN",
    "HEURISTICS",
    "MLP",
    "MODELS",
    "PRESETS",
    "Bilinear",
    "Cosine",
    "Dot",
    "GraphSAGE",
    "HadamardMLP",
    "Identity",
    "LabelPropagation",
    "LinkModel",
    "NodeEmbedding",
    "build_model",
]
