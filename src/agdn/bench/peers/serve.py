"""Run one measured program and answer requests: ``python serve.py PEER``, a JSON line in, a JSON line out.

    {"build": spec}          -> {"ok": true}
    {"weigh": phase}         -> {"peak_bytes": b}                     above what was resident before the phase
    {"time": phase, "keep": bool} -> {"seconds": s}                   wall clock; keep: in memory that was used before
    {"answers": file.npz}    -> {"ok": true}                          what the program computes, to be compared

Each request may carry ``cap``, the address space in bytes. What fails answers {"out_of_memory": true} or
{"error": text}.

It also runs in environments that do not have agdn.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

ALLOCATION_FAILED = (
    "can't allocate memory",
    "Cannot allocate memory",
    "not enough memory",
    "bad_alloc",
    "out of memory",
)


class Program(Protocol):
    phases: dict[str, Callable[[], object]]

    def reset(self) -> None:
        """Let go of what the last phase left behind."""

    def answers(self) -> dict[str, np.ndarray[Any, Any]]:
        """Outputs and gradients to compare with other programs on the same inputs; empty if there is nothing to."""


def weighed(phase: Callable[[], object]) -> dict[str, Any]:
    """Peak resident memory of one call that starts with nothing to reuse and returns what it frees."""
    give_back()
    Path("/proc/self/clear_refs").write_text("5")  # the peak (VmHWM) starts again from what is resident now
    before = _status_bytes("VmRSS")
    phase()
    return {"peak_bytes": max(0, _status_bytes("VmHWM") - before)}


def timed(
    phase: Callable[[], object], reset: Callable[[], None], keep_memory: Callable[[bool], object], *, keep: bool = True
) -> dict[str, Any]:
    """Wall-clock seconds of the second of two calls, which (``keep``) finds the memory of the first.

    New pages cost more than much of the arithmetic on virtual machines.
    """
    keep_memory(keep)
    phase()
    reset()
    gc.collect()
    start = time.perf_counter()
    result = phase()
    seconds = time.perf_counter() - start
    del result
    keep_memory(False)
    return {"seconds": seconds}


def keep_freed_memory(keep: bool) -> None:
    """Whether large arrays come from the heap and stay there when freed, or are mapped and unmapped one by one."""
    libc = ctypes.CDLL(None)
    trim_threshold, mmap_max = -1, -4  # as glibc numbers them
    libc.mallopt(mmap_max, 0 if keep else 1 << 16)
    libc.mallopt(trim_threshold, 2**31 - 1 if keep else 1 << 17)


def give_back() -> None:
    """Return what is no longer needed to the machine, where the other systems wait for it."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def _status_bytes(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def _answer(request: dict[str, Any], name: str, program: Program | None) -> tuple[Program | None, dict[str, Any]]:
    if "build" in request:
        return importlib.import_module("tasks").build(importlib.import_module(name), request["build"]), {"ok": True}
    assert program is not None, "the first request builds the program"
    if "weigh" in request:
        return program, weighed(program.phases[request["weigh"]])
    if "time" in request:
        keep_memory = getattr(importlib.import_module(name), "keep_freed_memory", keep_freed_memory)
        return program, timed(program.phases[request["time"]], program.reset, keep_memory, keep=request["keep"])
    np.savez(request["answers"], **program.answers())  # type: ignore[arg-type]
    return program, {"ok": True}


def _failure(error: BaseException) -> dict[str, Any]:
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, MemoryError) or any(sign in text for sign in ALLOCATION_FAILED):
        return {"out_of_memory": True}
    return {"error": " ".join(text.split())}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print goes to stderr, so that stdout carries answers only
    Path("/proc/self/oom_score_adj").write_text("1000")  # if the machine runs full, it is this process that goes
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    program: Program | None = None
    for line in sys.stdin:
        request = json.loads(line)
        if "cap" in request:
            cap = request["cap"] if hard == resource.RLIM_INFINITY else min(request["cap"], hard)
            resource.setrlimit(resource.RLIMIT_AS, (cap, hard))
        try:
            program, reply = _answer(request, sys.argv[1], program)
        except Exception as error:  # whatever a peer raises is an answer, never the end of the comparison
            reply = _failure(error)
        if program is not None:
            program.reset()
        give_back()
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
