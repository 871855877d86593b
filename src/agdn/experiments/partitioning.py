"""``agdn data partition``: a data set as a model is to see it, stored in parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from agdn.distributed.part_store import PartitionRecord, save_parts
from agdn.distributed.partition import Partition, owners
from agdn.experiments.checking import checked
from agdn.experiments.overrides import with_overrides
from agdn.experiments.prepare import prepared_dataset
from agdn.experiments.recipes import SUFFIXES, read_recipe, recipe_names
from agdn.experiments.run import located

Progress = Callable[[str, float, float | None], None]


def partition_dataset(
    name: str,
    parts: int,
    out: Path,
    *,
    how: Partition,
    root: Path | None = None,
    changes: Sequence[str] = (),
    seed: int = 0,
    progress: Progress | None = None,
) -> PartitionRecord:
    """Prepare the data set of that name, or that of a recipe, and store it in parts."""
    if name in recipe_names() or name.endswith(SUFFIXES):
        config = read_recipe(name, [f"data.{change}" for change in changes])
    else:
        content = {"data": {"name": name}, "model": {"name": "MLP", "hidden_channels": 1}}
        config = checked(with_overrides(content, [f"data.{change}" for change in changes]), name)
    data = located(config, root).data
    dataset = prepared_dataset(data, seed)
    if dataset.target == "link":
        raise ValueError(
            f"{dataset.name} asks for links, which are dealt out in batches; partition a set of a node task"
        )
    owner = owners(dataset.graph, parts, how, seed=seed)
    key = hashlib.sha256(json.dumps([data.model_dump(mode="json"), parts, how, seed]).encode()).hexdigest()[:16]
    return save_parts(
        dataset,
        owner,
        parts,
        out,
        how=how,
        seed=seed,
        key=key,
        data=data.model_dump(mode="json"),
        progress=None if progress is None else lambda done: progress("parts", done, parts),
    )
