"""The worker processes of a search: each takes the next order when it is free, and is replaced when it dies."""

from __future__ import annotations

import selectors
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Protocol, Self

from agdn.experiments.config import Config
from agdn.experiments.jobs import threads_each
from agdn.experiments.worker_process import WorkerProcess, raise_failure
from agdn.training.signals import Interrupted, caught

POLL_SECONDS = 0.2


class Outcome(Protocol):
    """Who is told how an order goes: the score up to a step (the answer is whether to go on), and its end."""

    def report(self, step: int, score: float) -> bool: ...
    def done(self, scores: list[float]) -> None: ...
    def pruned(self) -> None: ...
    def failed(self, reason: str) -> None: ...


@dataclass(frozen=True)
class Order:
    """A trial's configuration, to be scored on seeds; reports come with ``prune`` only."""

    number: int
    config: Config
    seeds: tuple[int, ...]
    outcome: Outcome
    prune: bool


class Crew:
    """So many workers at most; one is started when there is something to do for it."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._free: list[WorkerProcess] = []
        self._busy: dict[WorkerProcess, Order] = {}

    def __enter__(self) -> Self:
        self._signals = ExitStack()
        self._stop = self._signals.enter_context(caught())
        return self

    def __exit__(self, *error: object) -> None:
        for worker in (*self._free, *self._busy):
            worker.close()
        self._signals.close()

    def describe(self, config: Config, seed: int) -> dict[str, Any]:
        """The metric of a configuration's data; what is wrong with the data is an error here, before any trial."""
        worker = self._worker()
        worker.send(self._message("describe", config, (seed,), prune=False))
        answer = worker.receive()
        if answer is None:
            raise ValueError(f"the process that loads the data ended with {worker.how_it_ended()}")
        self._free.append(worker)
        if "metric" not in answer:
            raise_failure(answer)
        return answer

    def work(self, next_order: Callable[[], Order | None], ended: Callable[[int], None]) -> None:
        """Work until there is no order left and the last is done; ``ended`` is called with the number of each."""
        with selectors.DefaultSelector() as ready:
            while True:
                while len(self._busy) < self.jobs and (order := next_order()) is not None:
                    worker = self._worker()
                    self._busy[worker] = order
                    ready.register(worker.answers, selectors.EVENT_READ, worker)
                    worker.send(self._message("score", order.config, order.seeds, prune=order.prune))
                if not self._busy:
                    return
                for key, _ in ready.select(POLL_SECONDS):
                    worker, answer = key.data, key.data.receive()
                    if answer is not None and "step" in answer:
                        go = self._busy[worker].outcome.report(answer["step"], answer["score"])
                        worker.send({"go": go})
                        continue
                    ready.unregister(worker.answers)
                    order = self._busy.pop(worker)
                    self._tell(order.outcome, worker, answer)
                    ended(order.number)
                if self._stop.signal is not None:
                    raise Interrupted(self._stop.signal, 0)

    def _worker(self) -> WorkerProcess:
        return self._free.pop() if self._free else WorkerProcess("agdn.search.worker", threads_each(self.jobs))

    def _message(self, what: str, config: Config, seeds: tuple[int, ...], *, prune: bool) -> dict[str, Any]:
        threads = config.threads or threads_each(self.jobs)
        content = config.model_copy(update={"threads": threads}).model_dump(mode="json")
        return {"what": what, "config": content, "seeds": list(seeds), "prune": prune}

    def _tell(self, outcome: Outcome, worker: WorkerProcess, answer: dict[str, Any] | None) -> None:
        """How an order ended. A file that cannot be used or a signal ends the search, anything else the trial alone."""
        if answer is None:
            outcome.failed(f"its process ended with {worker.how_it_ended()}, perhaps for want of memory")
            worker.close()
            return
        self._free.append(worker)
        if "scores" in answer:
            outcome.done(answer["scores"])
        elif "pruned" in answer:
            outcome.pruned()
        elif "mistake" in answer:
            outcome.failed(answer["mistake"])
        elif "bug" in answer:
            outcome.failed(answer["error"])
        else:
            raise_failure(answer)
