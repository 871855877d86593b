"""``agdn train --nproc``: ranks are started, a killed one is started again, and mistakes are told once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agdn.experiments import yaml_text
from parted_runs import losses
from small_runs import SMALL

AGDN = [sys.executable, "-m", "agdn"]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def _recipe(folder: Path, epochs: int) -> Path:
    path = folder / "small.yaml"
    path.write_text(yaml_text.write({**SMALL, "training": {"epochs": epochs}, "distributed": {"partition": "random"}}))
    return path


def _rank(agent: int, number: int) -> int | None:
    children = Path(f"/proc/{agent}/task/{agent}/children").read_text().split()
    for child in children:
        try:
            if f"RANK={number}".encode() in Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
                return int(child)
        except OSError:
            continue
    return None


def _started(recipe: Path, out: Path, *words: str) -> subprocess.Popen[str]:
    fixed = ["--nproc", "2", "--checkpoint-seconds", "0", "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [*AGDN, "train", str(recipe), *fixed, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def _wait_for_epochs(log: Path, count: int, process: subprocess.Popen[str]) -> None:
    while process.poll() is None and not (log.exists() and log.read_text().count("\n") >= count):
        time.sleep(0.02)


def test_a_killed_rank_is_started_again_and_a_stopped_run_goes_on(tmp_path: Path) -> None:
    recipe = _recipe(tmp_path, 60)
    killed, stopped = tmp_path / "killed", tmp_path / "stopped"
    process = _started(recipe, killed)
    _wait_for_epochs(killed / "small" / "seed-0" / "metrics.jsonl", 5, process)
    victim = _rank(process.pid, 1)
    assert victim is not None
    os.kill(victim, signal.SIGKILL)
    said = process.communicate()
    assert process.returncode == 0, said
    assert "small" in said[0]
    assert "Traceback" not in said[1]

    process = _started(recipe, stopped)
    _wait_for_epochs(stopped / "small" / "seed-0" / "metrics.jsonl", 5, process)
    process.send_signal(signal.SIGTERM)
    said = process.communicate()
    assert process.returncode == 143, said
    assert said[1].count("stopped by SIGTERM after epoch") == 1
    assert "Traceback" not in said[1]
    process = _started(recipe, stopped, "--resume")
    said = process.communicate()
    assert process.returncode == 0, said
    folders = [place / "small" / "seed-0" for place in (killed, stopped)]
    assert losses(folders[0]) == losses(folders[1])
    assert len({(place / "model.safetensors").read_bytes() for place in folders}) == 1


def test_a_mistake_is_one_sentence_and_no_restart(tmp_path: Path) -> None:
    process = _started(_recipe(tmp_path, 2), tmp_path / "runs", "--set", "distributed.mode=parts")
    said = process.communicate()
    assert process.returncode == 2
    assert said[1].strip() == (
        "agdn: distributed.mode=parts deals out batches; name a sampler in sampling, or use mode=graph"
    )


def test_the_doctor_of_ranks_under_torchrun() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "agdn"]
    command = [*torchrun, "doctor", "--distributed", "--dataset", "digits", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    for word in ("rank 0", "rank 1", "code of agdn", "dataset", "clocks", "MB/s", "a layer in parts"):
        assert word in done.stdout
    assert "problem" not in done.stdout
