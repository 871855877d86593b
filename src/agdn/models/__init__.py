"""Whole networks: forward(x, graph)."""

from agdn.models.agdn import AGDN
from agdn.models.link import HadamardMLP, LinkModel
from agdn.models.presets import PRESETS

__all__ = ["AGDN", "PRESETS", "HadamardMLP", "LinkModel"]
