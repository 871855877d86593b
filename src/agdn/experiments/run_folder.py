"""A run on disk: ``config.yaml``, ``metrics.jsonl``, ``checkpoint/``, ``model.safetensors``, ``result.json``.

``result.json`` is written last, so a folder that has it is a finished run, and one that has not goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agdn.data.atomic import write_bytes
from agdn.experiments import yaml_text
from agdn.experiments.checking import checked
from agdn.experiments.config import Config

CONFIG, RESULT, WEIGHTS, CHECKPOINT, TRANSFORMS = (
    "config.yaml",
    "result.json",
    "model.safetensors",
    "checkpoint",
    "transforms",
)
NOT_COMPARED = {
    ("threads",),
    ("data", "root"),
    ("description",),
    ("published",),
    ("name",),
    ("distributed", "partition"),
    ("distributed", "timeout"),
    ("task", "distillation", "runs"),
    ("task", "distillation", "teacher"),
}


def seed_folder(out: Path, name: str, seed: int) -> Path:
    return out / name / f"seed-{seed}"


def is_finished(folder: Path) -> bool:
    return (folder / RESULT).is_file()


def read_config(folder: Path) -> Config:
    """The configuration of a run."""
    path = folder / CONFIG
    if not path.is_file():
        raise ValueError(f"{folder} is not a run: it has no {CONFIG}")
    return checked(yaml_text.read(path), str(path))


def claim(folder: Path, config: Config) -> Config:
    """Make ``folder`` the place of a run of ``config``, or find that it is one already.

    Returns the configuration to run: what the folder holds, where it holds one, since its number of threads has to
    stay the same for the same bits. A run of another configuration is never overwritten.
    """
    if (folder / CONFIG).exists():
        return same_config(folder, config)
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / CONFIG, yaml_text.write(config.model_dump(mode="json")).encode())
    return config


def same_config(folder: Path, config: Config) -> Config:
    """What the folder of a run holds; an error where that gives other numbers than ``config``."""
    stored = read_config(folder)
    if difference := first_difference(stored.model_dump(mode="json"), config.model_dump(mode="json")):
        key, there, here = difference
        raise ValueError(
            f"{folder} holds a run of another configuration ({key} is {there!r} there, {here!r} here); "
            "give another --out"
        )
    return stored


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Two processes never write one run: the second is told so."""
    try:
        import fcntl
    except ImportError:  # a system without these locks
        yield
        return
    with (folder / ".lock").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"another process is running {folder}; wait for it, or give another --out") from None
        yield


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    write_bytes(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def first_difference(
    stored: Mapping[str, Any], asked: Mapping[str, Any], path: tuple[str, ...] = ()
) -> tuple[str, Any, Any] | None:
    """The first key that makes two configurations give different numbers, and its two values."""
    for key in (*stored, *(key for key in asked if key not in stored)):
        here = (*path, key)
        there, wanted = stored.get(key), asked.get(key)
        if here in NOT_COMPARED or there == wanted:
            continue
        if isinstance(there, Mapping) and isinstance(wanted, Mapping):
            if found := first_difference(there, wanted, here):
                return found
            continue
        return ".".join(here), there, wanted
    return None
