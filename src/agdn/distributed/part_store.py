"""A dataset in parts on disk: each rank opens its own and what all share, which is labels and splits.

DIR/partition.json    how it was made; written last
DIR/shared            a stored dataset without a graph: labels, splits, names
DIR/part-R            a stored dataset: the edges into the nodes of rank R, their features, and who they are
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import BaseModel, ConfigDict, NonNegativeInt, PositiveInt, ValidationError
from torch import Tensor

from agdn.data.atomic import write_bytes
from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.store import open_dataset, save
from agdn.distributed.part_graph import PartGraph, Piece, cut_out
from agdn.graph import Graph
from agdn.ops.sparse_rows import compact, is_sparse
from agdn.tasks.inputs import FIRST_ENTRY

FILE_NAME = "partition.json"
ARRAYS = ("nodes", "halo", "owners", "places", "edges", "out_degree")


class PartRecord(BaseModel):
    """Sizes of one part."""

    model_config = ConfigDict(extra="forbid")

    nodes: NonNegativeInt
    edges: NonNegativeInt
    halo: NonNegativeInt


class PartitionRecord(BaseModel):
    """What ``partition.json`` says; ``data`` is the section of a recipe that the dataset was prepared by."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["agdn-partition"] = "agdn-partition"
    format_version: Literal[1] = 1
    how: str
    seed: NonNegativeInt
    nodes: NonNegativeInt
    edges: NonNegativeInt
    key: str
    parts: tuple[PartRecord, ...]
    data: dict[str, Any]


def is_in_parts(folder: Path | str) -> bool:
    return (Path(folder) / FILE_NAME).is_file()


def read_partition(folder: Path | str) -> PartitionRecord:
    path = Path(folder) / FILE_NAME
    try:
        return PartitionRecord.model_validate_json(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise DataError(f"{path} is damaged at {where!r}: {first['msg']}; partition the dataset again") from None


def save_parts(
    dataset: Dataset,
    owner: Tensor,
    parts: PositiveInt,
    folder: Path | str,
    *,
    how: str,
    seed: int,
    key: str,
    data: dict[str, Any],
    progress: Callable[[int], None] | None = None,
) -> PartitionRecord:
    """Write ``dataset`` in parts; ``owner`` (N,) names each node's. One part at a time is in memory."""
    folder = Path(folder)
    _require_own(folder)
    (folder / FILE_NAME).unlink(missing_ok=True)
    nothing = Graph(torch.zeros(2, 0, dtype=torch.int64), 0)
    alike = replace(dataset, edge_attr=None, edge_weight=None, extra={}, node_ids=None)
    save(replace(alike, x=None, graph=nothing), folder / "shared", key=key)
    sparse = compact(dataset.x) if dataset.x is not None else None
    entries = sparse.crow_indices() if sparse is not None and is_sparse(sparse) else None
    sizes = []
    for rank in range(parts):
        piece = cut_out(dataset.graph, owner, rank)
        save(_part(alike, dataset, piece, entries), folder / f"part-{rank}", key=key)
        sizes.append(PartRecord(nodes=len(piece.nodes), edges=len(piece.indices), halo=len(piece.halo)))
        if progress is not None:
            progress(rank + 1)
    nodes, edges = dataset.graph.num_nodes, dataset.graph.num_edges
    record = PartitionRecord(
        how=how, seed=seed, nodes=nodes, edges=edges, key=key, parts=tuple(sizes), data=data
    )  # fmt: skip
    write_bytes(folder / FILE_NAME, record.model_dump_json(indent=1).encode())
    return record


def open_part(folder: Path | str, rank: int, size: int) -> Dataset:
    """The part of ``rank`` as a dataset: own features and edges, everybody's labels and splits; not joined yet."""
    folder, record = Path(folder), read_partition(folder)
    if len(record.parts) != size:
        raise DataError(
            f"{folder} has {len(record.parts)} parts, but {size} processes were started; "
            f"start {len(record.parts)}, or partition the dataset again"
        )
    shared, own = open_dataset(folder / "shared"), open_dataset(folder / f"part-{rank}")
    piece = Piece(
        **{name: own.extra[name] for name in ARRAYS},
        indptr=own.graph.indptr,
        indices=own.graph.indices,
        total_nodes=record.nodes,
        total_edges=record.edges,
    )
    entries = {FIRST_ENTRY: own.extra[FIRST_ENTRY]} if FIRST_ENTRY in own.extra else {}
    return replace(
        shared,
        graph=PartGraph.apart(piece),
        x=own.x,
        edge_attr=own.edge_attr,
        edge_weight=own.edge_weight,
        extra=entries,
    )


def _part(alike: Dataset, dataset: Dataset, piece: Piece, entries: Tensor | None) -> Dataset:
    rows, edges = len(piece.nodes), torch.arange(len(piece.indices))
    extra = {name: getattr(piece, name) for name in ARRAYS}
    if entries is not None:
        extra[FIRST_ENTRY] = entries[piece.nodes]
    return replace(
        alike,
        graph=Graph.from_parts(
            piece.indptr, piece.indices, edges, size=(rows + len(piece.halo), rows), bipartite=True
        ),
        y=None,
        splits=(),
        x=None if dataset.x is None else dataset.x[piece.nodes],
        edge_attr=None if dataset.edge_attr is None else dataset.edge_attr[piece.edges],
        edge_weight=None if dataset.edge_weight is None else dataset.edge_weight[piece.edges],
        extra=extra,
    )  # fmt: skip


def _require_own(folder: Path) -> None:
    """A folder that is new or empty, or holds a dataset in parts."""
    if not folder.exists() or is_in_parts(folder):
        return
    if not folder.is_dir():
        raise DataError(f"{folder} is a file; give a folder to store the parts in")
    foreign = [path.name for path in folder.iterdir() if path.name != "shared" and not path.name.startswith("part-")]
    if foreign:
        raise DataError(
            f"{folder} holds files that are no dataset in parts ({foreign[0]}); give an empty or new folder"
        )
