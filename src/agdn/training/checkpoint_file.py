"""Tensors and a record on disk: each file appears whole, and damage is noticed before anything is used."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import torch
from pydantic import BaseModel, ConfigDict, NonNegativeFloat, NonNegativeInt, PositiveInt, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load as tensors_from_bytes
from safetensors.torch import save as tensors_to_bytes
from torch import Tensor

from agdn.data.atomic import write_bytes
from agdn.ops.backend import kernels_run_on
from agdn.training.errors import CheckpointError
from agdn.training.generators import GeneratorRecord

FORMAT = "agdn-checkpoint"
FORMAT_VERSION = 1


class BestRecord(BaseModel):
    model_config = ConfigDict(extra="forbid")

    epoch: PositiveInt
    value: float
    record: dict[str, Any]
    file: str | None


class RateRecord(BaseModel):
    model_config = ConfigDict(extra="forbid")

    full: float
    best: float | None
    latest: float | None
    without_improvement: NonNegativeInt


class CheckpointRecord(BaseModel):
    """Everything of a state that is not a tensor, and the digests of the tensor files that belong to it."""

    model_config = ConfigDict(extra="forbid")

    format: str
    format_version: int
    epoch: NonNegativeInt
    step: NonNegativeInt = 0
    losses: list[float] = []
    seconds: NonNegativeFloat
    settings: dict[str, Any]
    rate: RateRecord
    best: BestRecord | None
    optimizer: dict[str, dict[str, float | bool | None]]
    ema_steps: NonNegativeInt
    generators: GeneratorRecord
    threads: PositiveInt
    torch: str
    kernels: bool = True
    ranks: PositiveInt = 1
    steps_at_once: PositiveInt = 1
    digests: dict[str, str]


def write_tensors(path: Path, tensors: dict[str, Tensor]) -> str:
    """Write a safetensors file; the same tensors give the same bytes. Returns its SHA-256."""
    content = tensors_to_bytes({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()})
    _write(path, content)
    return hashlib.sha256(content).hexdigest()


def read_tensors(path: Path, digest: str | None = None) -> dict[str, Tensor]:
    """The tensors of a safetensors file, which must have the SHA-256 ``digest`` where one is given."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from None
    if digest is not None and hashlib.sha256(content).hexdigest() != digest:
        raise CheckpointError(f"{path} is damaged: its contents are not those that were saved")
    try:
        return tensors_from_bytes(content)
    except SafetensorError as error:
        raise CheckpointError(f"{path} is not a safetensors file: {error}") from None


def write_record(path: Path, record: CheckpointRecord) -> None:
    content = record.model_dump(mode="json")
    _write(path, json.dumps({**content, "digest": _digest(content)}, indent=1).encode())


def read_record(path: Path) -> CheckpointRecord:
    try:
        content = json.loads(path.read_bytes())
        digest = content.pop("digest")
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise CheckpointError(f"{path} is damaged: it is not the record of a checkpoint") from None
    if content.get("format") == FORMAT and content.get("format_version") != FORMAT_VERSION:
        raise CheckpointError(
            f"{path} has format_version {content.get('format_version')!r}, but this release reads {FORMAT_VERSION}"
        )
    if digest != _digest(content):
        raise CheckpointError(f"{path} is damaged: its contents are not those that were saved")
    try:
        return CheckpointRecord.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise CheckpointError(f"{path} is damaged at {where!r}: {first['msg']}") from None


def require_same_tensors(path: Path, stored: dict[str, Tensor], own: dict[str, Tensor]) -> None:
    """The names and shapes of a file must be those of the model that asks for them."""
    for name in sorted(stored.keys() ^ own.keys()):
        where = "the file" if name in stored else "the model"
        raise CheckpointError(f"{path} is of another model: only {where} has {name!r}")
    for name, tensor in own.items():
        if stored[name].shape != tensor.shape or stored[name].dtype != tensor.dtype:
            raise CheckpointError(
                f"{path} is of another model: {name!r} is {_described(stored[name])} in the file, "
                f"{_described(tensor)} in the model"
            )


def _described(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {tuple(tensor.shape)}"


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _write(path: Path, content: bytes) -> None:
    """An error that names the file, which a failing write by itself does not."""
    try:
        write_bytes(path, content)
    except OSError as error:
        raise OSError(error.errno, error.strerror or os.strerror(error.errno or 0), str(path)) from error


def environment() -> dict[str, Any]:
    """What must be the same for a resumed run to give the same bits."""
    return {
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "kernels": kernels_run_on(torch.empty(0)),
    }
