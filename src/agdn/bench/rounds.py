"""Runs that are weighed, then timed ones in which every system takes its turn, so that noise hits all alike."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agdn.bench.child import Child, OutOfMemory, System

Answers = dict[str, np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Effort:
    """How long to measure, and within which memory.

    Attributes:
        repeats: Timed runs, of which the best counts.
        warmup: Runs before them, of which the last is weighed.
        memory_cap: Bytes of address space for each system.
    """

    repeats: int = 3
    warmup: int = 1
    memory_cap: int = 1 << 63


@dataclass
class Measurement:
    """The runs of one phase of one system."""

    runs: list[float] = field(default_factory=list)
    peak_bytes: int | None = None
    out_of_memory: bool = False

    @property
    def seconds(self) -> float | None:
        return None if self.out_of_memory else min(self.runs)


@dataclass
class Outcome:
    """Measurements by system and phase, and how far apart the answers are that should agree."""

    measurements: dict[tuple[str, str], Measurement]
    differences: dict[str, float]


def measure(systems: Sequence[System], effort: Effort, say: Callable[[str], None]) -> Outcome:
    """Measure all phases of all systems; those that run ``alone`` come first, each by itself."""
    outcome = Outcome({(s.name, phase): Measurement() for s in systems for phase in s.phases}, {})
    together = [system for system in systems if not system.alone]
    for group in [[system] for system in systems if system.alone] + [together]:
        with ExitStack() as stack:
            children = [stack.enter_context(Child(system, effort.memory_cap)) for system in group]
            outcome.differences |= _differences(children, say)
            for turn in range(-effort.warmup, effort.repeats):
                for phase in dict.fromkeys(phase for system in group for phase in system.phases):
                    for child in children:
                        if phase in child.system.phases:
                            _take_turn(child, phase, turn, outcome.measurements[child.system.name, phase], say)
    return outcome


def _take_turn(child: Child, phase: str, turn: int, measurement: Measurement, say: Callable[[str], None]) -> None:
    if measurement.out_of_memory:
        return
    say(f"{child.system.name}: {phase}, {'memory' if turn < 0 else f'run {turn + 1}'}")
    try:
        if turn < 0:
            measurement.peak_bytes = child.weigh(phase)
        else:
            measurement.runs.append(child.time(phase))
    except OutOfMemory:
        measurement.out_of_memory = True


def _differences(children: Sequence[Child], say: Callable[[str], None]) -> dict[str, float]:
    """Largest difference of each system's answers from those of the first that computes the same function."""
    differences: dict[str, float] = {}
    expected: dict[str, Answers] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answers.npz"
        for child in children:
            same = child.system.same_answers
            if same is None:
                continue
            say(f"{child.system.name}: answers")
            try:
                child.save_answers(file)
            except OutOfMemory:
                continue
            with np.load(file, allow_pickle=False) as arrays:
                answers = {name: arrays[name] for name in arrays.files}
            differences[child.system.name] = max_difference(answers, expected.setdefault(same, answers))
    return differences


def max_difference(answers: Answers, expected: Answers) -> float:
    """Largest difference relative to the largest entry of the array it is in; infinite if an array is missing.

    An array of nothing but rounding errors, such as the gradient of a query that no softmax depends on, is measured
    by a hundredth of the largest entry of all arrays.
    """
    if answers.keys() != expected.keys():
        return float("inf")
    largest = {name: np.abs(value).max() for name, value in expected.items()}
    floor = max(max(largest.values()) / 100, float(np.finfo(np.float32).tiny))
    apart = [np.abs(answers[name] - expected[name]).max() / max(largest[name], floor) for name in expected]
    return float(np.max(apart))  # NaN stays NaN
