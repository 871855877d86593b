"""The npz of Shchur et al."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from agdn.data.errors import DataError
from agdn.data.readers.shchur import read_shchur
from agdn.data.stats import is_symmetric, num_duplicates, num_self_loops


@pytest.mark.parametrize(
    ("file", "nodes", "edges", "features", "classes"),
    [
        ("amazon_electronics_photo", 7650, 238162, 745, 8),
        ("amazon_electronics_computers", 13752, 491722, 767, 10),
        ("ms_academic_cs", 18333, 163788, 6805, 15),
    ],
)
def test_the_published_counts(data_root: Path, file: str, nodes: int, edges: int, features: int, classes: int) -> None:
    dataset = read_shchur(data_root / "amazon_coauthor" / f"{file}.npz", file)
    assert (dataset.graph.num_nodes, dataset.graph.num_edges) == (nodes, edges)
    assert dataset.x.shape == (nodes, features)
    assert dataset.num_classes == classes
    assert is_symmetric(dataset.graph)
    assert num_self_loops(dataset.graph) == num_duplicates(dataset.graph) == 0


def write(path: Path, **changes: object) -> Path:
    adjacency = sparse.csr_matrix(np.array([[1, 1, 0], [0, 0, 0], [1, 0, 0]], np.float32))
    attributes = sparse.csr_matrix(np.array([[0, 2.0], [1, 0], [0, 0]]))
    arrays = {"labels": np.array([0, 1, 0])}
    for prefix, matrix in (("adj", adjacency), ("attr", attributes)):
        for part in ("data", "indices", "indptr", "shape"):
            arrays[f"{prefix}_{part}"] = np.asarray(getattr(matrix, part))
    np.savez(path, **{key: value for key, value in {**arrays, **changes}.items() if value is not None})
    return path


def test_a_directed_matrix_becomes_symmetric_without_loops(tmp_path: Path) -> None:
    dataset = read_shchur(write(tmp_path / "tiny.npz"), "tiny")
    assert {tuple(edge) for edge in dataset.graph.edge_index.t().tolist()} == {(0, 1), (1, 0), (0, 2), (2, 0)}
    assert dataset.x.tolist() == [[0, 2], [1, 0], [0, 0]]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"labels": None}, "has no array labels"),
        ({"labels": np.array([0, 1])}, "a label and a row of attr for each of its 3 nodes"),
        ({"adj_indices": np.array([0, 1, 70_000])}, "outside its 3 columns"),
        ({"adj_indptr": np.array([0, 9, 2, 3])}, "row pointers"),
        ({"adj_shape": np.array([3, 4])}, "square"),
        ({"attr_shape": np.array([3, 10**12])}, "not believed"),
        ({"labels": np.array([{}, {}, {}], dtype=object)}, "Python objects"),
    ],
)
def test_a_defect_is_named(tmp_path: Path, changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        read_shchur(write(tmp_path / "tiny.npz", **changes), "tiny")
