"""``load_dataset`` end to end."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from agdn.data import load_dataset as exported
from agdn.data.catalogue import EMBEDDED
from agdn.data.errors import DataError
from agdn.data.names import data_root as root_of
from agdn.data.names import dataset_names, load_dataset


@pytest.mark.parametrize(
    ("name", "nodes", "edges", "splits"),
    [
        ("cora", 2708, 10556, 1),
        ("CiteSeer", 3327, 9104, 1),
        ("PUBMED", 19717, 88648, 1),
        ("chameleon", 2277, 62742, 10),
        ("squirrel", 5201, 396706, 10),
        ("actor", 7600, 53318, 10),
        ("amazon-photo", 7650, 238162, 1),
        ("amazon-computers", 13752, 491722, 1),
        ("coauthor-cs", 18333, 163788, 1),
        ("ogbn-arxiv", 169343, 1166243, 1),
        ("ogbl-ddi", 4267, 2135822, 1),
    ],
)
def test_every_shared_set_loads_by_name(data_root: Path, name: str, nodes: int, edges: int, splits: int) -> None:
    dataset = load_dataset(name, data_root, split=None, cache=False)
    assert (dataset.name, dataset.graph.num_nodes, dataset.graph.num_edges) == (name.lower(), nodes, edges)
    assert len(dataset.splits) == splits


@pytest.mark.parametrize(("name", "links"), [("usair", 2126), ("ns", 2742), ("celegans", 2148), ("power", 6594)])
def test_the_seal_graphs_are_split_by_seed(data_root: Path, name: str, links: int) -> None:
    dataset = load_dataset(name, data_root, cache=False)
    split = dataset.split
    assert split.train.size(1) + split.valid.size(1) + split.test.size(1) == links
    assert dataset.graph.num_edges == 2 * split.train.size(1)
    assert split.test.size(1) == pytest.approx(0.1 * links, abs=1)
    assert torch.equal(split.test, load_dataset(name, data_root, cache=False).split.test)
    assert not torch.equal(split.test, load_dataset(name, data_root, seed=1, cache=False).split.test)


def test_a_published_split_is_chosen(data_root: Path) -> None:
    third = load_dataset("actor", data_root, split=3, cache=False)
    everything = load_dataset("actor", data_root, split=None, cache=False)
    assert len(third.splits) == 1
    assert torch.equal(third.split.train, everything.splits[3].train)
    with pytest.raises(ValueError, match=r"splits 0..9, not 10"):
        load_dataset("actor", data_root, split=10, cache=False)


def test_amazon_takes_twenty_and_thirty_a_class_by_seed(data_root: Path) -> None:
    dataset = load_dataset("amazon-photo", data_root, seed=5, cache=False)
    assert torch.bincount(dataset.y[dataset.split.train]).tolist() == [20] * 8
    assert torch.bincount(dataset.y[dataset.split.valid]).tolist() == [30] * 8


def test_features_replace_or_join(data_root: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "xrt.npy", np.ones((2708, 3), np.float16))
    alone = load_dataset("cora", data_root, features=tmp_path / "xrt.npy", cache=False)
    beside = load_dataset("cora", data_root, features=tmp_path / "xrt.npy", join_features=True, cache=False)
    assert (alone.x.shape, beside.x.shape) == ((2708, 3), (2708, 1436))
    assert alone.notes == ("node features from xrt.npy in place of the built-in ones",)
    assert beside.notes == ("node features from xrt.npy joined to the built-in ones",)
    np.save(tmp_path / "guesses.npy", np.zeros((2708, 2)))
    both = [tmp_path / "xrt.npy", str(tmp_path / "guesses.npy")]
    several = load_dataset("cora", data_root, features=both, cache=False)
    assert several.x[0].tolist() == [1, 1, 1, 0, 0]
    assert several.notes == tuple(
        f"node features from {name}.npy in place of the built-in ones" for name in ("xrt", "guesses")
    )
    assert load_dataset("cora", data_root, features=both, join_features=True, cache=False).x.shape == (2708, 1438)
    with pytest.raises(DataError, match="name one file of node features, or several, or leave it out"):
        load_dataset("cora", data_root, features=[], cache=False)
    with pytest.raises(DataError, match="join_features needs features"):
        load_dataset("cora", data_root, join_features=True, cache=False)


def test_a_folder_in_ogb_layout_is_taken_as_it_is(data_root: Path) -> None:
    assert load_dataset(data_root / "ogbl_ddi", cache=False).name == "ogbl-ddi"
    with pytest.raises(DataError, match="neither a folder nor the name"):
        load_dataset(data_root / "nothing", cache=False)


@pytest.mark.parametrize("name", ["digits", "csbm", "rmat", "long-range", "edge-task"])
def test_embedded_sets_need_no_files(name: str, tmp_path: Path) -> None:
    dataset = load_dataset(name, tmp_path)
    assert dataset.name == name
    assert dataset.splits
    assert list(tmp_path.iterdir()) == []


def test_embedded_sets_take_options() -> None:
    assert load_dataset("csbm", options={"num_nodes": 50, "num_classes": 2}).graph.num_nodes == 50
    with pytest.raises(DataError, match="csbm has no option 'nodes'; it has num_nodes, "):
        load_dataset("csbm", options={"nodes": 50})
    with pytest.raises(DataError, match="wrong type"):
        load_dataset("csbm", options={"num_nodes": "many"})
    with pytest.raises(DataError, match="options are for the embedded sets"):
        load_dataset("cora", options={"num_nodes": 50})


def test_the_root_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AGDN_DATA", str(tmp_path))
    assert root_of() == tmp_path
    monkeypatch.delenv("AGDN_DATA")
    monkeypatch.setenv("AGDN_CACHE", str(tmp_path / "c"))
    assert root_of() == tmp_path / "c" / "data"
    assert root_of("there") == Path("there")


def test_naming_a_set_imports_nothing_heavy() -> None:
    """PyG, scikit-learn, pandas and pyarrow are imported where they are used, and not before."""
    heavy = "torch_geometric", "sklearn", "pandas", "pyarrow", "ogb"
    code = f"import sys, agdn.data.names; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_every_name_without_its_files_says_where_they_go(tmp_path: Path) -> None:
    assert len(dataset_names()) == len(set(dataset_names())) >= 35
    for name in set(dataset_names()) - set(EMBEDDED):
        with pytest.raises(DataError, match=f"{name} was not found in {tmp_path}.*put "):
            exported(name, tmp_path)


def test_the_note_beside_a_features_file_is_carried(tmp_path) -> None:
    import numpy as np

    features = tmp_path / "text.npy"
    np.save(features, np.zeros((1797, 3), dtype=np.float32))
    features.with_suffix(".json").write_text('{"note": "text is external data"}')
    assert "text is external data" in load_dataset("digits", features=features).notes
    features.with_suffix(".json").write_text("[1]")
    with pytest.raises(DataError, match=r"text\.json is not the settings file of text\.npy"):
        load_dataset("digits", features=features)
