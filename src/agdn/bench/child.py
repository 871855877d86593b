"""A measured program in a process of its own, asked through a pipe."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import agdn
from agdn.bench import machine

PEERS = Path(__file__).parent / "peers"
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
BASE_VARIABLES = {"DGLBACKEND": "pytorch", "PYTHONUNBUFFERED": "1"}
RESERVED_SHARE = 0.03  # of the machine's memory, for everybody else


@dataclass(frozen=True)
class System:
    """One competitor: what is printed, which program runs it, and how.

    Attributes:
        name: As printed.
        peer: Module in ``peers`` that builds the program.
        spec: What the program is to build; ``threads`` is part of it.
        phases: What is measured.
        variables: Environment variables of its process.
        python: Interpreter of an environment other than this one.
        keeps_memory: Time it with what the process frees kept for its next allocation.
        alone: Run before the others start, since it may need all of the memory.
        reference: Name of the system that its time is compared with.
        reference_factor: How many times the reference's work it does.
        units: How many things a phase does, to be counted per second.
        same_answers: Systems with the same word here compute the same function, which is checked; None for no check.
    """

    name: str
    peer: str
    spec: Mapping[str, Any]
    phases: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    python: Path | None = None
    keeps_memory: bool = True
    alone: bool = False
    reference: str | None = None
    reference_factor: float = 1.0
    units: int | None = None
    same_answers: str | None = None


class OutOfMemory(Exception):
    """The program did not fit into its memory cap."""


class Child:
    """A running :class:`System`. After a crash the next question starts it anew."""

    def __init__(self, system: System, memory_cap: int) -> None:
        self.system, self.memory_cap = system, memory_cap
        self._process: subprocess.Popen[str] | None = None
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed with the child

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._errors.close()

    def weigh(self, phase: str) -> int:
        """Peak bytes of one run of a phase."""
        return int(self._ask({"weigh": phase})["peak_bytes"])

    def time(self, phase: str) -> float:
        """Seconds of one run of a phase."""
        return float(self._ask({"time": phase, "keep": self.system.keeps_memory})["seconds"])

    def save_answers(self, file: Path) -> None:
        """Write what the program computes, for comparison, as ``.npz``."""
        self._ask({"answers": str(file)})

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._process is None or self._process.poll() is not None:
            self._process = self._started()
            self._exchange(self._process, {"build": dict(self.system.spec)})
        return self._exchange(self._process, request)

    def _started(self) -> subprocess.Popen[str]:
        interpreter = self.system.python or Path(sys.executable)
        variables = {**os.environ, **BASE_VARIABLES, **self.system.variables}
        variables |= dict.fromkeys(THREAD_VARIABLES, str(self.system.spec["threads"]))
        if self.system.python is None:  # the same agdn as here, wherever it was imported from
            here = str(Path(agdn.__file__).parent.parent)
            variables["PYTHONPATH"] = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
        else:
            variables.pop("PYTHONPATH", None)
        try:
            return subprocess.Popen(
                [str(interpreter), str(PEERS / "serve.py"), self.system.peer],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                env=variables,
            )
        except OSError as error:
            raise ValueError(f"cannot start the interpreter {interpreter}: {error.strerror}") from None

    def _exchange(self, process: subprocess.Popen[str], request: dict[str, Any]) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        request["cap"] = min(self.memory_cap, _fits_now(process.pid))
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        reply: dict[str, Any] = json.loads(line) if line else self._obituary(process)
        if reply.get("out_of_memory"):
            raise OutOfMemory
        if "error" in reply:
            raise ValueError(f"{self.system.name} ({self.system.python or sys.executable}) failed: {reply['error']}")
        return reply

    def _obituary(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        """What a process that ended without an answer died of."""
        code = process.wait()
        self._errors.seek(0)
        said = self._errors.read()
        if code == -signal.SIGKILL or "bad_alloc" in said or "allocate memory" in said:
            return {"out_of_memory": True}
        last = said.strip().splitlines()[-1:] or [f"it ended with code {code}"]
        return {"error": last[0]}

    def _stop(self) -> None:
        if self._process is None:
            return
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def _fits_now(pid: int) -> int:
    """The address space a process can grow to while the others hold what they hold, with a little left over."""
    free = machine.available_memory() - RESERVED_SHARE * machine.total_memory()
    return machine.address_space(pid) + max(0, int(free))
