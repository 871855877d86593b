"""The state of every global random generator, in a form that JSON and safetensors hold."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict
from torch import Tensor

TORCH, CUDA = "rng.torch", "rng.cuda."


class GeneratorRecord(BaseModel):
    """The states of Python's and NumPy's generators; torch's are tensors."""

    model_config = ConfigDict(extra="forbid")

    python: tuple[int, tuple[int, ...], float | None]
    numpy: tuple[str, tuple[int, ...], int, int, float]


def capture() -> tuple[GeneratorRecord, dict[str, Tensor]]:
    name, keys, *rest = np.random.get_state()  # noqa: NPY002 - the global generator is part of a run
    record = GeneratorRecord.model_validate(
        {"python": random.getstate(), "numpy": (name, tuple(int(key) for key in keys), *rest)}
    )
    tensors = {TORCH: torch.get_rng_state()}
    if torch.cuda.is_available():
        tensors |= {f"{CUDA}{index}": state for index, state in enumerate(torch.cuda.get_rng_state_all())}
    return record, tensors


def restore(record: GeneratorRecord, tensors: dict[str, Tensor]) -> None:
    random.setstate(record.python)
    name, keys, *rest = record.numpy
    legacy: Any = (name, np.array(keys, dtype=np.uint32), *rest)
    np.random.set_state(legacy)  # noqa: NPY002
    torch.set_rng_state(tensors[TORCH])
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            if (state := tensors.get(f"{CUDA}{index}")) is not None:
                torch.cuda.set_rng_state(state, index)
