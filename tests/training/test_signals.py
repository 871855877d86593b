"""Runs of their own that are asked to stop."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agdn.training.checkpoint import save_weights
from agdn.training.run import train
from agdn.training.signals import Interrupted, caught
from toy_run import built, settings

SCRIPT = Path(__file__).parent.parent / "toy_run.py"


def started(folder: Path, epochs: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT), str(folder), str(epochs)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "NUMBA_NUM_THREADS": "1"})


def rows(folder: Path) -> list[dict[str, object]]:
    """The whole lines of a log."""
    log = folder / "metrics.jsonl"
    return [json.loads(row) for row in log.read_text().split("\n")[:-1]] if log.exists() else []


def wait_for_rows(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    while len(rows(folder)) < count:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)


def test_a_signal_is_noted_and_the_old_handler_comes_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with caught() as stop:
        assert stop.signal is None
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.signal == signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_exit_codes(number: int, code: int) -> None:
    assert Interrupted(number, 3).exit_code == code


def test_a_run_stopped_and_killed_again_and_again_ends_with_the_same_bytes(tmp_path: Path) -> None:
    """SIGTERM, SIGINT, then SIGKILL at unchosen moments: nothing is lost and nothing is different at the end."""
    model, task, inputs = built()
    epochs = 60
    train(model, task, inputs, settings(epochs=epochs), folder=tmp_path / "whole", checkpoint_seconds=1000)
    save_weights(tmp_path / "whole.safetensors", model)

    folder = tmp_path / "run"
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9), (signal.SIGKILL, -9)):
        before = len(rows(folder))
        process = started(folder, epochs)
        wait_for_rows(folder, before + 3, process)
        process.send_signal(number)
        message = process.communicate()[1]
        assert process.returncode == code, message
        assert len(rows(folder)) > before
        if code > 0:
            last = rows(folder)[-1]["epoch"]
            assert f"stopped by {signal.Signals(number).name} after epoch {last}; the state is saved" in message
            assert (folder / "checkpoint" / f"epoch-{last:08d}.json").exists()
    process = started(folder, epochs)
    assert process.wait() == 0, process.communicate()[1]
    assert (folder / "model.safetensors").read_bytes() == (tmp_path / "whole.safetensors").read_bytes()
    logged, whole = rows(folder), rows(tmp_path / "whole")
    assert [row["epoch"] for row in logged] == list(range(1, epochs + 1))
    for row, expected in zip(logged, whole, strict=True):
        assert {**row, "seconds": 0} == {**expected, "seconds": 0}


def test_the_second_signal_ends_it_at_once() -> None:
    code = (
        "import os, signal, time\nfrom agdn.training.signals import caught\n"
        "with caught():\n    os.kill(os.getpid(), signal.SIGINT)\n    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    time.sleep(60)"
    )
    start = time.monotonic()
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 143
    assert time.monotonic() - start < 50
