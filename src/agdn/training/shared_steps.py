"""The steps of a task dealt out to several processes: each takes its own batches, and all take equally many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor, nn

from agdn.tasks.evaluation import Evaluation
from agdn.tasks.link import LinkTask
from agdn.tasks.node import NodeTask
from agdn.training.peers import Peers


class SharedSteps:
    """A task of which step s of the loop takes the steps s R .. s R + R - 1, one of them here.

    Where an epoch has no multiple of R steps, some processes have no loss in the last one; they take part in it all the
    same. The first process evaluates for all. Everything else is the task's own.
    """

    def __init__(self, task: NodeTask | LinkTask, peers: Peers, rank: int) -> None:
        self.task, self.peers, self.rank = task, peers, rank

    def __getattr__(self, name: str) -> Any:
        return getattr(self.task, name)

    def steps(self, inputs: Any) -> int:
        return -(-self.task.steps(inputs) // self.peers.size)

    def losses(self, model: nn.Module, inputs: Any, *, epoch: int = 0, start: int = 0) -> Iterator[Tensor | None]:
        size, count = self.peers.size, self.task.steps(inputs)
        first = start * size + self.rank
        own = range(first, count, size)
        if own:
            yield from self.task.losses(model, inputs, epoch=epoch, start=first, stride=size)
        for _ in range(self.steps(inputs) - start - len(own)):
            yield None

    def evaluate(self, model: nn.Module, inputs: Any, *, finished: bool = False) -> Evaluation:
        def evaluated() -> dict[str, Any]:
            evaluation = self.task.evaluate(model, inputs, finished=finished)
            return {"scores": evaluation.scores, "valid_loss": evaluation.valid_loss}

        return Evaluation(**self.peers.first_does(evaluated))
