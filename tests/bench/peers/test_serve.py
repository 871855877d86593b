import time

import numpy as np

from agdn.bench.peers import serve


def test_time_and_peak_memory_of_a_phase() -> None:
    def phase() -> np.ndarray:
        time.sleep(0.05)
        return np.ones(25_000_000)

    for _ in range(2):  # the second peak starts anew from what is resident then
        reply = serve.measured(phase)
        assert 0.05 < reply["seconds"] < 10
        assert 190e6 < reply["peak_bytes"] < 260e6


def test_memory_is_counted_above_what_was_there_before() -> None:
    held = np.ones(25_000_000)
    assert serve.measured(lambda: held.sum())["peak_bytes"] < 50e6


def test_failures_are_told_apart() -> None:
    assert serve._failure(MemoryError()) == {"out_of_memory": True}
    allocator = RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes")
    assert serve._failure(allocator) == {"out_of_memory": True}
    assert serve._failure(KeyError("x\ny")) == {"error": r"KeyError: 'x\ny'"}
