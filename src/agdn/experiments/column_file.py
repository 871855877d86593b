"""Columns of one length as a CSV or Parquet file."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agdn.data.atomic import replacing

SUFFIXES = (".csv", ".parquet")


def check_place(path: Path, what: str, suffixes: tuple[str, ...] = SUFFIXES) -> None:
    """Before any work is done: an ending that is known, the library that it needs, and a folder that is there."""
    if path.suffix not in suffixes:
        *some, last = suffixes
        raise ValueError(f"{path}: {what} are written to a file that ends in {', '.join(some)} or {last}")
    if not path.parent.is_dir():
        raise ValueError(f"the folder {path.parent} does not exist; {what} go into one that does")
    if path.suffix == ".parquet":
        _pyarrow()


def write_columns(path: Path, columns: Mapping[str, Iterable[Any]]) -> None:
    """The file appears whole or not at all."""
    with replacing(path) as file:
        if path.suffix == ".csv":
            writer = csv.writer(codecs.getwriter("utf-8")(file), lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
        else:
            arrow, parquet = _pyarrow()
            parquet.write_table(arrow.table(dict(columns)), file)


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ValueError("Parquet needs pyarrow: pip install 'agdn[parquet]', or write a .csv file") from None
    return pyarrow, pyarrow.parquet
