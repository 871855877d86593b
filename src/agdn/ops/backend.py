"""When the Numba kernels run: on CPU, in float32 and float64, unless they cannot be compiled or are switched off.

``AGDN_KERNELS=torch`` in the environment keeps everything on the plain torch path, whose operators are still our own;
inside :func:`plain_operators` there are none but torch's.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor


class SlowPathWarning(UserWarning):
    """Results are right, but slower than they could be; the message says why."""


_plain_blocks: list[None] = []  # one for every block of plain_operators that is open


@contextmanager
def plain_operators() -> Iterator[None]:
    """While the block runs, models are made of torch's own operators alone: what is traced then runs without us."""
    _plain_blocks.append(None)
    try:
        yield
    finally:
        _plain_blocks.pop()


def only_plain_operators() -> bool:
    return len(_plain_blocks) > 0


def kernels_run_on(tensor: Tensor) -> bool:
    return (
        not only_plain_operators()
        and tensor.device.type == "cpu"
        and tensor.dtype in (torch.float32, torch.float64)
        and os.environ.get("AGDN_KERNELS", "auto") != "torch"
        and kernels_compile()
    )


def require_kernels(what: str) -> None:
    """For what has no plain torch form."""
    if not kernels_run_on(torch.empty(0)):
        raise ValueError(f"{what} run on the compiled kernels only; unset AGDN_KERNELS where it says torch")


_verdict: list[bool] = []


def kernels_compile() -> bool:
    """Whether a trial kernel runs; found out once, and taken for granted while a model is traced."""
    if torch.compiler.is_compiling() and not _verdict:
        return True
    if not _verdict:
        _verdict.append(_try_a_kernel())
    return _verdict[0]


def _try_a_kernel() -> bool:
    """Try one kernel on one node; a machine where that fails keeps to the torch path."""
    try:
        import numpy as np

        from agdn.ops.kernels.hop import product
        from agdn.ops.kernels.jit import use_threads

        use_threads()
        one = np.zeros((1, 1, 1), dtype=np.float32)
        edges = np.array([0, 1]), np.zeros(1, np.int32), np.array([0, 0])
        product(*edges, np.zeros(0, np.int32), np.zeros((0, 1), np.float32), one, one)
    except Exception as error:
        warnings.warn(
            f"the compiled kernels do not run here ({type(error).__name__}: {error}); using plain torch operators",
            SlowPathWarning,
            stacklevel=4,
        )
        return False
    return True
