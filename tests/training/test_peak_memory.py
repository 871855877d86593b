import json
import subprocess
import sys

import pytest
import torch

from agdn.training.peak_memory import PeakMemory

SIZE = 200_000_000
IN_A_NEW_PROCESS = f"""
import json, torch
from agdn.training.peak_memory import PeakMemory

cpu, found = torch.device("cpu"), []
torch.ones({SIZE}, dtype=torch.uint8)
watched = PeakMemory(cpu)
found.append(watched.bytes())
torch.ones({SIZE}, dtype=torch.uint8)
found.append(watched.bytes())
found.append(PeakMemory(cpu).bytes())
print(json.dumps(found))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak can be forgotten on Linux alone")
def test_peak_holds_what_was_freed_and_forgets_what_was_before() -> None:
    """In a process of its own: this one may have kept memory that it freed."""
    answer = subprocess.run([sys.executable, "-c", IN_A_NEW_PROCESS], check=True, capture_output=True)
    before, after, again = json.loads(answer.stdout)
    assert after - before > 0.9 * SIZE
    assert again < after - 0.9 * SIZE


def test_unknown_where_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setattr("agdn.training.peak_memory.STATUS", tmp_path / "absent")
    monkeypatch.setattr("agdn.training.peak_memory.CLEAR", tmp_path / "absent" / "file")
    assert PeakMemory(torch.device("cpu")).bytes() is None
