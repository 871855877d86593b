"""Functions run by several real processes that torch.distributed joins, as a test sees them.

Starting a process costs seconds, so the ranks of a size stay and serve one test after another. A test that leaves its
ranks in disorder asks for ranks of its own.
"""

from __future__ import annotations

import atexit
import os
import tempfile
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from queue import Empty
from typing import Any

import torch
import torch.multiprocessing as mp

from agdn.distributed.world import MEETING, World, joined


def on_ranks(function: Callable[..., Any], size: int, *arguments: Any, timeout: float | None = None) -> list[Any]:
    """``function(world, *arguments)`` on every rank; what each returned. With a ``timeout``, on ranks of its own."""
    if timeout is None:
        return _kept(size).run(function, arguments)
    ranks = Ranks(size, timeout)
    try:
        return ranks.run(function, arguments)
    finally:
        ranks.close()


@cache
def _kept(size: int) -> Ranks:
    ranks = Ranks(size, 600)
    atexit.register(ranks.close)
    return ranks


class Ranks:
    """Processes that wait for functions to run."""

    def __init__(self, size: int, timeout: float) -> None:
        context = mp.get_context("spawn")
        self.folder = tempfile.TemporaryDirectory()
        self.asked, self.answers = [context.Queue() for _ in range(size)], context.Queue()
        self.processes = [
            context.Process(target=_serve, args=(rank, size, self.folder.name, timeout, queue, self.answers))
            for rank, queue in enumerate(self.asked)
        ]
        for process in self.processes:
            process.start()

    def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[Any]:
        for queue in self.asked:
            queue.put((function, arguments))
        found: dict[int, Any] = {}
        while len(found) < len(self.processes):
            rank, said = self._next()
            if said is not None:
                self.close()
                _kept.cache_clear()
                raise AssertionError(f"rank {rank}: {said}")
            found[rank] = torch.load(Path(self.folder.name) / f"answer-{rank}", weights_only=True)
        return [found[rank] for rank in range(len(self.processes))]

    def _next(self) -> tuple[int, str | None]:
        while True:
            try:
                answer: tuple[int, str | None] = self.answers.get(timeout=1)
                return answer
            except Empty:
                for rank, process in enumerate(self.processes):
                    if process.exitcode:
                        return rank, f"ended with {process.exitcode}"

    def close(self) -> None:
        for process, queue in zip(self.processes, self.asked, strict=True):
            queue.put(None)
            process.join(10)
            if process.is_alive():
                process.kill()
        self.folder.cleanup()


def _serve(rank: int, size: int, folder: str, timeout: float, asked: Any, answers: Any) -> None:
    torch.set_num_threads(1)
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(size), MEETING: folder}
    with joined(timeout) as world:
        while (task := asked.get()) is not None:
            answers.put((rank, _done(world, folder, *task)))


def _done(world: World, folder: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> str | None:
    try:
        torch.save(function(world, *arguments), Path(folder) / f"answer-{world.rank}")
    except Exception:
        return traceback.format_exc()
    return None
