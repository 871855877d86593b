import time

import numpy as np

from agdn.bench.peers import serve


def test_time_of_a_phase() -> None:
    calls: list[str] = []

    def phase() -> None:
        calls.append("run")
        time.sleep(0.05 if "reset" in calls else 0.5)

    reply = serve.timed(phase, lambda: calls.append("reset"), lambda keep: calls.append(f"keep {keep}"))
    assert 0.05 < reply["seconds"] < 0.5  # the second run's
    assert calls == ["keep True", "run", "reset", "run", "keep False"]


def test_peak_memory_of_a_phase() -> None:
    for _ in range(2):  # the second peak starts anew from what is resident then
        assert 190e6 < serve.weighed(lambda: np.ones(25_000_000))["peak_bytes"] < 260e6


def test_memory_is_counted_above_what_was_there_before() -> None:
    held = np.ones(25_000_000)
    assert serve.weighed(lambda: held.sum())["peak_bytes"] < 50e6


def test_failures_are_told_apart() -> None:
    assert serve._failure(MemoryError()) == {"out_of_memory": True}
    allocator = RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes")
    assert serve._failure(allocator) == {"out_of_memory": True}
    assert serve._failure(KeyError("x\ny")) == {"error": r"KeyError: 'x\ny'"}
