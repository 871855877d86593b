"""Embeddings of nodes: what a trained network knows about each of them in front of its output, or at any layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agdn.data.atomic import write_array
from agdn.experiments.column_file import check_place, write_columns

SUFFIXES = (".npy", ".csv", ".parquet")


@dataclass(frozen=True)
class Embeddings:
    """``values`` (N, C) float32, a row a node; ``layer`` is the one that they come from, 0 for the network's input."""

    ids: Sequence[Any]
    values: np.ndarray
    layer: int

    def write(self, path: Path | str) -> None:
        """To .npy, the values alone, or to .csv or .parquet with the columns ``id``, ``embedding_0`` and following."""
        path = Path(path)
        check_suffix(path)
        if path.suffix == ".npy":
            write_array(path, self.values)
            return
        columns = {f"embedding_{column}": self.values[:, column] for column in range(self.values.shape[1])}
        write_columns(path, {"id": self.ids, **columns})


def check_suffix(path: Path) -> None:
    """Before any work is done."""
    check_place(path, "embeddings", SUFFIXES)
