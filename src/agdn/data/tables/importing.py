"""Import the user's tables, or open what the same import stored before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from agdn.data import store
from agdn.data.atomic import write_bytes
from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.tables.assembly import assemble
from agdn.data.tables.options import ImportOptions
from agdn.data.tables.roles import ColumnRole
from agdn.data.tables.table_file import Table, TableSource, WatchedTable, open_table
from agdn.data.tables.transforms import Transforms

IMPORT_VERSION = 2  # part of the key: raised when the same tables and options would give another dataset
RECORD = "import.json"
Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class ImportRecord:
    """How a dataset was imported: options, roles, remarks and the transforms that new rows need."""

    options: ImportOptions
    node_roles: tuple[ColumnRole, ...]
    edge_roles: tuple[ColumnRole, ...]
    remarks: tuple[str, ...]
    nodes: Transforms | None
    edges: Transforms | None

    def save(self, folder: Path) -> None:
        """Write into the folder of the arrays, as ``store.save`` asks."""
        record = {
            "options": self.options.model_dump(),
            "node_roles": [vars(role) for role in self.node_roles],
            "edge_roles": [vars(role) for role in self.edge_roles],
            "remarks": self.remarks,
        }
        write_bytes(folder / RECORD, json.dumps(record, indent=1).encode())
        if self.nodes is not None:
            self.nodes.save(folder, "node_transforms")
        if self.edges is not None:
            self.edges.save(folder, "edge_transforms")

    @classmethod
    def open(cls, dataset_folder: Path | str) -> Self:
        """The record of the dataset stored in a folder."""
        return cls.read(store.arrays_folder(dataset_folder), of=str(dataset_folder))

    @classmethod
    def read(cls, folder: Path, *, of: str) -> Self:
        """What ``save`` wrote into a folder; ``of`` is what an error calls the thing that should have been imported."""
        path = folder / RECORD
        try:
            record = json.loads(path.read_bytes())
            return cls(
                options=ImportOptions.of(record["options"]),
                node_roles=tuple(ColumnRole(**role) for role in record["node_roles"]),
                edge_roles=tuple(ColumnRole(**role) for role in record["edge_roles"]),
                remarks=tuple(record["remarks"]),
                nodes=Transforms.load(folder, "node_transforms"),
                edges=Transforms.load(folder, "edge_transforms"),
            )
        except FileNotFoundError:
            raise DataError(f"{of} was not imported from tables: it has no {RECORD}") from None
        except DataError:
            raise
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise DataError(f"{path} is damaged ({type(error).__name__}); import the tables again") from None


@dataclass(frozen=True)
class Imported:
    """A dataset from tables, how it came about, and whether an earlier import had stored it already."""

    dataset: Dataset
    record: ImportRecord
    from_store: bool


def import_tables(
    nodes: TableSource | None,
    edges: TableSource,
    *,
    out: Path | str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Imported:
    """Two tables (CSV, Parquet or columns in memory) -> Dataset.

    Args:
        nodes: One row a node; None where the edges name all nodes there are.
        edges: One row an edge; two columns hold the ids of its ends.
        out: Folder to store the dataset in; the same files and options again are then opened, not imported.
        progress: Called with a stage and the fraction done.
        options: The fields of :class:`ImportOptions`, such as ``target="label"``.
    """
    chosen = ImportOptions.of(options)
    if out is not None:
        store.require_own(Path(out))
    key = None if out is None else _key(nodes, edges, chosen)
    if out is not None and key is not None and store.stored_key(out) == key:
        return Imported(store.open_dataset(out), ImportRecord.open(out), from_store=True)
    node_table = None if nodes is None else _watched(open_table(nodes), progress, "nodes")
    edge_table = _watched(open_table(edges), progress, "edges")
    assembly = assemble(node_table, edge_table, chosen, chosen.name or _name(nodes, edges, out))
    record = ImportRecord(
        options=chosen,
        node_roles=assembly.nodes.roles,
        edge_roles=assembly.edges.roles,
        remarks=assembly.remarks,
        nodes=assembly.nodes.transforms,
        edges=assembly.edges.transforms,
    )
    if out is None:
        return Imported(assembly.dataset, record, from_store=False)
    store.save(assembly.dataset, out, key=key or "", transforms=record)
    return Imported(store.open_dataset(out), record, from_store=False)


def _watched(table: Table, progress: Progress | None, stage: str) -> Table:
    return table if progress is None else WatchedTable(table, progress, stage)


def _name(nodes: TableSource | None, edges: TableSource, out: Path | str | None) -> str:
    for source in (out, nodes, edges):
        if isinstance(source, (str, Path)):
            return Path(source).stem
    return "imported"


def _key(nodes: TableSource | None, edges: TableSource, options: ImportOptions) -> str | None:
    """A hash of the files' bytes and the options; None for columns in memory, which have no file to hash."""
    digest = hashlib.sha256(f"agdn-import-{IMPORT_VERSION}\n{options.model_dump_json()}\n".encode())
    for source in (nodes, edges):
        if source is not None and not isinstance(source, (str, Path)):
            return None
        digest.update(b"none" if source is None else _file_hash(Path(source)))
    return digest.hexdigest()


def _file_hash(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
