"""Texts about nodes become features through the encoders of tables, or their fault is named."""

from __future__ import annotations

import json
import lzma
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data import text
from agdn.data.errors import DataError
from agdn.data.text import TextSource, read_guesses, read_texts, text_features

TEXTS = ["graphs and nodes", "nodes and edges", "pots and pans"]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {"text": "texts.jsonl.xz", "guesses": "guesses.csv"}
    monkeypatch.setattr(text, "SOURCES", {"small": TextSource("small/text", files, 3, "somebody's texts")})
    folder = tmp_path / "small" / "text"
    folder.mkdir(parents=True)
    lines = [json.dumps({"node": node, "text": TEXTS[node]}) for node in (2, 0, 1)]
    (folder / "texts.jsonl.xz").write_bytes(lzma.compress("\n".join(lines).encode()))
    (folder / "guesses.csv").write_text("1,0\n0\n2,1,0\n")
    return tmp_path


def test_both_parts_side_by_side(root: Path) -> None:
    features = text_features("small", root, width=2)
    assert features.x.shape == (3, 5)
    assert features.x.dtype == np.float32
    np.testing.assert_allclose(features.x[:, 2:], [[0.5, 1, 0], [1, 0, 0], [1 / 3, 0.5, 1]])
    assert features.settings["columns"] == {"text": 2, "guesses": 3}
    assert "external data" in features.settings["note"]


def test_one_part_alone(root: Path) -> None:
    assert text_features("small", root, parts=["guesses"]).x.shape == (3, 3)


def test_saved_with_its_settings(root: Path) -> None:
    features = text_features("small", root, width=2)
    settings = features.save(root / "new folder" / "x.npy")
    np.testing.assert_array_equal(np.load(root / "new folder" / "x.npy"), features.x)
    assert json.loads(settings.read_text()) == features.settings
    with pytest.raises(DataError, match=r"must end in \.npy"):
        features.save(root / "x.csv")


def test_unknown_sets_and_parts(root: Path) -> None:
    with pytest.raises(DataError, match="no texts about 'large'; they are known for small"):
        text_features("large", root)
    with pytest.raises(DataError, match="parts must be some of text, guesses"):
        text_features("small", root, parts=["titles"])
    with pytest.raises(DataError, match=r"texts\.jsonl\.xz is missing"):
        text_features("small", root / "elsewhere")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"node": 0, "text": "a"}\n', "no line for node 1"),
        ('{"node": 0, "text": "a"}\n{"node": 0, "text": "b"}\n', "line 2 repeats node 0"),
        ('{"node": 2, "text": "a"}\n', "line 1: node must be one of 0..1"),
        ('{"node": "0", "text": "a"}\n', "line 1: node must be"),
        ('{"node": 0}\n', "line 1 is not"),
        ("nonsense\n", "line 1 is not"),
    ],
)
def test_faulty_texts_are_named(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text(content)
    with pytest.raises(DataError, match=rf"texts\.jsonl.*{sentence}"):
        read_texts(path, 2)


@pytest.mark.parametrize(("content", "sentence"), [("1\n", "has 1 lines"), ("1\nx\n", "line 2 is 'x'")])
def test_faulty_guesses_are_named(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "guesses.csv"
    path.write_text(content)
    with pytest.raises(DataError, match=sentence):
        read_guesses(path, 2)


@settings(max_examples=60, deadline=None)
@given(content=st.binary(max_size=100), ending=st.sampled_from([".jsonl", ".jsonl.xz"]))
def test_random_bytes_are_no_texts(tmp_path_factory: pytest.TempPathFactory, content: bytes, ending: str) -> None:
    path = tmp_path_factory.mktemp("text") / f"texts{ending}"
    path.write_bytes(content)
    with pytest.raises(DataError):
        read_texts(path, 2)


def test_ranked_guesses_of_arxiv() -> None:
    root = os.environ.get("AGDN_DATA")
    if not root:
        pytest.skip("AGDN_DATA does not name the folder of real data sets")
    features = text_features("ogbn-arxiv", root, parts=["guesses"])
    assert features.x.shape == (169_343, 39)
    first = read_guesses(Path(root) / "ogbn_arxiv/text/gpt_preds_ogbn-arxiv.csv", 169_343)[0]
    best = int(first.split(",")[0])
    assert best == 24
    assert features.x[0].max() == 1.0
