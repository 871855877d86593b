"""A node's neighbours as its labels, and what the labels are like: what a text is trained to tell.

    Y_ij = 1 where i and j are joined        y_ic = (neighbours of i in cluster c) / (neighbours of i)
    z_j = normalise(normalise(sum over the neighbours i of j of x_i) + x_j)

z are the labels' features (PIFA: positive instances' features, added up, beside the node's own): what a label is like
is told by the texts that have it. A node without neighbours has no labels, and as a label its own text alone.
"""

from __future__ import annotations

import torch
from scipy.sparse import csr_array
from torch import Tensor
from torch.nn.functional import normalize

from agdn.graph import Graph
from agdn.ops.label_ranking import TrueLabels


def neighbours(graph: Graph) -> csr_array:
    """(N, N) ones, both ways, without self-loops."""
    joined = graph.to("cpu").undirected().without_self_loops()
    ones = torch.ones(joined.num_edges)
    shape = (graph.num_nodes, graph.num_nodes)
    return csr_array((ones.numpy(), joined.indices.numpy(), joined.indptr.numpy()), shape=shape)


def label_features(joined: csr_array, x: Tensor) -> Tensor:
    """(N, F) of the labels, from the features of the texts."""
    own = normalize(x)
    return normalize(normalize(torch.from_numpy(joined @ own.numpy())) + own)


def cluster_labels(joined: csr_array, clusters: Tensor, count: int) -> TrueLabels:
    """Which clusters a node has neighbours in, and the share of its neighbours there."""
    shape, own = (joined.shape[0], count), (joined.data.copy(), clusters.numpy()[joined.indices], joined.indptr.copy())
    inside = csr_array(own, shape=shape)
    inside.sum_duplicates()  # in place
    indptr = torch.from_numpy(inside.indptr).long()
    degree = torch.from_numpy(joined.indptr).diff().clamp(min=1)
    shares = torch.from_numpy(inside.data) / degree.repeat_interleave(indptr.diff())
    return TrueLabels(indptr, torch.from_numpy(inside.indices).int(), shares)


def label_means(truth: TrueLabels, h: Tensor, count: int) -> Tensor:
    """(count, D): for every label the direction of the mean of those that have it."""
    shape = (len(h), count)
    shares = csr_array((truth.shares.numpy(), truth.labels.numpy(), truth.indptr.numpy()), shape=shape)
    return normalize(torch.from_numpy(shares.T @ h.numpy()))
