"""Pure functions on tensors and Graph."""

from agdn.ops.backend import SlowPathWarning, kernels_run_on
from agdn.ops.diffuse import Combination, diffuse
from agdn.ops.dropout import drop_edges, dropout
from agdn.ops.propagate import propagate
from agdn.ops.segment import softmax_over_sources, softmax_over_targets, sum_over_sources, sum_over_targets

__all__ = [
    "Combination",
    "SlowPathWarning",
    "diffuse",
    "drop_edges",
    "dropout",
    "kernels_run_on",
    "propagate",
    "softmax_over_sources",
    "softmax_over_targets",
    "sum_over_sources",
    "sum_over_targets",
]
