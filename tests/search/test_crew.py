"""Workers that are processes: one test, since each starts some."""

import os
import signal
from dataclasses import dataclass, field

import pytest

from agdn.experiments.config import Config
from agdn.search.crew import Crew, Order
from agdn.search.trial import validation_scores
from small_runs import small


@dataclass
class Heard:
    go: bool = True
    steps: list[int] = field(default_factory=list)
    end: object = None

    def report(self, step: int, score: float) -> bool:
        self.steps.append(step)
        return self.go

    def done(self, scores: list[float]) -> None:
        self.end = scores

    def pruned(self) -> None:
        self.end = "pruned"

    def failed(self, reason: str) -> None:
        self.end = reason


class Lethal(Heard):
    """Kills the worker that reports to it."""

    crew: Crew

    def report(self, step: int, score: float) -> bool:
        (worker,) = self.crew._busy
        os.kill(worker.process.pid, signal.SIGKILL)
        worker.process.wait()
        return True


def order(number: int, outcome: Heard, config: Config, *, prune: bool = True) -> Order:
    return Order(number, config, (0,), outcome, prune=prune)


def test_every_end_of_a_trial_and_the_search_goes_on() -> None:
    plain, ended, quiet, lethal, after = Heard(), Heard(go=False), Heard(), Lethal(), Heard()
    diverging, buggy = Heard(), Heard()
    wild = small("training.optimizer={name: sgd, lr: 1e30}", "training.epochs=20")
    orders = [
        order(0, plain, small()),
        order(1, ended, small()),
        order(2, quiet, small(), prune=False),
        order(3, diverging, wild),
        order(4, lethal, small()),
        order(5, buggy, small().model_copy(update={"model": {"name": "AGDN", "hidden_channels": "four"}})),
        order(6, after, small()),
    ]
    numbers: list[int] = []
    with Crew(1) as crew:
        lethal.crew = crew
        assert crew.describe(small(), 0) == {"metric": "accuracy", "higher_is_better": True}
        with pytest.raises(ValueError, match="the valid part of csbm is empty"):
            crew.describe(small("data.split={name: random, fractions: [1, 0, 0]}"), 0)
        crew.work(lambda: orders.pop(0) if orders else None, numbers.append)
        workers = [worker.process for worker in crew._free]
    assert numbers == [0, 1, 2, 3, 4, 5, 6]
    assert plain.end == quiet.end == after.end == validation_scores(small(), (0,))
    assert len(plain.steps) == 4
    assert (ended.end, len(ended.steps)) == ("pruned", 1)
    assert quiet.steps == []
    assert "the loss became" in str(diverging.end)
    assert lethal.end == "its process ended with signal 9, perhaps for want of memory"
    assert str(buggy.end).startswith("TypeError: ")
    assert all(process.poll() is not None for process in workers)
