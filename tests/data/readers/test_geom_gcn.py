"""The text files of Geom-GCN."""

from pathlib import Path

import numpy as np
import pytest

from agdn.data.errors import DataError
from agdn.data.readers.geom_gcn import read_geom_gcn


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out1_node_feature_label.txt").write_text(
        "node_id\tfeature\tlabel\n1\t0,1,1\t2\n0\t1,0,0\t0\n2\t0,0,0\t1\n"
    )
    (tmp_path / "out1_graph_edges.txt").write_text("node_id\tnode_id\n0\t1\n2\t2\n0\t1\n")
    for index in range(2):
        masks = {"train_mask": np.array([1, 0, 0]), "val_mask": np.array([0, 1, 0]), "test_mask": np.array([0, 0, 1])}
        np.savez(tmp_path / f"chameleon_split_0.6_0.2_{index}.npz", **masks)
    return tmp_path


def test_rows_go_to_their_nodes(folder: Path) -> None:
    dataset = read_geom_gcn(folder, "chameleon")
    assert dataset.x.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    assert dataset.y.tolist() == [0, 2, 1]
    assert dataset.graph.edge_index.t().tolist() == [[0, 1], [2, 2]]
    assert len(dataset.splits) == 2
    assert dataset.split.valid.tolist() == [1]


def test_actor_lists_words(folder: Path) -> None:
    (folder / "out1_node_feature_label.txt").write_text("node_id\tfeature\tlabel\n0\t4,1\t0\n1\t0\t1\n2\t2,3\t1\n")
    dataset = read_geom_gcn(folder, "actor")
    assert dataset.x.tolist() == [[0, 1, 0, 0, 1], [1, 0, 0, 0, 0], [0, 0, 1, 1, 0]]


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("out1_graph_edges.txt", "h\n0\t1\n0\t7\n", r"out1_graph_edges.txt, row 2 joins nodes 0 and 7"),
        ("out1_graph_edges.txt", "h\n0 1\n", r"out1_graph_edges.txt, row 2 is not two node ids"),
        ("out1_node_feature_label.txt", "h\n0\t1,0\n", r"row 2 is not a node, its features and its class"),
        ("out1_node_feature_label.txt", "h\n", "lists no nodes"),
        ("out1_node_feature_label.txt", "h\n0\t1\t0\n0\t1\t0\n", "each once"),
        ("out1_node_feature_label.txt", "h\n0\t1\t0\n1\t1,1\t0\n", "different numbers of features"),
    ],
)
def test_a_defect_is_named(folder: Path, file: str, text: str, complaint: str) -> None:
    (folder / file).write_text(text)
    with pytest.raises(DataError, match=complaint):
        read_geom_gcn(folder, "chameleon")
