"""A Dataset as a folder of .npy files and ``dataset.json``: opened by mapping, without a sort or a copy.

The arrays lie in a sub-folder of their own that ``dataset.json`` names. Replacing that one small file is what makes a
save visible, so a reader finds the old dataset or the new one, whatever moment the writer was killed at.
"""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from agdn.data.array_file import read_array
from agdn.data.atomic import write_array, write_bytes
from agdn.data.dataset import Dataset, EdgeSplit, NodeSplit
from agdn.data.errors import DataError
from agdn.data.id_file import ids_from_arrays, ids_to_arrays
from agdn.data.manifest import (
    FILE_NAME,
    ArrayRecord,
    GraphRecord,
    Manifest,
    SplitRecord,
    is_manifest,
    read_manifest,
)
from agdn.graph import Graph

NODE_PARTS = ("train", "valid", "test")
EDGE_PARTS = (*NODE_PARTS, "valid_negative", "test_negative")
SIGNALS = ("x", "y", "edge_attr", "edge_weight")
ARRAYS_PREFIX = "arrays-"
LEFTOVER_AGE = 24 * 3600  # seconds after which an unnamed array folder is no other writer's work in progress


class FittedTransforms(Protocol):
    """What turned the user's columns into features; it writes its own files beside the arrays."""

    def save(self, folder: Path) -> None: ...


def save(dataset: Dataset, folder: Path | str, *, key: str, transforms: FittedTransforms | None = None) -> None:
    """Store ``dataset`` in ``folder``, replacing a dataset that is stored there; any other content is refused.

    ``key`` says what the dataset was made from; ``stored_key`` gives it back.
    """
    folder = Path(folder)
    require_own(folder)
    previous = _named_arrays(folder)
    arrays = _arrays(dataset)
    inner = folder / f"{ARRAYS_PREFIX}{secrets.token_hex(6)}"
    inner.mkdir(parents=True)
    for name, array in arrays.items():
        write_array(inner / f"{name}.npy", array)
    if transforms is not None:
        transforms.save(inner)
    manifest = _manifest(dataset, arrays, key=key, inner=inner.name)
    write_bytes(folder / FILE_NAME, manifest.model_dump_json(indent=1).encode())
    _remove_replaced(folder, current=inner.name, previous=previous)


def open_dataset(folder: Path | str, *, mmap: bool = True) -> Dataset:
    """The dataset stored in ``folder``; its tensors are mapped copy-on-write, or (``mmap=False``) read."""
    folder = Path(folder)
    manifest = read_manifest(folder)
    inner = folder / manifest.folder
    arrays = {
        name: read_array(inner / f"{name}.npy", dtype=record.dtype, shape=record.shape, mmap=mmap)
        for name, record in manifest.arrays.items()
    }
    tensors = {name: _tensor(array) for name, array in arrays.items() if not name.startswith("node_ids")}
    try:
        graph = _graph(manifest.graph, tensors)
        splits = tuple(_split(index, record, tensors) for index, record in enumerate(manifest.splits))
        extra = {name: tensors[f"extra.{index}"] for index, name in enumerate(manifest.extra)}
    except KeyError as error:
        raise DataError(f"{folder / FILE_NAME} lists no array {error.args[0]!r}; store the dataset again") from None
    except ValueError as error:
        raise DataError(f"{inner} is damaged: {error}") from None
    return Dataset(
        name=manifest.name,
        graph=graph,
        target=manifest.target,
        metric=manifest.metric,
        splits=splits,  # type: ignore[arg-type]
        node_ids=ids_from_arrays(arrays),
        class_names=manifest.class_names,
        extra=extra,
        notes=manifest.notes,
        **{name: tensors.get(name) for name in SIGNALS},
    )


def arrays_folder(folder: Path | str) -> Path:
    """Where the arrays and the fitted transforms of the dataset stored in ``folder`` lie."""
    folder = Path(folder)
    return folder / read_manifest(folder).folder


def stored_key(folder: Path | str) -> str | None:
    """The key of the dataset stored in ``folder``; None where there is none that this release reads."""
    try:
        return read_manifest(Path(folder)).key
    except DataError:
        return None


def _arrays(dataset: Dataset) -> dict[str, np.ndarray]:
    graph = dataset.graph
    tensors: dict[str, Tensor] = {f"graph.{name}": getattr(graph, name) for name in ("indptr", "indices", "order")}
    if graph.num_edges and int(graph.order.max()) >= graph.num_edges:
        raise DataError(f"{dataset.name}: this graph keeps a part of another graph's edges and cannot be stored")
    if graph.origin is not None:
        tensors["graph.origin"] = graph.origin
    for name in SIGNALS:
        if (signal := getattr(dataset, name)) is not None:
            tensors[name] = signal
    for index, split in enumerate(dataset.splits):
        for part in EDGE_PARTS if isinstance(split, EdgeSplit) else NODE_PARTS:
            tensors[f"split.{index}.{part}"] = getattr(split, part)
    for index, tensor in enumerate(dataset.extra.values()):
        tensors[f"extra.{index}"] = tensor
    arrays = {name: np.ascontiguousarray(tensor.detach().cpu().numpy()) for name, tensor in tensors.items()}
    return arrays if dataset.node_ids is None else arrays | ids_to_arrays(dataset.node_ids)


def _manifest(dataset: Dataset, arrays: Mapping[str, np.ndarray], *, key: str, inner: str) -> Manifest:
    graph = dataset.graph
    return Manifest(
        format="agdn-dataset",
        format_version=1,
        key=key,
        name=dataset.name,
        target=dataset.target,
        metric=dataset.metric,
        graph=GraphRecord(num_src=graph.num_src, num_dst=graph.num_dst, bipartite=graph.is_bipartite),
        splits=tuple(
            SplitRecord(kind="edge", negatives_per_edge=split.negatives_per_edge)
            if isinstance(split, EdgeSplit)
            else SplitRecord(kind="node")
            for split in dataset.splits
        ),
        class_names=dataset.class_names,
        extra=tuple(dataset.extra),
        notes=dataset.notes,
        folder=inner,
        arrays={name: ArrayRecord(dtype=array.dtype.str, shape=array.shape) for name, array in arrays.items()},
    )


def _graph(record: GraphRecord, tensors: Mapping[str, Tensor]) -> Graph:
    return Graph.from_parts(
        tensors["graph.indptr"],
        tensors["graph.indices"],
        tensors["graph.order"],
        size=(record.num_src, record.num_dst),
        bipartite=record.bipartite,
        origin=tensors.get("graph.origin"),
    )


def _split(index: int, record: SplitRecord, tensors: Mapping[str, Tensor]) -> NodeSplit | EdgeSplit:
    if record.kind == "node":
        return NodeSplit(*(tensors[f"split.{index}.{part}"] for part in NODE_PARTS))
    parts = {part: tensors[f"split.{index}.{part}"] for part in EDGE_PARTS}
    return EdgeSplit(**parts, negatives_per_edge=record.negatives_per_edge)


def _tensor(array: np.ndarray) -> Tensor:
    try:
        return torch.from_numpy(array)
    except TypeError:
        raise DataError(f"a stored array has type {array.dtype.str}, which torch has no tensor for") from None


def is_stored(folder: Path | str) -> bool:
    """Whether a dataset is stored there."""
    return (Path(folder) / FILE_NAME).is_file()


def require_own(folder: Path) -> None:
    """A folder that is new or empty, holds a stored dataset, or what a killed first save left."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise DataError(f"{folder} is a file; give a folder to store the dataset in")
    entries = sorted(entry.name for entry in folder.iterdir())
    if FILE_NAME in entries:
        if not is_manifest(folder / FILE_NAME):
            raise DataError(f"{folder / FILE_NAME} is not ours to replace; give an empty or new folder")
        return
    foreign = [name for name in entries if not name.startswith((ARRAYS_PREFIX, f".{FILE_NAME}."))]
    if foreign:
        raise DataError(f"{folder} holds files that are no stored dataset ({foreign[0]}); give an empty or new folder")


def _named_arrays(folder: Path) -> str | None:
    try:
        return read_manifest(folder).folder
    except DataError:
        return None


def _remove_replaced(folder: Path, *, current: str, previous: str | None) -> None:
    """The arrays that were replaced, and those that a killed writer left behind long ago."""
    for inner in folder.glob(f"{ARRAYS_PREFIX}*"):
        abandoned = time.time() - inner.stat().st_mtime > LEFTOVER_AGE
        if inner.name != current and (inner.name == previous or abandoned):
            shutil.rmtree(inner, ignore_errors=True)
