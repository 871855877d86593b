"""A file is replaced whole or stays as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agdn.data.atomic import replacing, write_array, write_bytes


def test_the_new_content_takes_the_place_of_the_old(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a", b"old")
    write_bytes(tmp_path / "a", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"new")]


def test_a_failure_leaves_the_old_and_no_rest(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a", b"old")

    def half_done() -> None:
        with replacing(tmp_path / "a") as file:
            file.write(b"half of the n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half_done()
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"old")]


def test_an_object_array_is_never_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Object arrays"):
        write_array(tmp_path / "a.npy", np.array([{}], dtype=object))
    assert list(tmp_path.iterdir()) == []
