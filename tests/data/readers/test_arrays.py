"""Datasets from NumPy and SciPy arrays."""

import numpy as np
import pytest
import torch
from scipy import sparse

from agdn.data.errors import DataError
from agdn.data.readers.arrays import from_arrays

EDGES = np.array([[0, 1, 2], [1, 2, 0]])


def test_edges_features_labels_and_masks() -> None:
    masks = (np.array([True, False, False]), np.array([1]), np.array([2]))
    dataset = from_arrays(EDGES, x=np.eye(3), y=np.array([0, 1, 1]), splits=[masks], edge_attr=np.ones(3))
    assert dataset.graph.edge_index.tolist() == EDGES.tolist()
    assert (dataset.target, dataset.metric) == ("class", "accuracy")
    assert (dataset.split.train.tolist(), dataset.split.valid.tolist()) == ([0], [1])
    assert dataset.edge_attr.shape == (3, 1)
    assert dataset.x.dtype == torch.float32


def test_a_matrix_gives_edges_and_weights() -> None:
    matrix = sparse.coo_array((np.array([2.0, 3.0]), (np.array([0, 1]), np.array([1, 2]))), shape=(4, 4))
    dataset = from_arrays(matrix, x=sparse.eye(4, format="csr"))
    assert dataset.graph.num_nodes == 4
    assert dataset.graph.edge_index.tolist() == [[0, 1], [1, 2]]
    assert dataset.edge_weight.tolist() == [2, 3]
    assert torch.equal(dataset.x, torch.eye(4))
    assert dataset.target == "link"


@pytest.mark.parametrize(
    ("y", "target", "metric"),
    [
        (np.array([0, 1, 0]), "class", "accuracy"),
        (np.array([0.5, 1, 0]), "numeric", "mae"),
        (np.array([[0, 1], [1, 1], [0, 0]]), "multilabel", "rocauc"),
        (None, "link", "rocauc"),
    ],
)
def test_the_target_follows_from_the_labels(y: np.ndarray | None, target: str, metric: str) -> None:
    dataset = from_arrays(EDGES, y=y)
    assert (dataset.target, dataset.metric) == (target, metric)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"edges": EDGES.T[:, :1]}, r"shape \(2, E\)"),
        ({"edges": EDGES.astype(float)}, "whole numbers"),
        ({"edges": EDGES, "num_nodes": 2}, "row 2 joins nodes 1 and 2"),
        ({"edges": EDGES, "x": np.eye(3), "y": np.zeros(4, int)}, r"disagree on the number of nodes: \[3, 4\]"),
        ({"edges": EDGES.astype(np.uint64) + 2**63}, r"ids lie below 2\^63"),
        ({"edges": EDGES, "edge_attr": np.ones(2)}, "edge_attr needs 3 rows"),
        ({"edges": EDGES, "splits": [(np.array([0]), np.array([1]))]}, r"splits\[0\] has 2 parts"),
        ({"edges": EDGES, "splits": [(np.array([0]), np.array([1]), np.array([8]))]}, r"test, row 1 is node 8"),
        ({"edges": EDGES, "splits": [(np.array([True]), np.array([1]), np.array([0]))]}, "a mask of shape"),
        ({"edges": EDGES, "x": np.array([["a"]] * 3)}, "table of numbers"),
        ({"edges": sparse.csr_matrix((2, 3))}, "square"),
    ],
)
def test_what_does_not_fit_is_named(arguments: dict[str, object], complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        from_arrays(**arguments)
