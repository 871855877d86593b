"""Planetoid's files: the published counts and split, and the isolated nodes of CiteSeer."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import sparse

from agdn.data.errors import DataError
from agdn.data.readers.planetoid import read_planetoid


@pytest.mark.parametrize(
    ("name", "nodes", "edges", "features", "classes", "train"),
    [
        ("cora", 2708, 10556, 1433, 7, 140),
        ("citeseer", 3327, 9104, 3703, 6, 120),
        ("pubmed", 19717, 88648, 500, 3, 60),
    ],
)
def test_the_published_counts(
    data_root: Path, name: str, nodes: int, edges: int, features: int, classes: int, train: int
) -> None:
    dataset = read_planetoid(data_root / "planetoid", name)
    assert (dataset.graph.num_nodes, dataset.graph.num_edges) == (nodes, edges)
    assert dataset.x.shape == (nodes, features)
    assert dataset.num_classes == classes
    split = dataset.split
    assert [len(split.train), len(split.valid), len(split.test)] == [train, 500, 1000]
    assert torch.bincount(dataset.y[split.train]).tolist() == [20] * classes
    assert bool((dataset.y[split.test] >= 0).all())


def test_citeseer_has_fifteen_nodes_without_features_or_class(data_root: Path) -> None:
    dataset = read_planetoid(data_root / "planetoid", "citeseer")
    unknown = (dataset.y == -1).nonzero().squeeze(1)
    assert len(unknown) == 15
    assert float(dataset.x[unknown].abs().sum()) == 0
    assert not bool(
        torch.isin(unknown, torch.cat([dataset.split.train, dataset.split.valid, dataset.split.test])).any()
    )


def test_pyg_reads_the_same(data_root: Path) -> None:
    """PyG's own reader on Cora, but for the edge order: the same features, classes and split."""
    io = pytest.importorskip("torch_geometric.io")
    theirs = io.read_planetoid_data(str(data_root / "planetoid"), "cora")
    ours = read_planetoid(data_root / "planetoid", "cora")
    assert torch.equal(ours.x, theirs.x)
    assert torch.equal(ours.y, theirs.y)
    assert torch.equal(ours.split.test, theirs.test_mask.nonzero().squeeze(1))
    keys = [edges[0] * 2708 + edges[1] for edges in (ours.graph.edge_index, theirs.edge_index)]
    assert torch.equal(keys[0].sort().values, keys[1].sort().values)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six nodes: two training, two more known, two test nodes listed backwards."""
    x = sparse.eye(6, format="csr", dtype=np.float32)
    y = np.eye(2)[[0, 1, 0, 1, 0, 1]]
    parts = {"x": x[:2], "allx": x[:4], "tx": x[[5, 4]], "y": y[:2], "ally": y[:4], "ty": y[[5, 4]]}
    parts["graph"] = {0: [1, 2, 0], 1: [0, 0], 5: [4]}
    for part, value in parts.items():
        (tmp_path / f"ind.tiny.{part}").write_bytes(pickle.dumps(value, protocol=2))
    (tmp_path / "ind.tiny.test.index").write_text("5\n4\n")
    return tmp_path


def test_test_rows_go_to_their_nodes(folder: Path) -> None:
    dataset = read_planetoid(folder, "tiny")
    assert torch.equal(dataset.x, torch.eye(6))
    assert dataset.y.tolist() == [0, 1, 0, 1, 0, 1]
    edges = {tuple(edge) for edge in dataset.graph.edge_index.t().tolist()}
    assert edges == {(0, 1), (1, 0), (0, 2), (2, 0), (4, 5), (5, 4)}
    assert dataset.split.valid.tolist() == [2, 3]


def test_missing_files_are_listed(folder: Path) -> None:
    (folder / "ind.tiny.tx").unlink()
    (folder / "ind.tiny.graph").unlink()
    with pytest.raises(DataError, match=r"lacks ind.tiny.tx, ind.tiny.graph; a Planetoid set needs all eight"):
        read_planetoid(folder, "tiny")


@pytest.mark.parametrize(
    ("part", "value", "complaint"),
    [
        ("graph", {0: [9]}, "joins nodes 0 and 9"),
        ("graph", {0: ["a"]}, "something other than node ids"),
        ("graph", [1, 2], "dictionary from node to list"),
        ("allx", np.eye(4), "sparse matrix of features"),
        ("ally", np.arange(4), "one-hot labels"),
        ("ally", np.eye(2)[[0, 1]], "different lengths"),
    ],
)
def test_a_defect_is_named(folder: Path, part: str, value: object, complaint: str) -> None:
    (folder / f"ind.tiny.{part}").write_bytes(pickle.dumps(value, protocol=2))
    with pytest.raises(DataError, match=complaint):
        read_planetoid(folder, "tiny")


@pytest.mark.parametrize("text", ["4\nx\n", "4\n4\n", "4\n", "4\n999999999999999999999\n", "4\n10\n", "0\n4\n"])
def test_bad_test_ids_are_refused(folder: Path, text: str) -> None:
    (folder / "ind.tiny.test.index").write_text(text)
    with pytest.raises(DataError, match=r"ind.tiny.test.index"):
        read_planetoid(folder, "tiny")


class Attack:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.marker}",)


@pytest.mark.parametrize("part", ["x", "tx", "allx", "y", "ty", "ally", "graph"])
def test_code_in_any_file_is_not_run(folder: Path, part: str) -> None:
    before = sorted(folder.iterdir())
    (folder / f"ind.tiny.{part}").write_bytes(pickle.dumps(Attack(folder / "marker"), protocol=2))
    if part == "x":  # nothing in x is not in allx too, so the file is not opened
        read_planetoid(folder, "tiny")
    else:
        with pytest.raises(DataError, match="system"):
            read_planetoid(folder, "tiny")
    assert sorted(folder.iterdir()) == before
