import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from agdn.bench import machine
from agdn.bench.child import RESERVED_SHARE, Child, OutOfMemory, System

CAP = 4 << 30


def dropout(floats: int, **options) -> System:
    spec = {"task": "dropout", "folder": "", "rows": floats, "channels": 1, "p": 0.5, "threads": 1}
    return System("torch dropout", "plain", spec, ("forward",), **options)


def test_a_phase_is_timed_and_a_dead_process_is_started_again() -> None:
    with Child(dropout(5_000_000), CAP) as child:
        assert 0 < child.time("forward") < 60
        assert 15e6 < child.weigh("forward") < 200e6  # at least the output of 20 MB
        first = child._process
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        assert child.time("forward") > 0
        assert child._process.pid != first.pid
    assert child._process.returncode == 0


def test_out_of_memory_is_told_from_failure() -> None:
    with Child(dropout(2_000_000_000), CAP) as child, pytest.raises(OutOfMemory):
        child.time("forward")
    with Child(dropout(-1), CAP) as child, pytest.raises(ValueError, match=r"torch dropout .* failed: RuntimeError"):
        child.time("forward")


def test_the_cap_leaves_room_for_what_the_others_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 GB of arrays fits under the cap, but not into the memory that is left."""
    monkeypatch.setattr(machine, "available_memory", lambda: 600_000_000 + int(RESERVED_SHARE * machine.total_memory()))
    with Child(dropout(125_000_000), CAP) as child, pytest.raises(OutOfMemory):
        child.time("forward")


def test_a_wrong_interpreter_is_named(tmp_path: Path) -> None:
    with Child(dropout(1, python=tmp_path / "nowhere"), CAP) as child, pytest.raises(ValueError, match="nowhere"):
        child.time("forward")
    mute = tmp_path / "python"
    mute.write_text(f"#!{sys.executable}\nimport nothing_of_that_name\n")
    mute.chmod(stat.S_IRWXU)
    with (
        Child(dropout(1, python=mute), CAP) as child,
        pytest.raises(ValueError, match="No module named 'nothing_of_that_name'"),
    ):
        child.time("forward")
