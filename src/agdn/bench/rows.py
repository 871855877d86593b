"""Measurements as rows: time, peak memory, and the ratio to a reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from agdn.bench.child import System
from agdn.bench.rounds import Effort, Outcome, measure


@dataclass(frozen=True)
class Row:
    """One line of a result.

    Attributes:
        section: The comparison it belongs to.
        system, phase: Who did what.
        seconds: Best run; None when out of memory.
        peak_bytes: Most resident memory above what was resident before the phase.
        ratio: How many times faster than the reference: the reference's seconds, times how often its work is done
            here, over these seconds.
        reference: What the ratio compares with.
        status: ``"ok"`` or ``"out of memory"``.
        runs: Seconds of every run.
        buffers: Peak memory in units of one hop, N x heads x channels floats.
        difference: Largest relative difference of outputs and gradients from the first system that computes the same.
        rate: Things done per second, where they are counted.
    """

    section: str
    system: str
    phase: str
    seconds: float | None
    peak_bytes: int | None
    ratio: float | None = None
    reference: str | None = None
    status: str = "ok"
    runs: tuple[float, ...] = ()
    buffers: float | None = None
    difference: float | None = None
    rate: float | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Remainder:
    """A row that is not measured: the time of a system less that of a part of it measured alone."""

    name: str
    phase: str
    whole: str
    part: str
    reference: str


@dataclass(frozen=True)
class Section:
    """One comparison: systems that do the same work, or the same system at several sizes."""

    title: str
    systems: tuple[System, ...]
    remainders: tuple[Remainder, ...] = ()
    hop_bytes: int | None = None

    def only(self, words: Sequence[str]) -> Section:
        """The systems that one of the words names, or is a part of the name of, and what follows from them."""
        if not words:
            return self
        names: set[str] = set()
        for word in words:
            exact = {system.name for system in self.systems if system.name == word}
            names |= exact or {system.name for system in self.systems if word.lower() in system.name.lower()}
        kept = tuple(system for system in self.systems if system.name in names)
        remainders = tuple(r for r in self.remainders if {r.whole, r.part, r.reference} <= names)
        return replace(self, systems=kept, remainders=remainders)


def rows_of(section: Section, effort: Effort, say: Callable[[str], None]) -> list[Row]:
    """Measure a section."""
    outcome = measure(section.systems, effort, say)
    seconds = {key: measurement.seconds for key, measurement in outcome.measurements.items()}
    rows = [_row(section, system, phase, outcome, seconds) for system in section.systems for phase in system.phases]
    return rows + [_remainder(section, rest, seconds) for rest in section.remainders]


def _remainder(section: Section, rest: Remainder, seconds: dict[tuple[str, str], float | None]) -> Row:
    whole, part = seconds[rest.whole, rest.phase], seconds[rest.part, rest.phase]
    left = None if whole is None or part is None else whole - part
    ratio = _ratio(seconds[rest.reference, rest.phase], left)
    status = "out of memory" if left is None else "ok"
    return Row(section.title, rest.name, rest.phase, left, None, ratio, rest.reference, status)


def _row(
    section: Section, system: System, phase: str, outcome: Outcome, seconds: dict[tuple[str, str], float | None]
) -> Row:
    measurement = outcome.measurements[system.name, phase]
    peak, reference = None if measurement.out_of_memory else measurement.peak_bytes, None
    if system.reference is not None:
        reference = seconds.get((system.reference, phase))
    return Row(
        section.title,
        system.name,
        phase,
        measurement.seconds,
        peak,
        _ratio(None if reference is None else reference * system.reference_factor, measurement.seconds),
        system.reference,
        "out of memory" if measurement.out_of_memory else "ok",
        tuple(measurement.runs),
        None if peak is None or section.hop_bytes is None else peak / section.hop_bytes,
        outcome.differences.get(system.name),
        _ratio(system.units, measurement.seconds),
    )


def _ratio(amount: float | None, seconds: float | None) -> float | None:
    return None if amount is None or seconds is None or seconds <= 0 else amount / seconds
