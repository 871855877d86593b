"""``agdn study`` from the outside: planned, stopped, resumed, used wrongly."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agdn.cli import cli, main
from agdn.experiments import yaml_text
from small_runs import SMALL

COMMAND = [sys.executable, "-c", "from agdn.cli import main; main()"]
STUDY = ["study", "oversmoothing", "--set", "recipe=small.yaml", "--set", "bases=[sym]", "--set", "models=[plain,mean]"]
STUDY += ["--set", "hops=[1]", "--set", "residual=[true]", "--seeds", "0", "--jobs", "1"]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGDN_KERNELS", "torch")
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(yaml_text.write({key: value for key, value in SMALL.items() if key != "name"}))
    return tmp_path


def agdn(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


def test_a_plan_runs_nothing(place: Path) -> None:
    assert "2 experiments, 2 runs, 2 to do" in agdn(*STUDY, "--dry-run").output
    facts = json.loads(agdn(*STUDY, "--dry-run", "--json").output)
    assert [each["facts"]["model"] for each in facts] == ["plain", "mean"]
    assert not (place / "studies").exists()


def test_an_estimate_in_hours() -> None:
    said = json.loads(agdn(*STUDY, "--estimate", "--quiet", "--json").output)
    assert (said["runs"], said["finished"]) == (2, 0)
    assert 0 < said["hours"] < 1
    assert "2 runs, 0 finished; the others take about" in agdn(*STUDY, "--estimate", "--quiet").output


def test_stopped_and_resumed(place: Path) -> None:
    """SIGTERM in the second of two runs; the first is kept as it is, the second goes on where it was."""
    arguments = [*STUDY, "--set", "training.epochs=120"]
    log = (
        place
        / "studies/oversmoothing/runs/oversmoothing/small/base-sym_residual-yes_model-mean_K-1/seed-0/metrics.jsonl"
    )
    started = subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 300
    while not (log.is_file() and log.stat().st_size) and started.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    started.send_signal(signal.SIGTERM)
    _, said = started.communicate()
    assert started.returncode == 143
    assert "go on with: agdn study oversmoothing --set recipe=small.yaml" in said
    first = next(place.rglob("result.json"))
    assert first.parent.parent.name.endswith("model-plain_K-1")
    before = first.stat().st_mtime_ns
    assert "1 of 2 runs are not finished" in _page(place, agdn(*arguments, "--finished"))
    done = json.loads(agdn(*arguments, "--resume", "--quiet", "--json").output)
    assert done == {"page": "studies/oversmoothing/oversmoothing.md", "runs": 2, "pending": 0, "failures": []}
    assert first.stat().st_mtime_ns == before
    epochs = [json.loads(line)["epoch"] for line in log.read_text().splitlines()]
    assert epochs == list(range(1, 121))


def _page(place: Path, result: Result) -> str:
    assert result.exit_code == 0
    return (place / "studies/oversmoothing/oversmoothing.md").read_text()


def test_studies_are_listed() -> None:
    names = [each["name"] for each in json.loads(agdn("list", "studies", "--json").output)]
    assert {"oversmoothing", "ablation", "runtime", "depth"} <= set(names)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["study", "ablate"], "unknown study 'ablate': did you mean 'ablation'?"),
        ([*STUDY, "--set", "hop=[1]"], "unknown setting of the study oversmoothing 'hop': did you mean 'hops'?"),
        ([*STUDY, "--dry-run", "--estimate"], "--dry-run, --estimate and --finished each do something else than run"),
        ([*STUDY, "--finished"], "no run of the study oversmoothing in studies/oversmoothing is finished yet"),
        ([*STUDY, "--set", "hops=[1,1]"], "two experiments of the study oversmoothing are the same"),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["agdn", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"agdn: {sentence}")
    assert said.count("\n") == 1
