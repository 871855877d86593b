"""``load_dataset``: the sets by the names that people know, wherever OGB, PyG or a user left their files."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from agdn.data.cache import cache_root, cached, open_stored
from agdn.data.catalogue import EMBEDDED, PLACES, Format, canonical, locate, source_files
from agdn.data.dataset import Dataset
from agdn.data.edge_splits import split_edges
from agdn.data.errors import DataError
from agdn.data.feature_file import read_settings
from agdn.data.splits import per_class_split

READERS: dict[Format, tuple[str, str]] = {
    "ogb": ("agdn.data.readers.ogb", "read_ogb"),
    "planetoid": ("agdn.data.readers.planetoid", "read_planetoid"),
    "heterophilous": ("agdn.data.readers.heterophilous", "read_heterophilous"),
    "geom_gcn": ("agdn.data.readers.geom_gcn", "read_geom_gcn"),
    "shchur": ("agdn.data.readers.shchur", "read_shchur"),
    "seal": ("agdn.data.readers.seal", "read_seal"),
}


def load_dataset(
    name: str | Path,
    root: str | Path | None = None,
    *,
    split: int | None = 0,
    seed: int = 0,
    features: str | Path | Sequence[str | Path] | None = None,
    join_features: bool = False,
    options: Mapping[str, Any] | None = None,
    cache: bool = True,
) -> Dataset:
    """The set called ``name``, or the dataset stored in the folder ``name``.

    Args:
        root: Where the files lie; by default ``$AGDN_DATA``, else ``~/.cache/agdn/data``.
        split: Which of the published splits to choose; None keeps them all.
        seed: Fixes the split of sets that publish none (20 training and 30 validation nodes a class for Amazon and
            Coauthor; 85/5/10 % of the edges for the SEAL graphs), and the embedded sets.
        features: A ``.npy`` or ``.npz`` file of node features, or several side by side, in place of the built-in ones.
        join_features: Put them beside the built-in ones instead.
        options: Options of an embedded set's generator, such as ``{"num_nodes": 100_000}`` for ``csbm``.
        cache: Keep the parsed set under ``$AGDN_CACHE`` and open it from there the next time.
    """
    if join_features and features is None:
        raise DataError("join_features needs features: the file to join")
    dataset = _load(name, root, seed=seed, options=dict(options or {}), cache=cache)
    if split is not None and dataset.splits:
        dataset = dataset.with_split(split)
    if features is not None:
        files = [features] if isinstance(features, str | Path) else features
        dataset = _with_features(dataset, [Path(file) for file in files], join=join_features)
    return dataset


def data_root(root: str | Path | None = None) -> Path:
    """The folder that names are looked up in."""
    if root is not None:
        return Path(root).expanduser()
    configured = os.environ.get("AGDN_DATA")
    return Path(configured) if configured else cache_root() / "data"


def dataset_names() -> tuple[str, ...]:
    """Every name that ``load_dataset`` knows."""
    return (*EMBEDDED, *PLACES)


def _load(name: str | Path, root: str | Path | None, *, seed: int, options: dict[str, Any], cache: bool) -> Dataset:
    folder = Path(name)
    if (folder / "dataset.json").is_file():
        return open_stored(folder)
    if isinstance(name, Path) or os.sep in str(name):
        if not folder.is_dir():
            raise DataError(f"{folder} is neither a folder nor the name of a data set")
        name, root = folder.name, folder.parent
    known = canonical(str(name))
    if known in EMBEDDED:
        return _generate(known, seed, options)
    if options:
        raise DataError(f"options are for the embedded sets ({', '.join(EMBEDDED)}); {known} is read from files")
    base = data_root(root)
    place = locate(known, base)
    read = _reader(place.format)

    def parse() -> Dataset:
        return read(base / place.path, known)

    dataset = cached(known, source_files(place, base, known), parse) if cache else parse()
    return _split_by_seed(dataset, place.format, seed)


def _reader(fmt: Format) -> Callable[[Path, str], Dataset]:
    module, function = READERS[fmt]
    reader: Callable[[Path, str], Dataset] = getattr(importlib.import_module(module), function)
    return reader


def _generate(name: str, seed: int, options: dict[str, Any]) -> Dataset:
    function = name.replace("-", "_")
    generate: Callable[..., Dataset] = getattr(importlib.import_module(f"agdn.data.embedded.{function}"), function)
    known = [option for option in inspect.signature(generate).parameters if option != "seed"]
    unknown = [option for option in options if option not in known]
    if unknown:
        raise DataError(f"{name} has no option {unknown[0]!r}; it has {', '.join(known)}")
    try:
        return generate(seed=seed, **options)
    except TypeError as error:
        raise DataError(f"{name}: an option has a value of the wrong type: {error}") from None


def _split_by_seed(dataset: Dataset, fmt: Format, seed: int) -> Dataset:
    if fmt == "seal":
        return split_edges(dataset, seed=seed)
    if fmt == "shchur" and dataset.y is not None:
        return replace(dataset, splits=(per_class_split(dataset.y, valid_per_class=30, seed=seed),))
    return dataset


def _with_features(dataset: Dataset, files: Sequence[Path], *, join: bool) -> Dataset:
    from agdn.data.readers.features import read_features

    if not files:
        raise DataError("features: name one file of node features, or several, or leave it out")
    x = torch.cat([read_features(file, dataset.graph.num_nodes) for file in files], dim=1)
    how = "joined to" if join and dataset.x is not None else "in place of"
    notes = [f"node features from {file.name} {how} the built-in ones" for file in files]
    carried = [note for note in map(_note_beside, files) if note is not None]
    changed = dataset.with_features(x, join=join)
    return replace(changed, notes=tuple(dict.fromkeys((*changed.notes, *notes, *carried))))


def _note_beside(path: Path) -> str | None:
    """What the settings file beside a features file wants every result to say."""
    note = read_settings(path).get("note")
    return note if isinstance(note, str) else None
