"""New tables after an import: the same features, alone or joined to the graph of the import."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from agdn.data.errors import DataError
from agdn.data.tables import Imported, import_tables
from agdn.data.tables.new_rows import new_rows

NODES = {"id": ["a", "b", "c", "d"], "size": [1, 2, 3, 4], "kind": ["x", "y", "x", "y"]}
EDGES = {"source": ["a", "b", "c"], "target": ["b", "c", "d"], "w": [1.0, 2.0, 3.0], "kind": ["s", "t", "s"]}


def imported(**options: Any) -> Imported:
    chosen = {"target": "kind", "weight_column": "w", "edge_features": "kind", "fractions": (0.5, 0.25, 0.25)}
    return import_tables(NODES, EDGES, **{**chosen, "split_by": "random", **options})


def test_the_same_rows_are_the_same_signals() -> None:
    old = imported()
    new = new_rows(old.record, {key: NODES[key] for key in ("id", "size")}, EDGES, old.dataset)
    assert torch.equal(new.dataset.x, old.dataset.x)
    assert torch.equal(new.dataset.graph.edge_index, old.dataset.graph.edge_index)
    assert torch.equal(new.dataset.edge_weight, old.dataset.edge_weight)
    assert torch.equal(new.dataset.edge_attr, old.dataset.edge_attr)
    assert new.rows.tolist() == [0, 1, 2, 3]


def test_new_nodes_stand_behind_the_old_ones() -> None:
    old = imported()
    edges = {"source": ["e"], "target": ["a"], "w": [7.0], "kind": ["t"]}
    new = new_rows(old.record, {"id": ["e"], "size": [2]}, edges, old.dataset)
    assert new.rows.tolist() == [4]
    assert new.dataset.node_ids.tolist() == ["a", "b", "c", "d", "e"]
    assert torch.equal(new.dataset.x[4], old.dataset.x[1])
    assert new.dataset.graph.num_edges == old.dataset.graph.num_edges + 2
    assert new.dataset.edge_weight[-2:].tolist() == [7.0, 7.0]
    assert torch.equal(new.dataset.edge_attr[:6], old.dataset.edge_attr)


def test_directed_edges_stay_directed() -> None:
    old = imported(directed=True)
    edges = {"source": ["e"], "target": ["a"], "w": [7.0], "kind": ["t"]}
    new = new_rows(old.record, {"id": ["e"], "size": [2]}, edges, old.dataset)
    assert new.dataset.graph.edge_index[:, -1].tolist() == [4, 0]
    assert new.dataset.graph.num_edges == 4


@pytest.mark.parametrize(
    ("nodes", "edges", "sentence"),
    [
        ({"id": ["e"]}, EDGES, "no column 'size'"),
        ({"id": ["e", "e"], "size": [1, 1]}, EDGES, "repeats the id 'e'"),
        ({"id": ["e"], "size": [1]}, {"source": ["e"], "target": ["f"], "w": [1], "kind": ["s"]}, "names the node 'f'"),
        ({"id": ["e"], "size": [1]}, {"source": ["e"], "target": ["a"], "kind": ["s"]}, "no column 'w'"),
        ({"id": ["e", "a"], "size": [1, 1]}, {**EDGES}, "holds the node 'a' of the old data"),
    ],
)
def test_a_mistake_is_one_sentence(nodes: dict[str, Any], edges: dict[str, Any], sentence: str) -> None:
    old = imported()
    with pytest.raises(DataError, match=sentence):
        new_rows(old.record, nodes, edges, old.dataset)


def test_without_the_old_data_edges_lie_among_the_new_nodes() -> None:
    old = imported()
    edges = {"source": ["e"], "target": ["a"], "w": [7.0], "kind": ["t"]}
    with pytest.raises(DataError, match="names the node 'a', which the node table lacks"):
        new_rows(old.record, {"id": ["e"], "size": [2]}, edges)
