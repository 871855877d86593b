"""MATLAB files with one sparse matrix."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from agdn.data.errors import DataError
from agdn.data.readers.seal import read_seal


@pytest.mark.parametrize(
    ("name", "nodes", "links"),
    [("USAir", 332, 2126), ("NS", 1589, 2742), ("Celegans", 297, 2148), ("Power", 4941, 6594)],
)
def test_the_published_counts(data_root: Path, name: str, nodes: int, links: int) -> None:
    dataset = read_seal(data_root / "seal" / f"{name}.mat", name)
    assert (dataset.graph.num_nodes, dataset.graph.num_edges) == (nodes, 2 * links)
    assert (dataset.target, dataset.x, dataset.splits) == ("link", None, ())


@pytest.mark.parametrize("packed", [True, False])
def test_entries_become_links_both_ways(tmp_path: Path, packed: bool) -> None:
    net = sparse.csc_matrix((np.array([1.0, 1, 1]), ([0, 2, 1], [1, 2, 0])), shape=(3, 3))
    savemat(tmp_path / "net.mat", {"net": net}, do_compression=packed)
    dataset = read_seal(tmp_path / "net.mat", "net")
    assert {tuple(edge) for edge in dataset.graph.edge_index.t().tolist()} == {(0, 1), (1, 0)}


def nested(depth: int) -> np.ndarray:
    cell: object = np.ones(1)
    for _ in range(depth):
        outer = np.empty((1, 1), dtype=object)
        outer[0, 0] = cell
        cell = outer
    return cell


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({"other": np.eye(3)}, r"has no sparse matrix net; it holds other \(double\)"),
        ({"net": np.eye(3)}, r"has no sparse matrix net; it holds net \(double\)"),
        ({"net": nested(100)}, r"net \(cell\)"),
        ({"net": {"field": 1}}, r"net \(struct\)"),
        ({"net": sparse.csc_matrix(np.ones((2, 3)))}, "square"),
    ],
)
def test_only_a_square_sparse_net_is_taken(tmp_path: Path, content: dict[str, object], complaint: str) -> None:
    savemat(tmp_path / "net.mat", content)
    with pytest.raises(DataError, match=complaint):
        read_seal(tmp_path / "net.mat", "net")


def test_wild_row_indices_are_refused(tmp_path: Path) -> None:
    net = sparse.csc_matrix((np.ones(2), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
    net.indices[:] = [0, 1_000_000]
    savemat(tmp_path / "net.mat", {"net": net})
    with pytest.raises(DataError, match=r"net\.mat"):
        read_seal(tmp_path / "net.mat", "net")


@pytest.mark.parametrize("content", [b"", b"x" * 500, b"MATLAB 7.3 MAT-file, Platform".ljust(124) + b"\x00\x02IM"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "net.mat").write_bytes(content)
    with pytest.raises(DataError, match=r"net\.mat"):
        read_seal(tmp_path / "net.mat", "net")
