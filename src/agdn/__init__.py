"""Adaptive graph diffusion networks: multi-hop diffusion inside every layer, with learned hop weights."""

from agdn.graph import Graph
from agdn.models.agdn import AGDN
from agdn.nn.conv import AGDNConv

__version__ = "0.1.0"

__all__ = ["AGDN", "AGDNConv", "Graph", "__version__"]
