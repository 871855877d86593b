"""A recipe for data that have none yet: what to train first on a stored dataset, to be changed with ``--set``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from agdn.data.store import open_dataset


def first_recipe(folder: Path | str) -> dict[str, Any]:
    """Two layers of four hops, which suit most graphs of some thousand nodes; the best epoch is kept."""
    if open_dataset(folder).target == "link":
        return _for_links(folder)
    return {
        "data": {"name": os.path.abspath(folder), "self_loops": "add"},
        "model": {"name": "AGDN", "hidden_channels": 64, "num_layers": 2, "hops": 4, "dropout": 0.5},
        "training": {"epochs": 300, "patience": 60, "optimizer": {"name": "adam", "lr": 0.01, "weight_decay": 5e-4}},
    }


def _for_links(folder: Path | str) -> dict[str, Any]:
    """Learned embeddings beside the features, where there are any, since links often follow from who one is."""
    return {
        "data": {"name": os.path.abspath(folder), "self_loops": "add"},
        "model": {"name": "AGDN", "hidden_channels": 64, "num_layers": 2, "hops": 2, "dropout": 0.3},
        "link": {"embedding_channels": 64, "decoder": {"name": "mlp", "dropout": 0.3}, "negatives": "strict"},
        "training": {"epochs": 200, "patience": 40, "optimizer": {"name": "adam", "lr": 0.005}},
    }
