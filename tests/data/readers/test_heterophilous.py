"""The npz of the heterophilous benchmark."""

from pathlib import Path

import numpy as np
import pytest
import torch

from agdn.data.errors import DataError
from agdn.data.readers.heterophilous import read_heterophilous
from agdn.data.stats import is_symmetric


@pytest.mark.parametrize(
    ("name", "nodes", "pairs"), [("chameleon", 2277, 31371), ("squirrel", 5201, 198353), ("actor", 7600, 26659)]
)
def test_the_published_counts(data_root: Path, name: str, nodes: int, pairs: int) -> None:
    dataset = read_heterophilous(data_root / "heterophilous" / f"{name}.npz", name)
    assert (dataset.graph.num_nodes, dataset.graph.num_edges) == (nodes, 2 * pairs)
    assert is_symmetric(dataset.graph)
    assert len(dataset.splits) == 10
    for split in dataset.splits:
        sizes = [len(split.train) / nodes, len(split.valid) / nodes, len(split.test) / nodes]
        assert sizes == pytest.approx([0.48, 0.32, 0.2], abs=0.01)
        assert len(torch.cat([split.train, split.valid, split.test]).unique()) == nodes
    assert not torch.equal(dataset.splits[0].train, dataset.splits[9].train)


def write(path: Path, **changes: object) -> Path:
    masks = np.array([[True, False, False], [False, True, False]])
    arrays = {
        "node_features": np.eye(3, dtype=np.float32),
        "node_labels": np.array([0, 1, 1]),
        "edges": np.array([[0, 1], [1, 2]]),
        "train_masks": masks,
        "val_masks": masks[:, [2, 0, 1]],
        "test_masks": masks[:, [1, 2, 0]],
    }
    np.savez(path, **{**arrays, **changes})
    return path


def test_two_unbalanced_classes_are_scored_by_auc(tmp_path: Path) -> None:
    assert read_heterophilous(write(tmp_path / "minesweeper.npz"), "minesweeper").metric == "rocauc"
    assert read_heterophilous(write(tmp_path / "actor.npz"), "actor").metric == "accuracy"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"edges": np.array([[0, 1], [1, 3]])}, r"array edges, row 2 joins nodes 1 and 3"),
        ({"edges": np.array([[0.0, 1.0]])}, "rows of two node ids"),
        ({"node_labels": np.array([0, 1])}, "one whole number for each of the 3 nodes"),
        ({"val_masks": np.ones((2, 4), bool)}, r"val_masks must be booleans of shape \(splits, 3\)"),
        ({"test_masks": np.ones((3, 3), bool)}, "different numbers of splits"),
        ({"node_features": np.array([object()], dtype=object)}, "Python objects"),
    ],
)
def test_a_defect_is_named(tmp_path: Path, changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        read_heterophilous(write(tmp_path / "tiny.npz", **changes), "tiny")
