"""Several worker processes at once: each takes the next experiment when it is free."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from agdn.experiments.experiment import Experiment
from agdn.training.signals import Interrupted, Stop, caught

POLL_SECONDS = 0.2


class Worker:
    """A worker process and the pipes to it. It has a session of its own: signals reach it through us only."""

    def __init__(self, threads: int) -> None:
        counts = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), str(threads))
        paths = os.pathsep.join(path for path in sys.path if path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "agdn.experiments.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
            env={**os.environ, **counts, "PYTHONPATH": paths},
        )
        self.experiment: Experiment | None = None

    def give(self, experiment: Experiment, *, resume: bool, checkpoint_seconds: float) -> None:
        self.experiment = experiment
        order = {
            "config": experiment.config.model_dump(mode="json"),
            "seed": experiment.seed,
            "folder": str(experiment.folder),
            "resume": resume,
            "checkpoint_seconds": checkpoint_seconds,
        }
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """What became of the experiment; a worker that died of something else is a mistake that names it."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        code = self.process.wait()
        what = f"signal {-code}" if code < 0 else f"exit code {code}"
        assert self.experiment is not None
        return {
            "mistake": f"the process of {self.experiment.folder} ended with {what}, perhaps for want of memory; "
            "go on with --resume --jobs 1"
        }

    def close(self) -> None:
        """Its input ends, and so does it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def run_side_by_side(
    experiments: Sequence[Experiment],
    *,
    jobs: int,
    threads: int,
    resume: bool,
    checkpoint_seconds: float,
    finished: Callable[[Experiment], None],
) -> None:
    """Run all experiments, ``jobs`` at a time; a failure lets those under way finish, a signal is passed on to them."""
    waiting, failures = list(experiments), []
    workers = [Worker(threads) for _ in range(min(jobs, len(waiting)))]
    try:
        with caught() as stop, selectors.DefaultSelector() as ready:
            for worker in workers:
                ready.register(worker.process.stdout, selectors.EVENT_READ, worker)  # type: ignore[arg-type]
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
        _raise(failures[0])


def _pass_on(stop: Stop, workers: Sequence[Worker]) -> None:
    for worker in workers:
        if stop.signal is not None and worker.process.poll() is None:
            worker.process.send_signal(stop.signal)


def _raise(failure: dict[str, Any]) -> None:
    if "signal" in failure:
        raise Interrupted(failure["signal"], failure["epoch"])
    if "mistake" in failure:
        raise ValueError(failure["mistake"])
    if "reason" in failure:
        raise OSError(failure["errno"], failure["reason"], failure["file"])
    raise RuntimeError(f"a run failed in its own process:\n{failure['bug']}")
