"""Several worker processes at once: each takes the next experiment when it is free."""

from __future__ import annotations

import selectors
from collections.abc import Callable, Sequence
from typing import Any

from agdn.experiments.experiment import Experiment
from agdn.experiments.worker_process import WorkerProcess, raise_failure
from agdn.training.signals import Interrupted, Stop, caught

POLL_SECONDS = 0.2


class Worker(WorkerProcess):
    """A worker process and the experiment that it is at."""

    def __init__(self, threads: int) -> None:
        super().__init__("agdn.experiments.worker", threads)
        self.experiment: Experiment | None = None

    def give(self, experiment: Experiment, *, resume: bool, checkpoint_seconds: float) -> None:
        self.experiment = experiment
        self.send(
            {
                "config": experiment.config.model_dump(mode="json"),
                "seed": experiment.seed,
                "folder": str(experiment.folder),
                "resume": resume,
                "checkpoint_seconds": checkpoint_seconds,
            }
        )

    def answer(self) -> dict[str, Any]:
        """What became of the experiment; a worker that died of something else is a mistake that names it."""
        if (answer := self.receive()) is not None:
            return answer
        assert self.experiment is not None
        return {
            "mistake": f"the process of {self.experiment.folder} ended with {self.how_it_ended()}, perhaps for want of "
            "memory; go on with --resume --jobs 1"
        }


def run_side_by_side(
    experiments: Sequence[Experiment],
    *,
    jobs: int,
    threads: int,
    resume: bool,
    checkpoint_seconds: float,
    finished: Callable[[Experiment], None],
    failed: Callable[[Experiment, ValueError], None] | None = None,
) -> None:
    """Run all experiments, ``jobs`` at a time; a failure lets those under way finish, a signal is passed on to them.

    Where ``failed`` is given it is told of a mistake, and the others go on.
    """
    waiting, failures = list(experiments), []
    workers = [Worker(threads) for _ in range(min(jobs, len(waiting)))]
    try:
        with caught() as stop, selectors.DefaultSelector() as ready:
            for worker in workers:
                ready.register(worker.answers, selectors.EVENT_READ, worker)
                worker.give(waiting.pop(0), resume=resume, checkpoint_seconds=checkpoint_seconds)
            told = False
            while ready.get_map():
                if stop.signal is not None and not told:
                    told = True
                    _pass_on(stop, workers)
                for key, _ in ready.select(POLL_SECONDS):
                    worker = key.data
                    answer, experiment = worker.answer(), worker.experiment
                    if "done" in answer:
                        finished(experiment)
                    elif failed is not None and "mistake" in answer and worker.process.poll() is None:
                        failed(experiment, ValueError(answer["mistake"]))
                    else:
                        failures.append(answer)
                    if waiting and not failures and stop.signal is None:
                        worker.give(waiting.pop(0), resume=resume, checkpoint_seconds=checkpoint_seconds)
                    else:
                        ready.unregister(key.fileobj)
            if stop.signal is not None and (waiting or any("signal" in failure for failure in failures)):
                epochs = [failure.get("epoch", 0) for failure in failures]
                raise Interrupted(stop.signal, max(epochs, default=0))
    finally:
        for worker in workers:
            worker.close()
    if failures:
        raise_failure(failures[0])


def _pass_on(stop: Stop, workers: Sequence[Worker]) -> None:
    for worker in workers:
        if stop.signal is not None and worker.process.poll() is None:
            worker.process.send_signal(stop.signal)
