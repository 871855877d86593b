"""A stored dataset comes back as it was, appears whole or not at all, and damage is named."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data import store
from agdn.data.dataset import Dataset, EdgeSplit, NodeSplit
from agdn.data.errors import DataError
from agdn.graph import Graph

EDGES = torch.tensor([[2, 0, 1, 3, 0], [1, 1, 0, 2, 3]])


def small(**changes: object) -> Dataset:
    fields: dict = {
        "name": "small",
        "graph": Graph(EDGES, 4),
        "target": "class",
        "metric": "accuracy",
        "splits": (NodeSplit(torch.tensor([0, 1]), torch.tensor([2]), torch.tensor([3])),),
        "x": torch.arange(8, dtype=torch.float32).view(4, 2),
        "y": torch.tensor([0, 1, 0, -1]),
        "edge_attr": torch.arange(5, dtype=torch.float32).view(5, 1),
        "node_ids": np.array(["a", "bß", "c,d", ""]),
        "class_names": ("no", "yes"),
        "extra": {"year": torch.tensor([1, 2, 3, 4])},
        "notes": ("Uses external data.",),
    }
    return Dataset(**{**fields, **changes})


def assert_same(left: Dataset, right: Dataset) -> None:
    for name in ("name", "target", "metric", "class_names", "notes"):
        assert getattr(left, name) == getattr(right, name)
    for name in ("x", "y", "edge_attr", "edge_weight"):
        mine, theirs = getattr(left, name), getattr(right, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert mine.dtype == theirs.dtype
            torch.testing.assert_close(mine, theirs, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(left.graph.edge_index, right.graph.edge_index)
    assert torch.equal(left.graph.indices, right.graph.indices)
    assert list(left.extra) == list(right.extra)
    assert all(torch.equal(left.extra[name], right.extra[name]) for name in left.extra)
    assert len(left.splits) == len(right.splits)
    for mine, theirs in zip(left.splits, right.splits, strict=True):
        assert type(mine) is type(theirs)
        for name, value in vars(mine).items():
            other = getattr(theirs, name)
            assert torch.equal(value, other) if isinstance(value, torch.Tensor) else value == other
    assert (left.node_ids is None) == (right.node_ids is None)
    if left.node_ids is not None:
        assert left.node_ids.tolist() == right.node_ids.tolist()


@pytest.mark.parametrize("mmap", [True, False])
def test_comes_back_as_it_was(tmp_path: Path, mmap: bool) -> None:
    store.save(small(), tmp_path / "set", key="k1")
    assert_same(store.open_dataset(tmp_path / "set", mmap=mmap), small())
    assert store.stored_key(tmp_path / "set") == "k1"


def test_transforms_lie_beside_the_arrays(tmp_path: Path) -> None:
    class Doubling:
        def save(self, folder: Path) -> None:
            (folder / "doubling.json").write_text("2")

    store.save(small(), tmp_path, key="", transforms=Doubling())
    assert (store.arrays_folder(tmp_path) / "doubling.json").read_text() == "2"
    assert (store.arrays_folder(tmp_path) / "x.npy").is_file()


def test_edge_split_and_derived_graph(tmp_path: Path) -> None:
    pairs = torch.tensor([[0, 1], [1, 2]])
    split = EdgeSplit(pairs, pairs, pairs, pairs, pairs, negatives_per_edge=1)
    dataset = small(graph=Graph(EDGES, 4).undirected(), target="link", splits=(split,), edge_attr=None, y=None)
    store.save(dataset, tmp_path, key="")
    opened = store.open_dataset(tmp_path)
    assert_same(opened, dataset)
    assert opened.graph.origin is not None
    assert torch.equal(opened.graph.origin, dataset.graph.origin)


def test_empty_arrays_are_mapped_too(tmp_path: Path) -> None:
    nobody = torch.empty(0, dtype=torch.long)
    dataset = small(
        graph=Graph(torch.empty(2, 0, dtype=torch.long), 4),
        edge_attr=None,
        splits=(NodeSplit(nobody, nobody, nobody),),
        x=torch.empty(4, 0),
    )
    store.save(dataset, tmp_path, key="")
    assert_same(store.open_dataset(tmp_path), dataset)


def test_changing_a_mapped_tensor_leaves_the_file(tmp_path: Path) -> None:
    store.save(small(), tmp_path, key="")
    store.open_dataset(tmp_path).x.fill_(7)
    assert_same(store.open_dataset(tmp_path), small())


def test_a_second_save_replaces_the_first_and_leaves_no_rest(tmp_path: Path) -> None:
    store.save(small(), tmp_path, key="one")
    mapped = store.open_dataset(tmp_path)
    store.save(small(name="other"), tmp_path, key="two")
    assert store.open_dataset(tmp_path).name == "other"
    assert len(list(tmp_path.glob("arrays-*"))) == 1
    assert_same(mapped, small())


def test_a_save_that_fails_leaves_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(small(), tmp_path, key="one")
    monkeypatch.setattr(store, "write_bytes", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        store.save(small(name="other"), tmp_path, key="two")
    assert_same(store.open_dataset(tmp_path), small())


SAVE_FOR_EVER = """
import sys
from pathlib import Path
import torch
from agdn.data import store
from agdn.data.dataset import Dataset
from agdn.graph import Graph

graph = Graph(torch.tensor([[0, 1], [1, 0]]), 2)
for number in range(10**9):
    dataset = Dataset(str(number), graph, "numeric", "mae", x=torch.full((2, 9000), float(number)))
    store.save(dataset, sys.argv[1], key=str(number))
    print(number, flush=True)
"""


def test_a_writer_killed_at_any_moment_leaves_a_whole_dataset(tmp_path: Path) -> None:
    writer = subprocess.Popen([sys.executable, "-c", SAVE_FOR_EVER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    first = writer.stdout.readline()
    time.sleep(random.Random(len(first)).random() * 0.2)
    writer.kill()
    writer.wait()
    dataset = store.open_dataset(tmp_path)
    assert store.stored_key(tmp_path) == dataset.name
    assert set(dataset.x.flatten().tolist()) == {float(dataset.name)}
    store.save(small(), tmp_path, key="after")
    assert_same(store.open_dataset(tmp_path), small())


def test_a_first_save_that_was_killed_can_be_repeated(tmp_path: Path) -> None:
    (tmp_path / "arrays-0badcafe").mkdir()
    store.save(small(), tmp_path, key="")
    assert_same(store.open_dataset(tmp_path), small())


@pytest.mark.parametrize(("name", "content"), [("thesis.tex", "years of work"), ("dataset.json", '{"mine": 1}')])
def test_a_folder_that_is_not_ours_is_refused(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=name):
        store.save(small(), tmp_path, key="")
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == content


def array_file(folder: Path, name: str) -> Path:
    return folder / json.loads((folder / "dataset.json").read_text())["folder"] / f"{name}.npy"


def test_a_truncated_array_is_named(tmp_path: Path) -> None:
    store.save(small(), tmp_path, key="")
    path = array_file(tmp_path, "x")
    path.write_bytes(path.read_bytes()[:-4])
    for mmap in (True, False):
        with pytest.raises(DataError, match=r"x\.npy"):
            store.open_dataset(tmp_path, mmap=mmap)


def test_a_missing_array_is_named(tmp_path: Path) -> None:
    store.save(small(), tmp_path, key="")
    array_file(tmp_path, "y").unlink()
    with pytest.raises(DataError, match=r"y\.npy is missing"):
        store.open_dataset(tmp_path)


@pytest.mark.parametrize("changed", [np.zeros((4, 3), np.float32), np.zeros((4, 2), np.float64)])
def test_an_array_of_another_shape_or_type_is_named(tmp_path: Path, changed: np.ndarray) -> None:
    store.save(small(), tmp_path, key="")
    np.save(array_file(tmp_path, "x"), changed)
    with pytest.raises(DataError, match=r"x\.npy .* was stored"):
        store.open_dataset(tmp_path)


@pytest.mark.parametrize(
    ("name", "values"),
    [("graph.indices", [9, 0, 0, 0, 0]), ("graph.order", [0, 0, 1, 2, 3]), ("graph.indptr", [0, 3, 2, 4, 5])],
)
def test_a_graph_that_points_outside_is_refused(tmp_path: Path, name: str, values: list[int]) -> None:
    store.save(small(), tmp_path, key="")
    path = array_file(tmp_path, name)
    np.save(path, np.array(values, dtype=np.load(path).dtype))
    with pytest.raises(DataError, match="damaged"):
        store.open_dataset(tmp_path)


def test_another_format_version_is_refused(tmp_path: Path) -> None:
    store.save(small(), tmp_path, key="k")
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format_version": 99}))
    with pytest.raises(DataError, match="format_version 99"):
        store.open_dataset(tmp_path)
    assert store.stored_key(tmp_path) is None


@pytest.mark.parametrize("folder", ["../elsewhere", "/etc", "arrays-../x"])
def test_arrays_lie_inside_the_folder(tmp_path: Path, folder: str) -> None:
    store.save(small(), tmp_path, key="k")
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"folder": folder}))
    with pytest.raises(DataError, match="folder"):
        store.open_dataset(tmp_path)


@pytest.mark.parametrize("name", ["../x", "a/b", "x\\y"])
def test_array_names_are_plain(tmp_path: Path, name: str) -> None:
    store.save(small(), tmp_path, key="k")
    path = tmp_path / "dataset.json"
    record = json.loads(path.read_text())
    record["arrays"][name] = {"dtype": "<f4", "shape": [1]}
    path.write_text(json.dumps(record))
    with pytest.raises(DataError, match="arrays"):
        store.open_dataset(tmp_path)


def test_an_object_array_is_never_loaded(tmp_path: Path) -> None:
    store.save(small(), tmp_path, key="k")
    np.save(array_file(tmp_path, "x"), np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match=r"x\.npy"):
        store.open_dataset(tmp_path)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
def test_random_bytes_are_no_dataset(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("store")
    (folder / "dataset.json").write_bytes(content)
    with pytest.raises(DataError):
        store.open_dataset(folder)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_random_bytes_are_no_array(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("store")
    store.save(small(), folder, key="")
    path = array_file(folder, "x")
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole) - 1))
    path.write_bytes(whole[:cut] + data.draw(st.binary(max_size=40)))
    try:
        dataset = store.open_dataset(folder, mmap=data.draw(st.booleans()))
    except DataError:
        return
    assert dataset.x.shape == (4, 2)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), max_size=12))
def test_any_ids_come_back(tmp_path_factory: pytest.TempPathFactory, ids: list[str]) -> None:
    folder = tmp_path_factory.mktemp("store")
    graph = Graph(torch.empty(2, 0, dtype=torch.long), len(ids))
    array = np.array(ids, dtype=np.dtypes.StringDType())
    store.save(Dataset("ids", graph, "link", "mrr", node_ids=array), folder, key="")
    assert store.open_dataset(folder).node_ids.tolist() == ids
