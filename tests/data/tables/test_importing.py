"""Tables through import, store and load: nothing lost, the second time for free, faults in a sentence."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data import store
from agdn.data.dataset import EdgeSplit, NodeSplit
from agdn.data.errors import DataError
from agdn.data.tables import ImportRecord, import_tables

NODES = """id,age,city,part,label
a,1,X,train,p
b,,Y,train,q
c,3,X,valid,p
d,40,Z,test,q
"""
EDGES = """source,target,w,kind
a,b,1,x
b,c,2,y
c,a,3,x
d,d,4,x
b,a,5,y
"""
OPTIONS = {"target": "label", "split_column": "part", "weight_column": "w", "edge_features": ["kind"]}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
    nodes.write_text(NODES)
    edges.write_text(EDGES)
    return nodes, edges


def test_a_small_table_by_hand(files: tuple[Path, Path]) -> None:
    dataset = import_tables(*files, directed=True, **OPTIONS).dataset
    assert dataset.node_ids.tolist() == ["a", "b", "c", "d"]
    assert dataset.class_names == ("p", "q")
    assert dataset.y.tolist() == [0, 1, 0, 1]
    assert isinstance(dataset.split, NodeSplit)
    assert [part.tolist() for part in vars(dataset.split).values()] == [[0, 1], [2], [3]]
    assert dataset.graph.edge_index.tolist() == [[0, 1, 2, 3, 1], [1, 2, 0, 3, 0]]
    assert dataset.edge_weight.tolist() == [1, 2, 3, 4, 5]
    assert dataset.edge_attr.tolist() == [[1, 0], [0, 1], [1, 0], [1, 0], [0, 1]]
    assert dataset.x.tolist() == [[0, 0, 1, 0, 0], [0, 1, 0, 1, 0], [2, 0, 1, 0, 0], [39, 0, 0, 0, 1]]


def test_undirected_edges_run_both_ways_with_their_signals(files: tuple[Path, Path]) -> None:
    imported = import_tables(*files, **OPTIONS)
    graph = imported.dataset.graph
    signals = dict(zip(map(tuple, graph.edge_index.T.tolist()), imported.dataset.edge_weight.tolist(), strict=True))
    assert signals == {(0, 1): 1, (1, 2): 2, (2, 0): 3, (3, 3): 4, (1, 0): 5, (2, 1): 2, (0, 2): 3}
    assert imported.record.remarks == ("1 edges that repeat an earlier one were merged with it",)
    assert graph.origin is None


def test_new_rows_become_the_same_features(files: tuple[Path, Path], tmp_path: Path) -> None:
    dataset = import_tables(*files, out=tmp_path / "out", **OPTIONS).dataset
    record = ImportRecord.open(tmp_path / "out")
    assert record.options.target == ("label",)
    np.testing.assert_array_equal(record.nodes.apply(files[0]), dataset.x)
    new = record.nodes.apply({"id": ["n"], "age": ["3"], "city": ["unheard of"]})
    assert new.tolist() == [[2, 0, 0, 0, 0]]
    assert record.edges.apply(files[1]).shape == (5, 2)


def test_the_same_import_again_is_opened(files: tuple[Path, Path], tmp_path: Path) -> None:
    first = import_tables(*files, out=tmp_path / "out", **OPTIONS)
    again = import_tables(*files, out=tmp_path / "out", **OPTIONS)
    assert (first.from_store, again.from_store) == (False, True)
    assert again.record.node_roles == first.record.node_roles
    assert torch.equal(again.dataset.x, first.dataset.x)
    assert not import_tables(*files, out=tmp_path / "out", seed=1, **OPTIONS).from_store
    files[1].write_text(EDGES + "a,d,1,x\n")
    assert not import_tables(*files, out=tmp_path / "out", seed=1, **OPTIONS).from_store


def test_links_from_edges_alone(files: tuple[Path, Path]) -> None:
    imported = import_tables(None, files[1], fractions=(0.34, 0.33, 0.33), directed=True, ignore=[])
    dataset = imported.dataset
    assert (dataset.target, dataset.x, dataset.y) == ("link", None, None)
    assert isinstance(dataset.split, EdgeSplit)
    assert torch.equal(dataset.graph.edge_index, dataset.split.train)
    assert "1 self-loops were left out" in imported.record.remarks[0]


def test_links_with_edge_signals_follow_their_edges(tmp_path: Path) -> None:
    edges = {"a": [f"n{i}" for i in range(30)], "b": [f"n{i + 1}" for i in range(30)], "w": list(range(30))}
    dataset = import_tables(None, edges, weight_column="w", edge_features=["w"], directed=True).dataset
    names = dataset.node_ids[dataset.graph.edge_index[0].numpy()]
    assert [int(name[1:]) for name in names] == dataset.edge_weight.tolist()
    assert dataset.edge_attr.shape == (dataset.graph.num_edges, 1)


def test_a_split_by_time_keeps_the_times(files: tuple[Path, Path]) -> None:
    nodes = {"id": range(10), "year": [2000 + row for row in range(10)], "label": ["x", "y"] * 5}
    dataset = import_tables(
        nodes, {"source": [0], "target": [1]}, target="label", split_by="time", time_column="year"
    ).dataset
    assert dataset.split.train.tolist() == [0, 1, 2, 3, 4, 5]
    assert dataset.extra["year"].tolist() == nodes["year"]
    assert dataset.x is None


def test_training_rows_alone_may_give_the_vocabulary(files: tuple[Path, Path]) -> None:
    everyone = import_tables(*files, **OPTIONS).dataset.x.shape[1]
    training = import_tables(*files, vocabulary="train", **OPTIONS).dataset.x.shape[1]
    assert everyone - training == 1


def test_parquet_gives_the_same_dataset(files: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the parquet extra is not installed")
    from pyarrow import csv as arrow_csv
    from pyarrow import parquet

    for path in files:
        parquet.write_table(arrow_csv.read_csv(path), path.with_suffix(".parquet"))
    ours = import_tables(*files, **OPTIONS).dataset
    theirs = import_tables(*(path.with_suffix(".parquet") for path in files), **OPTIONS).dataset
    assert torch.equal(ours.x, theirs.x)
    assert torch.equal(ours.graph.edge_index, theirs.graph.edge_index)
    assert ours.node_ids.tolist() == theirs.node_ids.tolist()


@pytest.mark.parametrize(
    ("nodes", "edges", "options", "sentence"),
    [
        (NODES + "a,1,X,train,p\n", EDGES, {}, r"nodes\.csv, row 6 repeats the id 'a'"),
        (NODES, EDGES + "a,zed,1,x\n", {}, r"edges\.csv, row 7 names the node 'zed'"),
        (NODES, EDGES, {"numeric": ["city"]}, r"nodes\.csv, row 2, column 'city': 'X' is no number"),
        (NODES, EDGES, {"target": "class"}, "no column 'class'; its columns are id, age, city, part, label"),
        (NODES, EDGES, {"target": "city", "numeric": ["agee"]}, "no column 'agee'"),
        (NODES, EDGES, {"categorical": ["label"]}, "column 'label' is the target and cannot be a feature"),
        (NODES, EDGES, {"weight_column": "kind"}, r"edges\.csv, row 2, column 'kind': 'x' is no number"),
        (NODES, EDGES, {"edge_features": ["colour"]}, r"edges\.csv has no column 'colour'"),
        (NODES, EDGES, {"source_column": "begin"}, r"edges\.csv has no column 'begin'"),
        (NODES.replace("valid", "later"), EDGES, {}, r"row 4, column 'part': 'later' is none of"),
        (NODES.replace("valid", "train"), EDGES, {}, "the valid part of the split is empty"),
        (NODES.replace(",q", ",p"), EDGES, {}, "single class 'p'"),
        ("", EDGES, {}, r"nodes\.csv is empty"),
        (NODES[: NODES.index("a,")], EDGES, {}, r"nodes\.csv has a header but no rows"),
        (NODES, "", {}, r"edges\.csv is empty"),
    ],
)
def test_faults_are_named(tmp_path: Path, nodes: str, edges: str, options: dict, sentence: str) -> None:
    (tmp_path / "nodes.csv").write_text(nodes)
    (tmp_path / "edges.csv").write_text(edges)
    with pytest.raises(DataError, match=sentence):
        import_tables(tmp_path / "nodes.csv", tmp_path / "edges.csv", out=tmp_path / "out", **(OPTIONS | options))
    assert not (tmp_path / "out").exists()


def test_a_target_needs_nodes() -> None:
    with pytest.raises(DataError, match="needs a table of nodes"):
        import_tables(None, {"a": [1], "b": [2]}, target="label")


def test_a_folder_that_is_not_ours_is_refused_before_any_work(files: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    stages: list[str] = []
    with pytest.raises(DataError, match=r"thesis\.tex"):
        import_tables(*files, out=tmp_path / "out", progress=lambda stage, _: stages.append(stage), **OPTIONS)
    assert stages == []


def test_progress_reaches_the_end(files: tuple[Path, Path]) -> None:
    seen: dict[str, float] = {}
    import_tables(*files, progress=seen.__setitem__, **OPTIONS)
    assert seen == {"nodes": 1.0, "edges": 1.0}


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6)

AGES = st.none() | st.floats(width=32, allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_table_comes_back(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("tables")
    ids = data.draw(st.lists(WORDS, min_size=6, max_size=15, unique=True))
    count = len(ids)
    ages = data.draw(
        st.lists(st.none() | st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=count, max_size=count)
    )
    texts = data.draw(
        st.lists(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=count, max_size=count
        )
    )
    labels = ["one", "two"] * count
    pairs = data.draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=30))
    with (folder / "nodes.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["id", "age", "note", "label"])
        writer.writerows(
            [ids[row], "" if ages[row] is None else repr(ages[row]), texts[row], labels[row]] for row in range(count)
        )
    with (folder / "edges.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("source", "target"), *pairs])
    options = {"target": "label", "numeric": ["age"], "text": ["note"], "directed": True, "fractions": (0.4, 0.3, 0.3)}
    imported = import_tables(folder / "nodes.csv", folder / "edges.csv", out=folder / "out", **options)
    stored = store.open_dataset(folder / "out")
    names = [str(value) for value in stored.node_ids.tolist()]
    assert names == ids
    assert [(names[a], names[b]) for a, b in stored.graph.edge_index.T.tolist()] == pairs
    assert [stored.class_names[label] for label in stored.y.tolist()] == labels[:count]
    everyone = torch.cat([stored.split.train, stored.split.valid, stored.split.test])
    assert sorted(everyone.tolist()) == list(range(count))
    assert torch.isfinite(stored.x).all()
    np.testing.assert_array_equal(imported.record.nodes.apply(folder / "nodes.csv"), stored.x)
