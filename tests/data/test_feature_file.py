"""A features file and its settings are written together, or their fault is named before any work is done."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agdn.data.errors import DataError
from agdn.data.feature_file import place_for, write_features
from agdn.data.names import load_dataset


def test_features_with_settings_beside_them(tmp_path: Path) -> None:
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    beside = write_features(tmp_path / "new" / "x.npy", x, {"dim": 2})
    assert beside == tmp_path / "new" / "x.json"
    np.testing.assert_array_equal(np.load(tmp_path / "new" / "x.npy", allow_pickle=False), x)
    assert json.loads(beside.read_text()) == {"dim": 2}
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["x.json", "x.npy"]


def test_a_note_reaches_the_data_set(tmp_path: Path) -> None:
    write_features(tmp_path / "x.npy", np.ones((1797, 2), np.float32), {"note": "Made by hand."})
    dataset = load_dataset("digits", features=tmp_path / "x.npy")
    assert "Made by hand." in dataset.notes


def test_the_place_is_checked_before(tmp_path: Path) -> None:
    assert place_for(tmp_path / "deep" / "x.npy") == tmp_path / "deep" / "x.json"
    assert (tmp_path / "deep").is_dir()
    with pytest.raises(DataError, match=r"x\.csv must end in \.npy"):
        place_for(tmp_path / "x.csv")
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(DataError, match=r"folder\.npy is a folder"):
        place_for(tmp_path / "folder.npy")
