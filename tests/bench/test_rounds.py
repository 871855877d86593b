from pathlib import Path

import numpy as np
import pytest

from agdn.bench import rounds
from agdn.bench.child import OutOfMemory, System
from agdn.bench.rounds import Effort, max_difference, measure


class FakeChild:
    """Answers at once; the system's spec says how long it claims to have taken, None for out of memory."""

    log: list[str]

    def __init__(self, system: System, memory_cap: int) -> None:
        self.system, self.times = system, iter(system.spec["times"])

    def __enter__(self):
        self.log.append(f"{self.system.name} starts")
        return self

    def __exit__(self, *_: object) -> None:
        self.log.append(f"{self.system.name} ends")

    def weigh(self, phase: str) -> int:
        return int(1000 * self.time(phase))

    def time(self, phase: str) -> float:
        self.log.append(f"{self.system.name} {phase}")
        seconds = next(self.times)
        if seconds is None:
            raise OutOfMemory
        return seconds

    def save_answers(self, file: Path) -> None:
        np.savez(file, out=np.array(self.system.spec["answers"]))


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    FakeChild.log = []
    monkeypatch.setattr(rounds, "Child", FakeChild)
    return FakeChild.log


def system(name: str, *times: float | None, answers: float = 1.0, **options) -> System:
    return System(name, "", {"times": times, "answers": answers}, ("go",), **options)


def test_systems_take_turns_and_the_best_run_counts(log: list[str]) -> None:
    outcome = measure([system("a", 9, 2, 3), system("b", 9, 5, 4)], Effort(repeats=2, warmup=1), lambda _: None)
    assert log[2:-2] == ["a go", "b go"] * 3
    assert outcome.measurements["a", "go"].runs == [2, 3]  # the warm-up is not timed
    assert outcome.measurements["b", "go"].seconds == 4
    assert outcome.measurements["b", "go"].peak_bytes == 9000  # as weighed in the warm-up


def test_what_needs_all_the_memory_runs_before_the_others(log: list[str]) -> None:
    measure([system("a", 1), system("b", 1, alone=True)], Effort(repeats=1, warmup=0), lambda _: None)
    assert log == ["b starts", "b go", "b ends", "a starts", "a go", "a ends"]


def test_out_of_memory_is_an_outcome(log: list[str]) -> None:
    outcome = measure([system("a", 1, None), system("b", 1, 1, 1)], Effort(repeats=3, warmup=0), lambda _: None)
    failed = outcome.measurements["a", "go"]
    assert (failed.out_of_memory, failed.seconds) == (True, None)
    assert log.count("a go") == 2  # not tried again
    assert outcome.measurements["b", "go"].runs == [1, 1, 1]


def test_answers_are_compared_among_those_that_should_agree(log: list[str]) -> None:
    systems = [
        system("a", 1, same_answers="x"),
        system("b", 1, answers=1.5, same_answers="x"),
        system("c", 1, answers=7.0, same_answers="y"),
        system("d", 1, answers=8.0),
    ]
    assert measure(systems, Effort(repeats=1, warmup=0), lambda _: None).differences == {"a": 0, "b": 0.5, "c": 0}


def test_max_difference_is_relative_to_each_array() -> None:
    expected = {"small": np.array([10.0, 0.0]), "large": np.array([100.0]), "noise": np.array([1e-7])}
    assert max_difference(expected, expected) == 0
    assert max_difference({**expected, "small": np.array([20.0, 0.0])}, expected) == pytest.approx(1)
    assert max_difference({**expected, "large": np.array([99.0])}, expected) == pytest.approx(0.01)
    assert max_difference({**expected, "noise": np.array([-1e-7])}, expected) < 1e-6
    assert max_difference({"small": expected["small"]}, expected) == np.inf
    assert np.isnan(max_difference({**expected, "large": np.array([np.nan])}, expected))
