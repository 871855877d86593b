"""Layers: parameters and an op."""

from agdn.nn.conv import AGDNConv, Weights
from agdn.nn.norm import NORMS
from agdn.nn.transition import TRANSITIONS
from agdn.nn.weighting import WEIGHTINGS

__all__ = ["NORMS", "TRANSITIONS", "WEIGHTINGS", "AGDNConv", "Weights"]
