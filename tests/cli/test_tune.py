"""``agdn tune`` from the outside: killed, stopped, used wrongly."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from agdn.cli import cli, main
from agdn.experiments import yaml_text
from small_searches import SPACE, write_recipe

COMMAND = [sys.executable, "-c", "from agdn.cli import main; main()"]
FINISHED = b'"state":1,'


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGDN_KERNELS", "torch")
    monkeypatch.chdir(tmp_path)
    write_recipe(tmp_path)
    Path("space.yaml").write_text(yaml_text.write(SPACE))
    return tmp_path


def agdn(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def finished(journal: Path) -> int:
    return journal.read_bytes().count(FINISHED) if journal.exists() else 0


def wait_for(journal: Path, count: int, process: subprocess.Popen[Any]) -> None:
    until = time.monotonic() + 60
    while finished(journal) < count and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert process.poll() is None, "it ended before it could be disturbed"
    assert finished(journal) >= count


def children(process: subprocess.Popen[Any]) -> list[Path]:
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [Path("/proc") / child for child in found]


def test_killed_and_started_again_nothing_finished_is_lost(place: Path) -> None:
    """Two workers, killed in the middle of trials, with the last line of the journal torn; then to the end."""
    arguments = ["tune", "small.yaml", "--space", "space.yaml", "--set", "training.epochs=60", "--trials", "8"]
    arguments += ["--finalists", "0", "--quiet", "--json"]
    journal = place / "runs" / "small" / "tune.journal"
    killed = subprocess.Popen([*COMMAND, *arguments, "--jobs", "2"], stdout=subprocess.DEVNULL)
    wait_for(journal, 2, killed)
    workers = children(killed)
    killed.kill()
    killed.wait()
    kept = finished(journal)
    with journal.open("ab") as file:
        file.write(b'{"op_code":6,"worker_id":"a1b2","trial_id":2,"sta')
    ended = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    (found,) = json.loads(ended.stdout)
    assert [trial["number"] for trial in found["trials"]] == list(range(8))
    assert 2 <= kept < 8
    lines = [json.loads(line) for line in journal.read_bytes().splitlines()]
    values = [line["values"][0] for line in lines if line["op_code"] == 6 and line["state"] == 1]
    scores = [trial["score"] for trial in found["trials"] if trial["state"] == "complete"]
    assert sorted(values) == sorted(scores), "a finished trial was lost or run twice"
    assert len(workers) == 2
    assert not any(worker.exists() for worker in workers), "workers outlived the one they work for"
    again = agdn(*arguments)
    assert json.loads(again.stdout) == [found]


def test_a_signal_stops_it_and_it_tells_how_to_go_on(place: Path) -> None:
    arguments = ["tune", "small.yaml", "--space", "space.yaml", "--trials", "500", "--quiet"]
    started = subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True)
    wait_for(place / "runs" / "small" / "tune.journal", 1, started)
    (worker,) = children(started)
    started.send_signal(signal.SIGTERM)
    said = started.communicate(timeout=60)[1]
    assert started.returncode == 143
    assert not worker.exists()
    assert said == f"agdn: stopped by SIGTERM; finished trials are kept, go on with: agdn {' '.join(arguments)}\n"


def test_equal_effort_for_several_and_the_best_trains_at_once(place: Path) -> None:
    Path("second.yaml").write_text("extends: small.yaml\nname: second\nmodel: {dropout: 0.5}\n")
    options = (
        "--space",
        "space.yaml",
        "--trials",
        "2",
        "--finalists",
        "1",
        "--final-seeds",
        "3",
        "--file",
        "both.journal",
    )
    told = agdn("tune", "small.yaml", "second.yaml", *options)
    lines = told.stdout.splitlines()
    assert [line for line in lines if "trials:" in line] == [
        "2 trials: 2 complete; the best is runs/small/tuned.yaml",
        "2 trials: 2 complete; the best is runs/second/tuned.yaml",
    ]
    assert "second trial 1: valid accuracy" in told.stderr
    assert "small trial" in told.stderr
    trained = json.loads(agdn("train", "runs/second/tuned.yaml", "--json", "--quiet").stdout)
    assert trained[0]["name"] == "second-tuned"
    assert os.listdir("runs/second-tuned") == ["seed-0"]


WRONG: dict[str, tuple[tuple[str, ...], str]] = {
    "misspelt recipe": (("digits/agnd",), "unknown recipe 'digits/agnd'"),
    "misspelt space": (("small.yaml", "--space", "usal"), "unknown space 'usal': did you mean 'usual'?"),
    "misspelt key": (("small.yaml", "--space", "hop.yaml"), "hop.yaml does not fit: small.yaml: unknown key of MLP"),
    "no trials": (("small.yaml", "--trials", "0"), "trials must be at least 1, got 0"),
    "no jobs": (("small.yaml", "--jobs", "0"), "jobs must be at least 1, got 0"),
    "seeds that are none": (("small.yaml", "--seeds", "a"), "--seeds 'a' is not a list of seeds"),
    "one best of several": (("small.yaml", "digits/mlp", "--best", "b.yaml"), "--best names one file"),
    "twice the same": (("small.yaml", "small.yaml"), "two of the recipes have the name 'small'"),
    "a journal that is none": (("small.yaml", "--file", "space.yaml"), "space.yaml, line 1 is not of a search"),
    "a journal that is a folder": (("small.yaml", "--file", "."), ". cannot be used: Is a directory"),
    "out is a file": (("small.yaml", "--out", "space.yaml"), "space.yaml"),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_sentence_and_exit_code_2(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("hop.yaml").write_text("model.hop: [1]\n")
    arguments, sentence = WRONG[name]
    monkeypatch.delenv("AGDN_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["agdn", "tune", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capfd.readouterr()
    assert ended.value.code == 2
    assert sentence in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert said.out == ""


def test_without_optuna_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agdn.cli.tune.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"the search needs Optuna; install it with: pip install 'agdn\[tune\]'"):
        agdn("tune", "small.yaml")
