"""``agdn train`` and what follows it, from the outside."""

from __future__ import annotations

import csv
import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agdn.cli import cli
from agdn.experiments import yaml_text
from agdn.experiments.seeds import parse_seeds
from small_runs import SMALL, import_small, write_tables

COMMAND = [sys.executable, "-c", "from agdn.cli import main; main()"]


def agdn(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "small.yaml").write_text(yaml_text.write(SMALL))
    return tmp_path / "small.yaml"


def test_two_recipes_in_one_table(recipe: Path, tmp_path: Path) -> None:
    second = tmp_path / "second.yaml"
    second.write_text("extends: small.yaml\nname: second\nmodel: {name: GCN, hidden_channels: 4}\n")
    ended = agdn("train", recipe, second, "--seeds", "0-1", "--jobs", "1", "--out", tmp_path / "runs", "--quiet")
    lines = [line.split("\t") for line in ended.output.splitlines()]
    assert lines[1][:6] == ["recipe", "metric", "seeds", "valid", "test", "first minus this"]
    assert [line[0] for line in lines[2:]] == ["small", "second"]
    assert lines[3][5].count("±") == 1


def test_settings_can_be_chosen_without_a_look_at_the_test_nodes(recipe: Path, tmp_path: Path) -> None:
    second = tmp_path / "second.yaml"
    second.write_text("extends: small.yaml\nname: second\nmodel: {name: GCN, hidden_channels: 4}\n")
    out = tmp_path / "runs"
    ended = agdn("train", recipe, second, "--seeds", "0-1", "--jobs", "1", "--out", out, "--hide-test")
    assert "test" not in ended.output.split("look at what came out")[0]
    assert ended.stderr.count(": validation accuracy ") == 4
    lines = [line.split("\t") for line in ended.stdout.splitlines()]
    assert lines[1][:5] == ["recipe", "metric", "seeds", "valid", "first minus this"]
    valid = [
        json.loads(agdn("train", path, "--seeds", "0-1", "--out", out, "--json", "--quiet").stdout)
        for path in (recipe, second)
    ]
    first, other = (result[0]["valid"]["mean"] for result in valid)
    assert float(lines[3][4].split(" ± ")[0]) == pytest.approx(100 * (first - other), abs=0.01)


def test_json_has_every_score(recipe: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="leave out --hide-test, or --json"):
        agdn("train", recipe, "--out", tmp_path / "runs", "--json", "--hide-test")


def test_json_and_the_second_time(recipe: Path, tmp_path: Path) -> None:
    arguments = ("train", recipe, "--set", "model.hops=1", "--out", tmp_path / "runs", "--json", "--quiet")
    first, second = (json.loads(agdn(*arguments).stdout) for _ in range(2))
    assert first == second
    assert first[0]["runs"][0]["seed"] == 0
    evaluated = json.loads(agdn("evaluate", tmp_path / "runs" / "small", "--json").stdout)
    assert evaluated[0]["scores"] == first[0]["runs"][0]["scores"]
    assert "test\taccuracy" in agdn("evaluate", tmp_path / "runs" / "small" / "seed-0").stdout


def test_predictions_for_old_and_new_nodes(recipe: Path, tmp_path: Path) -> None:
    changes = ("--set", f"data.name={import_small(tmp_path)}")
    agdn("train", recipe, *changes, "--out", tmp_path / "runs", "--quiet")
    run = tmp_path / "runs" / "small" / "seed-0"
    assert "60 nodes" in agdn("predict", run, "--out", tmp_path / "old.csv").stdout
    nodes, edges = write_tables(tmp_path / "new", first=100, count=8, target=False)
    told = agdn("predict", run, "--nodes", nodes, "--edges", edges, "--out", tmp_path / "new.csv", "--json")
    assert json.loads(told.stdout)["rows"] == 8
    with (tmp_path / "new.csv").open(newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [f"n{row}" for row in range(100, 108)]


@pytest.mark.parametrize("kind", ["recipes", "models", "presets", "datasets", "transitions", "weightings", "spaces"])
def test_everything_is_listed_with_a_word_about_it(kind: str) -> None:
    listed = json.loads(agdn("list", kind, "--json").stdout)
    assert listed
    assert all(entry["name"] and entry["description"] for entry in listed)
    assert listed[0]["name"] in agdn("list", kind).stdout


def test_the_doctor_looks_at_everything() -> None:
    told = {row["what"]: row for row in json.loads(agdn("doctor", "--json").stdout)}
    assert told["kernels"]["state"] == "ok"
    assert {"torch", "cores", "free memory", "data folder", "cache folder"} <= set(told)


def test_a_doctor_who_finds_a_problem_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agdn.cli.doctor.NEEDED", ("a-package-that-nobody-has",))
    ended = agdn("doctor")
    assert ended.exit_code == 1
    assert "problem: install it" in ended.output


@pytest.mark.parametrize(("number", "code", "seeds"), [(signal.SIGTERM, 143, "0-1"), (signal.SIGINT, 130, "0")])
def test_a_signal_saves_and_tells_how_to_go_on(
    recipe: Path, tmp_path: Path, number: int, code: int, seeds: str
) -> None:
    """Side by side for one signal, alone for the other; the end is the same, byte for byte."""
    arguments = ["train", str(recipe), "--set", "model={name: MLP, hidden_channels: 4, dropout: 0.3}", "--quiet"]
    arguments += ["--set", "training.epochs=600"]
    stopped = [*arguments, "--seeds", seeds, "--jobs", "2", "--out", str(tmp_path / "stopped")]
    started = subprocess.Popen([*COMMAND, *stopped], stderr=subprocess.PIPE, text=True)
    logs = [tmp_path / "stopped" / "small" / f"seed-{seed}" / "metrics.jsonl" for seed in parse_seeds(seeds)]
    until = time.monotonic() + 60
    while not all(log.exists() and log.stat().st_size > 2000 for log in logs) and time.monotonic() < until:
        time.sleep(0.02)
    started.send_signal(number)
    said = started.communicate(timeout=60)[1]
    assert started.returncode == code, said
    command = shlex.split(said.strip().rsplit("go on with: ", 1)[1])
    assert command == ["agdn", *stopped, "--resume"]
    assert agdn(*command[1:]).exit_code == 0
    agdn(*arguments, "--seeds", "0", "--out", tmp_path / "whole")
    models = [tmp_path / name / "small" / "seed-0" / "model.safetensors" for name in ("stopped", "whole")]
    assert models[0].read_bytes() == models[1].read_bytes()
