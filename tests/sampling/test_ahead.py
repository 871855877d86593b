import threading
import time

import pytest
import torch

from agdn import Graph
from agdn.sampling import Batch, NeighbourSampler, RandomPartition, batches
from graphs import random_edges

GRAPH = Graph(random_edges(200, 900), 200)


class Counting:
    """Batches that say when they are made, and one that fails."""

    def __init__(self, count: int, broken: int | None = None) -> None:
        self.count, self.broken = count, broken
        self.made: list[int] = []

    def __len__(self) -> int:
        return self.count

    def batch(self, epoch: int, index: int) -> Batch:
        if index == self.broken:
            raise RuntimeError(f"batch {index} cannot be made")
        self.made.append(index)
        return Batch(GRAPH, torch.tensor([epoch, index]), 0)


def at_work() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("agdn-batches")]


@pytest.mark.parametrize("prefetch", [0, 1, 2, 7])
@pytest.mark.parametrize("start", [0, 2, 5])
def test_the_same_batches_as_a_plain_loop_from_anywhere(start: int, prefetch: int) -> None:
    for sampler in (RandomPartition(GRAPH, 5), NeighbourSampler(GRAPH, torch.arange(100), (3, 2), batch_size=20)):
        found = list(batches(sampler, 3, start=start, prefetch=prefetch))
        expected = [sampler.batch(3, i) for i in range(start, 5)]
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert torch.equal(a.nodes, b.nodes)
            assert torch.equal(a.graph.indices, b.graph.indices)
            assert torch.equal(a.graph.origin, b.graph.origin)
    assert not at_work()


def test_so_many_are_made_ahead_and_no_more() -> None:
    sampler = Counting(20)
    stream = batches(sampler, 0, prefetch=3)
    assert sampler.made == []  # nothing before it is asked for
    assert next(stream).nodes.tolist() == [0, 0]
    deadline = time.monotonic() + 10
    while len(sampler.made) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert sampler.made == [0, 1, 2, 3]
    assert [int(batch.nodes[1]) for batch in stream] == list(range(1, 20))


@pytest.mark.parametrize("prefetch", [0, 2])
def test_what_goes_wrong_reaches_the_caller_in_its_turn(prefetch: int) -> None:
    stream = batches(Counting(6, broken=3), 0, prefetch=prefetch)
    assert [int(next(stream).nodes[1]) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(RuntimeError, match="batch 3 cannot be made"):
        next(stream)
    assert not at_work()


def test_leaving_the_loop_ends_the_thread() -> None:
    sampler = Counting(1000)
    stream = batches(sampler, 0)
    for batch in stream:
        if batch.nodes[1] == 4:
            break
    assert at_work()
    stream.close()
    assert not at_work()
    assert len(sampler.made) <= 8
    for _ in batches(sampler, 0):
        break
    assert not at_work()  # nobody holds it any more


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"start": 6}, r"start must lie in 0\.\.5"),
        ({"start": -1}, "got -1"),
        ({"prefetch": -1}, "prefetch must be 0 or more"),
        ({"epoch": -1}, "got epoch -1"),
    ],
)
def test_wrong_options_are_told_at_once(options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        batches(RandomPartition(GRAPH, 5), **{"epoch": 0, **options})
