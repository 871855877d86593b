"""Whole networks: forward(x, graph)."""

from agdn.models.agdn import AGDN
from agdn.models.appnp import APPNP
from agdn.models.chebnet import ChebNet
from agdn.models.dagnn import DAGNN
from agdn.models.dcnn import DCNN
from agdn.models.decoders import DECODERS, Bilinear, Cosine, Dot, HadamardMLP
from agdn.models.deeper_gcn import DeeperGCN
from agdn.models.gat import GAT
from agdn.models.gatv2 import GATv2
from agdn.models.gcn import GCN
from agdn.models.gcnii import GCNII
from agdn.models.gprgnn import GPRGNN
from agdn.models.identity import Identity
from agdn.models.jknet import JKNet
from agdn.models.label_propagation import LabelPropagation
from agdn.models.link import LinkModel, NodeEmbedding
from agdn.models.magna import MAGNA
from agdn.models.mixhop import MixHop
from agdn.models.mlp import MLP
from agdn.models.ngcn import NGCN
from agdn.models.presets import PRESETS
from agdn.models.registry import HEURISTICS, MODELS, PAIR_MODELS, build_model
from agdn.models.rev_agdn import RevAGDN
from agdn.models.rev_gat import RevGAT
from agdn.models.rev_gnn import RevGNN
from agdn.models.sage import GraphSAGE
from agdn.models.sagn import SAGN
from agdn.models.seal import SEAL
from agdn.models.sgc import SGC
from agdn.models.sign import SIGN
from agdn.models.ssgc import SSGC
from agdn.models.tagcn import TAGCN
from agdn.models.unimp import UniMP

__all__ = [
    "AGDN",
    "APPNP",
    "DAGNN",
    "DCNN",
    "DECODERS",
    "GAT",
    "GCN",
    "GCNII",
    "GPRGNN",
    "HEURISTICS",
    "MAGNA",
    "MLP",
    "MODELS",
    "NGCN",
    "PAIR_MODELS",
    "PRESETS",
    "SAGN",
    "SEAL",
    "SGC",
    "SIGN",
    "SSGC",
    "TAGCN",
    "Bilinear",
    "ChebNet",
    "Cosine",
    "DeeperGCN",
    "Dot",
    "GATv2",
    "GraphSAGE",
    "HadamardMLP",
    "Identity",
    "JKNet",
    "LabelPropagation",
    "LinkModel",
    "MixHop",
    "NodeEmbedding",
    "RevAGDN",
    "RevGAT",
    "RevGNN",
    "UniMP",
    "build_model",
]
