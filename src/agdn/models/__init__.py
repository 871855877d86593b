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
from agdn.models.registry import HEURISTICS, MODELS, PAIR_MODELS, build_model
from agdn.models.sage import GraphSAGE
from agdn.models.seal import SEAL

__all__ = [
    "AGDN",
    "DECODERS",
    "GAT",
    "GCN",
    "HEURISTICS",
    "MLP",
    "MODELS",
    "PAIR_MODELS",
    "PRESETS",
    "SEAL",
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
