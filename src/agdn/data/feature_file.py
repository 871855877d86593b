"""Node features as a file of their own: ``.npy``, and beside it a ``.json`` that says how they were made.

A ``note`` in the settings is repeated by every result that uses the features. Features that know the labels of nodes
say of which, and no run whose training nodes are others can use them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agdn.data.atomic import write_array, write_bytes
from agdn.data.errors import DataError

SEEN_LABELS = "training_nodes_sha256"


def place_for(path: Path) -> Path:
    """Make the folder of a features file; returns where its settings go. Worth a call before hours of work."""
    if path.suffix != ".npy":
        raise DataError(f"{path} must end in .npy; the settings go into a .json of the same name")
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file to write the features to")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_suffix(".json")


def write_features(path: Path, x: np.ndarray, settings: Mapping[str, Any]) -> Path:
    """Write (N, F) features and their settings, each whole or not at all; returns the path of the settings."""
    beside = place_for(path)
    write_array(path, x)
    write_bytes(beside, json.dumps(dict(settings), indent=1).encode())
    return beside


def seen_labels(train: np.ndarray) -> dict[str, str]:
    """What the settings of features say that were made with the labels of the nodes ``train``."""
    return {SEEN_LABELS: hashlib.sha256(np.sort(train).astype("<i8").tobytes()).hexdigest()}


def check_seen_labels(path: Path, train: np.ndarray) -> None:
    """Refuse features that know labels of other nodes than those that train."""
    settings = read_settings(path)
    if SEEN_LABELS in settings and settings[SEEN_LABELS] != seen_labels(train)[SEEN_LABELS]:
        raise DataError(
            f"{path.name} was made with the labels of other training nodes than those of this split, and would give "
            "answers away; use it with the published split, or make features without --classes"
        )


def read_settings(path: Path) -> dict[str, Any]:
    """What stands beside a features file; nothing where there is none."""
    beside = path.with_suffix(".json")
    if not beside.is_file():
        return {}
    try:
        settings = json.loads(beside.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{beside} is not the settings file of {path.name}: {error}") from error
    if not isinstance(settings, dict):
        raise DataError(f"{beside} is not the settings file of {path.name}: it holds no keys")
    return settings
