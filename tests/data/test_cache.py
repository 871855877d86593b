"""The cache gives the same dataset, notices changed files, and never stands in the way."""

import os
import time
import warnings
from pathlib import Path

import pytest
import torch

from agdn.data.cache import cache_root, cached, content_key
from agdn.data.dataset import Dataset
from agdn.data.embedded.csbm import csbm
from agdn.data.names import load_dataset


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGDN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "edges.csv"
    path.write_text("0,1\n")
    return path


class Parser:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Dataset:
        self.calls += 1
        return csbm(num_nodes=40)


def test_the_second_load_parses_nothing(cache: Path, source: Path) -> None:
    parse = Parser()
    first, second = cached("csbm", [source], parse), cached("csbm", [source], parse)
    assert parse.calls == 1
    assert torch.equal(first.graph.edge_index, second.graph.edge_index)
    assert torch.equal(first.x, second.x)
    assert torch.equal(first.split.test, second.split.test)
    assert cache_root() == cache


def test_a_changed_file_is_parsed_again(cache: Path, source: Path) -> None:
    parse = Parser()
    cached("csbm", [source], parse)
    key = content_key("csbm", [source])
    os.utime(source, ns=(1, 1))
    assert content_key("csbm", [source]) != key
    cached("csbm", [source], parse)
    assert parse.calls == 2
    assert content_key("other", [source]) != content_key("csbm", [source])


def test_an_unwritable_cache_warns_and_goes_on(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("AGDN_CACHE", str(tmp_path / "file"))
    parse = Parser()
    with pytest.warns(UserWarning, match="could not be cached") as caught:
        assert cached("csbm", [source], parse).graph.num_nodes == 40
    assert len(caught) == 1


def test_a_damaged_entry_is_parsed_again(cache: Path, source: Path) -> None:
    parse = Parser()
    cached("csbm", [source], parse)
    largest = max(cache.rglob("*.npy"), key=lambda path: path.stat().st_size)
    largest.write_bytes(b"\x93NUMPY")
    with pytest.warns(UserWarning, match="parsed again"):
        assert cached("csbm", [source], parse).graph.num_nodes == 40
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cached("csbm", [source], parse).graph.num_nodes == 40
    assert parse.calls == 2


def test_arxiv_is_quick_from_a_warm_cache(cache: Path, data_root: Path) -> None:
    started = time.monotonic()
    cold = load_dataset("ogbn-arxiv", data_root)
    middle = time.monotonic()
    warm = load_dataset("ogbn-arxiv", data_root)
    assert middle - started < 30
    assert time.monotonic() - middle < 1
    assert torch.equal(cold.graph.edge_index, warm.graph.edge_index)
    assert torch.equal(cold.y, warm.y)
    assert (cold.notes, cold.class_names) == (warm.notes, warm.class_names)


def test_a_stored_folder_is_opened_by_its_path(cache: Path, source: Path) -> None:
    cached("csbm", [source], Parser())
    (folder,) = (cache / "parsed").iterdir()
    assert load_dataset(folder).graph.num_nodes == 40
