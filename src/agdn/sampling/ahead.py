"""The batches of an epoch in turn, the next ones made while the last one is used."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from agdn.sampling.batch import Batch, Sampler


def batches(sampler: Sampler, epoch: int, *, start: int = 0, stride: int = 1, prefetch: int = 2) -> Iterator[Batch]:
    """The batches ``start``, ``start + stride``, ... of an epoch.

    A thread of its own makes them, up to ``prefetch`` ahead; the compiled samplers do not hold Python's lock while
    they work. What goes wrong there is raised here. The thread ends with the loop, however the loop ends.

    Args:
        start: The first batch, for a run that goes on in the middle of an epoch.
        stride: From one batch to the next; more than 1 where several processes share an epoch.
        prefetch: 0 makes each batch when it is asked for, without a thread.
    """
    if epoch < 0:
        raise ValueError(f"epochs are numbered from 0, got epoch {epoch}")
    if not 0 <= start <= len(sampler):
        raise ValueError(f"start must lie in 0..{len(sampler)}, the batches of an epoch; got {start}")
    if prefetch < 0:
        raise ValueError(f"prefetch must be 0 or more batches, got {prefetch}")
    if stride < 1:
        raise ValueError(f"stride must be at least 1, got {stride}")
    indices = range(start, len(sampler), stride)
    return _made_ahead(sampler, epoch, indices, prefetch) if prefetch else (sampler.batch(epoch, i) for i in indices)


def _made_ahead(sampler: Sampler, epoch: int, indices: range, prefetch: int) -> Iterator[Batch]:
    waiting: deque[Future[Batch]] = deque()
    with ThreadPoolExecutor(1, thread_name_prefix="agdn-batches") as thread:
        try:
            for index in indices:
                waiting.append(thread.submit(sampler.batch, epoch, index))
                if len(waiting) > prefetch:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
