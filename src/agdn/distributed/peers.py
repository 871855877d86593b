"""What training asks of the other ranks, for both ways of sharing the work.

the graph in parts       loss = sum over ranks of their shares            gradient = sum over ranks
batches dealt out        loss = mean over the ranks that have one         gradient = their mean
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load as tensors_from_bytes
from safetensors.torch import save as tensors_to_bytes
from torch import Tensor, nn

from agdn.distributed.world import World
from agdn.sampling.streams import derived
from agdn.training import checkpoint
from agdn.training.checkpoint_file import CheckpointRecord
from agdn.training.state import Best, State

STEP = 7  # what the seed is used for, beside what samplers use it for


class WorldPeers:
    """What both have in common; see :class:`agdn.training.peers.Peers`."""

    steps_at_once = 1

    def __init__(self, world: World) -> None:
        self.world, self.size, self.is_first = world, world.size, world.rank == 0

    def signal(self, own: int | None) -> int | None:
        return self.world.highest(own or 0, "a look for signals") or None

    def first_does(self, action: Callable[[], Any]) -> Any:
        return self.world.first_does(action)

    def hand_over(self, state: State) -> None:
        content: list[bytes | None] = [None, None, None]
        if self.is_first:
            record, tensors = checkpoint.captured(state)
            weights = {} if state.best is None or state.best.weights is None else state.best.weights
            content = [record.model_dump_json().encode(), _packed(tensors), _packed(weights)]
        record_bytes, tensor_bytes, best_bytes = (self.world.from_first(part, "the saved state") for part in content)
        if self.is_first:
            return
        record, best = CheckpointRecord.model_validate(json.loads(record_bytes)), None
        if record.best is not None:
            weights = tensors_from_bytes(best_bytes)
            best = Best(record.best.epoch, record.best.value, record.best.record, weights or None)
        checkpoint.restore(Path("rank 0"), state, record, tensors_from_bytes(tensor_bytes), best)

    def _joined(self, tensors: list[Tensor | None], like: Sequence[Tensor], what: str) -> tuple[list[Tensor], Tensor]:
        """The sums of all ranks, None counting as zeros, and how many ranks had each; one exchange a dtype."""
        present = self.world.sum(torch.tensor([float(tensor is not None) for tensor in tensors]), what)
        sums: list[Tensor] = list(like)
        for dtype in dict.fromkeys(tensor.dtype for tensor in like):
            chosen = [at for at, tensor in enumerate(like) if tensor.dtype == dtype and present[at] > 0]
            if not chosen:
                continue
            filled = [torch.zeros_like(like[at]) if tensors[at] is None else tensors[at] for at in chosen]
            flat = self.world.sum(torch.cat([tensor.reshape(-1) for tensor in filled]), what)  # type: ignore[union-attr]
            for at, part in zip(chosen, flat.split([like[at].numel() for at in chosen]), strict=True):
                sums[at] = part.view_as(like[at])
        return sums, present


class GraphPeers(WorldPeers):
    """Ranks that have a part of the graph each; every rank draws the same random numbers."""

    def begin_step(self, epoch: int, step: int) -> None:
        pass

    def joint_loss(self, loss: Tensor | None) -> float | None:
        if loss is None:
            raise ValueError("a rank with a part of the graph has no loss; all ranks take part in every step")
        return float(self.world.sum(loss.detach().double(), "loss"))

    def join_gradients(self, model: nn.Module) -> None:
        parameters = list(model.parameters())
        sums, present = self._joined([p.grad for p in parameters], parameters, "gradients")
        for parameter, total, ranks in zip(parameters, sums, present.tolist(), strict=True):
            parameter.grad = total if ranks else None


class BatchPeers(WorldPeers):
    """Ranks that take batches of their own. What a rank draws in a step follows from seed, epoch, step and rank alone.

    Running means of norms are averaged with the gradients, so that every rank has the same state after every step.
    """

    def __init__(self, world: World, seed: int) -> None:
        super().__init__(world)
        self.seed, self.steps_at_once = seed, world.size
        self._takes_part, self._ranks = False, 0

    def begin_step(self, epoch: int, step: int) -> None:
        torch.manual_seed(derived(self.seed, STEP, epoch, step, self.world.rank))

    def joint_loss(self, loss: Tensor | None) -> float | None:
        self._takes_part = loss is not None
        own = [0.0, 0.0] if loss is None else [float(loss.detach()), 1.0]
        total, ranks = self.world.sum(torch.tensor(own, dtype=torch.float64), "loss").tolist()
        self._ranks = int(ranks)
        return total / ranks if ranks else None

    def join_gradients(self, model: nn.Module) -> None:
        parameters = list(model.parameters())
        sums, present = self._joined([p.grad for p in parameters], parameters, "gradients")
        for parameter, total, ranks in zip(parameters, sums, present.tolist(), strict=True):
            parameter.grad = total / self._ranks if ranks else None
        self._join_buffers([b for b in model.buffers() if b.is_floating_point()])
        for counter in (b for b in model.buffers() if b.dtype == torch.int64 and b.dim() == 0):
            counter.fill_(self.world.highest(int(counter), "counters"))

    @torch.no_grad()
    def _join_buffers(self, buffers: list[Tensor]) -> None:
        own = [buffer if self._takes_part else None for buffer in buffers]
        for buffer, total in zip(buffers, self._joined(own, buffers, "running means")[0], strict=True):
            buffer.copy_(total / self._ranks)


def _packed(tensors: dict[str, Tensor]) -> bytes:
    return tensors_to_bytes({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()})
