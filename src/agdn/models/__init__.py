"""Whole networks: forward(x, graph)."""

from agdn.models.agdn import AGDN
from agdn.models.appnp import APPNP
from agdn.models.chebnet import ChebNet
from agdn.models.dagnn import DAGNN
from agdn.models.dcnn import DCNN
from agdn.models.decoders import DECODERS, Bilinear, Cosine, Dot, HadamardMLP
from agdn.models.gat import GAT
from agdn.models.gcn import GCN
from agdn.models.gprgnn import GPRGNN
from agdn.models.identity import Identity
from agdn.models.label_propagation import LabelPropagation
from agdn.models.link import LinkModel, NodeEmbedding
from agdn.models.mixhop import MixHop
from agdn.models.mlp import MLP
from agdn.models.ngcn import NGCN
from agdn.models.presets import PRESETS
from agdn.models.registry import HEURISTICS, MODELS, PAIR_MODELS, build_model
from agdn.models.sage import GraphSAGE
from agdn.models.seal import SEAL
from agdn.models.sgc import SGC
from agdn.models.sign import SIGN
from agdn.models.ssgc import SSGC
from agdn.models.tagcn import TAGCN

__all__ = [
    "AGDN",
    "APPNP",
    "DAGNN",
    "DCNN",
    "DECODERS",
    "GAT",
    "GCN",
    "GPRGNN",
    "HEURISTICS",
    "MLP",
    "MODELS",
    "NGCN",
    "PAIR_MODELS",
    "PRESETS",
    "SEAL",
    "SGC",
    "SIGN",
    "SSGC",
    "TAGCN",
    "Bilinear",
    "ChebNet",
    "Cosine",
    "Dot",
    "GraphSAGE",
    "HadamardMLP",
    "Identity",
    "LabelPropagation",
    "LinkModel",
    "MixHop",
    "NodeEmbedding",
    "build_model",
]
