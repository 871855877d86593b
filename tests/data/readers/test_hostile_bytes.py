"""Whatever bytes lie in a file, a reader gives a dataset or our own error, and writes nothing."""

import gzip
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import savemat

from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.names import READERS, _reader
from agdn.data.readers.features import read_features

MASKS = np.array([[True, False, False]])
MATRIX = sparse.csr_matrix(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], np.float64))


def _files(folder: Path) -> dict[str, tuple[Path, str, list[Path]]]:
    """For every format: what its reader is given, the name of the set, and the files to damage."""
    import pickle

    np.savez(
        folder / "heterophilous.npz",
        node_features=np.eye(3, dtype=np.float32),
        node_labels=np.array([0, 1, 1]),
        edges=np.array([[0, 1]]),
        **dict.fromkeys(("train_masks", "val_masks", "test_masks"), MASKS),
    )
    parts = ("data", "indices", "indptr", "shape")
    arrays = {f"{key}_{part}": np.asarray(getattr(MATRIX, part)) for key in ("adj", "attr") for part in parts}
    np.savez(folder / "shchur.npz", labels=np.array([0, 1, 0]), **arrays)
    savemat(folder / "seal.mat", {"net": MATRIX.tocsc()})
    planetoid = {"x": MATRIX[:1], "allx": MATRIX[:2], "tx": MATRIX[2:], "graph": {0: [1], 1: [2]}}
    planetoid |= {"y": np.eye(2)[:1], "ally": np.eye(2), "ty": np.eye(2)[:1]}
    for part, value in planetoid.items():
        (folder / f"ind.cora.{part}").write_bytes(pickle.dumps(value, protocol=2))
    (folder / "ind.cora.test.index").write_text("2\n")
    ogb = folder / "ogbl_ddi"
    (ogb / "raw").mkdir(parents=True)
    (ogb / "split/target").mkdir(parents=True)
    tables = {"edge": "0,1\n1,2\n", "num-node-list": "3\n", "num-edge-list": "2\n"}
    for name, text in tables.items():
        (ogb / f"raw/{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    for part in ("train", "valid", "test"):
        pairs = {"edge": np.array([[0, 2]]), "edge_neg": torch.tensor([[0, 0]])}
        torch.save(pairs, ogb / f"split/target/{part}.pt")
    geom = folder / "geom"
    geom.mkdir()
    (geom / "out1_node_feature_label.txt").write_text("h\n0\t1,0\t0\n1\t0,1\t1\n")
    (geom / "out1_graph_edges.txt").write_text("h\n0\t1\n")
    masks = dict.fromkeys(("train_mask", "val_mask", "test_mask"), np.array([1, 0]))
    np.savez(geom / "chameleon_split_0.6_0.2_0.npz", **masks)
    return {
        "heterophilous": (folder / "heterophilous.npz", "actor", [folder / "heterophilous.npz"]),
        "shchur": (folder / "shchur.npz", "amazon-photo", [folder / "shchur.npz"]),
        "seal": (folder / "seal.mat", "usair", [folder / "seal.mat"]),
        "planetoid": (folder, "cora", sorted(folder.glob("ind.*"))),
        "ogb": (ogb, "ogbl-ddi", sorted(path for path in ogb.rglob("*") if path.is_file())),
        "geom_gcn": (geom, "chameleon", sorted(geom.iterdir())),
    }


@pytest.fixture
def formats(tmp_path: Path) -> dict[str, tuple[Path, str, list[Path]]]:
    return _files(tmp_path)


def test_every_format_is_here(formats: dict[str, tuple[Path, str, list[Path]]]) -> None:
    assert set(formats) == set(READERS)
    for name, (path, dataset, _) in formats.items():
        assert isinstance(_reader(name)(path, dataset), Dataset)


@pytest.mark.parametrize("name", sorted(READERS))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_or_random_files(
    formats: dict[str, tuple[Path, str, list[Path]]], tmp_path: Path, name: str, data: st.DataObject
) -> None:
    path, dataset, files = formats[name]
    file = data.draw(st.sampled_from(files))
    whole = file.read_bytes()
    if data.draw(st.booleans()):
        content = data.draw(st.binary(max_size=80))
    else:
        damaged = bytearray(whole)
        for _ in range(data.draw(st.integers(1, 5))):
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
        content = bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    before = sorted(tmp_path.rglob("*"))
    file.write_bytes(content)
    try:
        with suppress(DataError):
            assert isinstance(_reader(name)(path, dataset), Dataset)
    finally:
        file.write_bytes(whole)
    assert sorted(tmp_path.rglob("*")) == before


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=200), suffix=st.sampled_from([".npy", ".npz", ".txt"]))
def test_random_feature_files(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"features{suffix}"
    path.write_bytes(content)
    with suppress(DataError):
        assert read_features(path, 3).shape[0] == 3
    path.unlink()
    assert list(tmp_path.iterdir()) == []
