"""A recipe for data that have none yet: what to train first on a stored dataset, to be changed with ``--set``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def first_recipe(folder: Path | str) -> dict[str, Any]:
    """Two layers of four hops, which suit most graphs of some thousand nodes; the best epoch is kept."""
    return {
        "data": {"name": os.path.abspath(folder), "self_loops": "add"},
        "model": {"name": "AGDN", "hidden_channels": 64, "num_layers": 2, "hops": 4, "dropout": 0.5},
        "training": {"epochs": 300, "patience": 60, "optimizer": {"name": "adam", "lr": 0.01, "weight_decay": 5e-4}},
    }
