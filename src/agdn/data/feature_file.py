"""Node features as a file of their own: ``.npy``, and beside it a ``.json`` that says how they were made.

A ``note`` in the settings is repeated by every result that uses the features.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agdn.data.atomic import write_array, write_bytes
from agdn.data.errors import DataError


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
