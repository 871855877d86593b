"""Whole networks: forward(x, graph)."""

from agdn.models.agdn import AGDN
from agdn.models.gat import GAT
from agdn.models.gcn import GCN
from agdn.models.label_propagation import LabelPropagation
from agdn.models.link import HadamardMLP, LinkModel
from agdn.models.mlp import MLP
from agdn.models.presets import PRESETS
from agdn.models.registry import MODELS, build_model
from agdn.models.sage import GraphSAGE

__all__ = [
    "AGDN",
    "GAT",
    "GCN",
    "MLP",
    "MODELS",
    "PRESETS",
    "GraphSAGE",
    "HadamardMLP",
    "LabelPropagation",
    "LinkModel",
    "build_model",
]
