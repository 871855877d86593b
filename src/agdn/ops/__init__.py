"""Pure functions on tensors and Graph."""

from agdn.ops.backend import SlowPathWarning, kernels_run_on, plain_operators
from agdn.ops.diffuse import Combination, diffuse
from agdn.ops.diffusion_graph import diffusion_graph
from agdn.ops.dropout import drop_edges, drop_nodes, dropout, relu_dropout
from agdn.ops.gated import gated_hops
from agdn.ops.kernels.buffers import reuse_freed_memory
from agdn.ops.neighbours import sample_egos, sample_neighbours
from agdn.ops.normalise import normalised_adjacency
from agdn.ops.pair_dot import pair_dot
from agdn.ops.pairs import pair_product
from agdn.ops.polynomial import polynomial, powers
from agdn.ops.products import node_scores
from agdn.ops.propagate import propagate
from agdn.ops.scores import edge_scores
from agdn.ops.segment import softmax_over_sources, softmax_over_targets, sum_over_sources, sum_over_targets
from agdn.ops.skipgram import SkipGram
from agdn.ops.spreading import spread
from agdn.ops.subgraphs import induced_subgraph
from agdn.ops.walks import random_walks

__all__ = [
    "Combination",
    "SkipGram",
    "SlowPathWarning",
    "diffuse",
    "diffusion_graph",
    "drop_edges",
    "drop_nodes",
    "dropout",
    "edge_scores",
    "gated_hops",
    "induced_subgraph",
    "kernels_run_on",
    "node_scores",
    "normalised_adjacency",
    "pair_dot",
    "pair_product",
    "plain_operators",
    "polynomial",
    "powers",
    "propagate",
    "random_walks",
    "relu_dropout",
    "reuse_freed_memory",
    "sample_egos",
    "sample_neighbours",
    "softmax_over_sources",
    "softmax_over_targets",
    "spread",
    "sum_over_sources",
    "sum_over_targets",
]
