"""Other processes that train the same model in step with this one, as the loop sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from torch import Tensor, nn


class Peers(Protocol):
    """Every method is called by all processes together, in the same order.

    Attributes:
        size: How many processes there are.
        is_first: Whether this one writes what is written.
        steps_at_once: How many of the task's steps one step of the loop takes.
    """

    size: int
    is_first: bool
    steps_at_once: int

    def begin_step(self, epoch: int, step: int) -> None:
        """Before the loss of a step is computed."""

    def joint_loss(self, loss: Tensor | None) -> float | None:
        """The loss of a step over all processes; None where none has any."""

    def join_gradients(self, model: nn.Module) -> None:
        """After backward: every process has the gradients of the joint loss."""

    def signal(self, own: int | None) -> int | None:
        """The signal that this process or another one was sent."""

    def first_does(self, action: Callable[[], Any]) -> Any:
        """What the first process returns (JSON can hold it), or the error that it raises."""

    def hand_over(self, state: Any) -> None:
        """Every process goes on from the state of the first."""


class Alone:
    """A process without others."""

    size = steps_at_once = 1
    is_first = True

    def begin_step(self, epoch: int, step: int) -> None:
        pass

    def joint_loss(self, loss: Tensor | None) -> float | None:
        return None if loss is None else float(loss.detach())

    def join_gradients(self, model: nn.Module) -> None:
        pass

    def signal(self, own: int | None) -> int | None:
        return own

    def first_does(self, action: Callable[[], Any]) -> Any:
        return action()

    def hand_over(self, state: Any) -> None:
        pass


ALONE: Peers = Alone()
