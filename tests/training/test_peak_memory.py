import sys

import pytest
import torch

from agdn.training.peak_memory import PeakMemory

CPU = torch.device("cpu")


@pytest.mark.skipif(sys.platform != "linux", reason="the peak can be forgotten on Linux alone")
def test_peak_holds_what_was_freed_and_forgets_what_was_before() -> None:
    size = 200_000_000
    torch.ones(size, dtype=torch.uint8)
    watched = PeakMemory(CPU)
    before = watched.bytes()
    assert before is not None
    torch.ones(size, dtype=torch.uint8)
    after = watched.bytes()
    assert after is not None
    assert after - before > 0.9 * size
    again = PeakMemory(CPU).bytes()
    assert again is not None
    assert again < after - 0.9 * size


def test_unknown_where_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setattr("agdn.training.peak_memory.STATUS", tmp_path / "absent")
    monkeypatch.setattr("agdn.training.peak_memory.CLEAR", tmp_path / "absent" / "file")
    assert PeakMemory(CPU).bytes() is None
