"""The fitted transforms of a table: kept with the dataset, so that new rows become the same features later."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self, get_type_hints

import numpy as np
from pydantic import TypeAdapter

from agdn.data.array_file import read_array
from agdn.data.atomic import write_array, write_bytes
from agdn.data.errors import DataError
from agdn.data.tables.cells import MISSING, Collector, Column, Documents, Numbers, Words, collect, column_length
from agdn.data.tables.encoders import DateScale, Hashed, OneHot, Ranked, Rows, Scale
from agdn.data.tables.roles import ColumnRole
from agdn.data.tables.table_file import Table, TableSource, open_table, require_columns
from agdn.data.tables.text_encoder import TextFeatures
from agdn.data.tables.times import Times

Encoder = Scale | OneHot | Hashed | Ranked | TextFeatures
ENCODERS: dict[str, type[Encoder]] = {
    encoder.kind: encoder for encoder in (Scale, DateScale, OneHot, Hashed, Ranked, TextFeatures)
}
FORMAT_VERSION = 1


@dataclass(frozen=True)
class Widths:
    """How wide the features of a column may become."""

    one_hot: int = 64  # categories up to which a column is one-hot; past it, it is hashed
    hashed: int = 64
    text: int = 128


@dataclass(frozen=True)
class Transforms:
    """One encoder a column, in the order of the features.

    Attributes:
        columns: Column name to its fitted encoder.
        missing: The words that stand for a missing value.
        id_column: Where the table keeps its ids, None for edges.
    """

    columns: Mapping[str, Encoder]
    missing: tuple[str, ...] = MISSING
    id_column: str | None = None

    @property
    def width(self) -> int:
        return sum(encoder.width for encoder in self.columns.values())

    def apply(self, table: TableSource | Table) -> np.ndarray:
        """(N, width) float32 features of the rows of another table with the same columns."""
        source = table if isinstance(table, Table) else open_table(table)
        require_columns(source, list(self.columns))
        collectors = {
            name: _collector(encoder.kind, source, name, self.missing) for name, encoder in self.columns.items()
        }
        return self.apply_columns(collect(source, collectors))

    def apply_columns(self, columns: Mapping[str, Column]) -> np.ndarray:
        rows = next((column_length(columns[name]) for name in self.columns), 0)
        features = np.empty((rows, self.width), dtype=np.float32)
        start = 0
        for name, encoder in self.columns.items():
            features[:, start : start + encoder.width] = encoder.apply(columns[name])  # type: ignore[arg-type]
            start += encoder.width
        return features

    def save(self, folder: Path, stem: str = "transforms") -> None:
        """Write ``<stem>.json`` and one .npy file an array into an existing folder."""
        entries = []
        for index, (name, encoder) in enumerate(self.columns.items()):
            entry: dict[str, Any] = {"column": name, "kind": encoder.kind}
            for field in fields(encoder):
                value = getattr(encoder, field.name)
                if isinstance(value, np.ndarray):
                    write_array(folder / f"{stem}.{index}.{field.name}.npy", value)
                else:
                    entry[field.name] = value
            entries.append(entry)
        record = {
            "format_version": FORMAT_VERSION,
            "id_column": self.id_column,
            "missing": self.missing,
            "columns": entries,
        }
        write_bytes(folder / f"{stem}.json", json.dumps(record, indent=1).encode())

    @classmethod
    def load(cls, folder: Path, stem: str = "transforms") -> Self | None:
        """What ``save`` wrote; None where nothing was."""
        path = folder / f"{stem}.json"
        if not path.exists():
            return None
        try:
            record = json.loads(path.read_bytes())
            if record["format_version"] != FORMAT_VERSION:
                raise DataError(f"{path} has format_version {record['format_version']!r}, this release reads 1")
            columns = {
                str(entry["column"]): _read_encoder(entry, folder, f"{stem}.{index}")
                for index, entry in enumerate(record["columns"])
            }
            return cls(columns, tuple(map(str, record["missing"])), record["id_column"])
        except DataError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
            raise DataError(f"{path} is damaged ({type(error).__name__}: {error}); import the table again") from None


def fit(
    table: Table,
    roles: Sequence[ColumnRole],
    *,
    scale_rows: Rows,
    vocabulary_rows: Rows,
    widths: Widths,
    seed: int,
    missing: Iterable[str] = MISSING,
    id_column: str | None = None,
) -> tuple[Transforms, np.ndarray]:
    """Fit an encoder to every column that is not ignored, and apply it: the transforms and (N, width) features.

    Numbers are scaled over ``scale_rows``; categories and words are those of ``vocabulary_rows``.
    """
    used = {role.column: role.role for role in roles if role.role != "ignore"}
    missing = tuple(missing)
    columns = collect(table, {name: _collector(role, table, name, missing) for name, role in used.items()})
    encoders: dict[str, Encoder] = {}
    for name, column in columns.items():
        if isinstance(column, np.ndarray):
            encoders[name] = (DateScale if used[name] == "date" else Scale).fit(column, scale_rows)
        elif isinstance(column, list) and used[name] == "ranked":
            encoders[name] = Ranked.fit(column, vocabulary_rows)
        elif isinstance(column, list):
            encoders[name] = TextFeatures.fit(column, vocabulary_rows, width=widths.text, seed=seed)
        elif len(column.names) <= widths.one_hot:
            encoders[name] = OneHot.fit(column, vocabulary_rows)
        else:
            encoders[name] = Hashed.fit(column, widths.hashed)
    transforms = Transforms(encoders, missing, id_column)
    return transforms, transforms.apply_columns(columns)


def _collector(kind: str, table: Table, column: str, missing: tuple[str, ...]) -> Collector:
    """The collector for a role, or for the kind of encoder that the role led to."""
    if kind == "numeric":
        return Numbers(table, column, missing)
    if kind == "date":
        return Times(table, column, missing)
    return Documents(missing) if kind in ("text", "ranked") else Words(missing)


def _read_encoder(entry: dict[str, Any], folder: Path, stem: str) -> Encoder:
    encoder = ENCODERS[entry["kind"]]
    hints = get_type_hints(encoder)
    values: dict[str, Any] = {
        field.name: read_array(folder / f"{stem}.{field.name}.npy", dtype="<f4")
        if hints[field.name] is np.ndarray
        else TypeAdapter(hints[field.name]).validate_python(entry[field.name])
        for field in fields(encoder)
    }
    return encoder(**values)
