import subprocess
import sys
from pathlib import Path

import pytest

import agdn
from agdn.experiments import jobs, yaml_text
from agdn.experiments.experiment import Experiment
from agdn.experiments.recipes import read_recipe
from agdn.experiments.result import Run
from agdn.experiments.run import located, run_all
from agdn.experiments.workers import run_side_by_side
from small_runs import SMALL, small

FEW = {"training.epochs": 3, "model.hidden_channels": 4, "model.hops": 2, "threads": 1}


def test_side_by_side_from_a_script_gives_the_same_bytes(tmp_path: Path) -> None:
    """Workers are processes of their own: a script needs no guard around its main part."""
    (tmp_path / "small.yaml").write_text(yaml_text.write(SMALL))
    script = (
        f"import agdn\nresult = agdn.run({str(tmp_path / 'small.yaml')!r}, seeds=2, jobs=2, "
        f"out={str(tmp_path / 'two')!r})\nprint(result.table())\n"
    )
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("small") == 1
    one = run_all([small()], seeds=2, out=tmp_path / "one", jobs=1, progress=False)[0]
    for run in one.runs:
        other = tmp_path / "two" / "small" / run.folder.name
        assert (run.folder / "model.safetensors").read_bytes() == (other / "model.safetensors").read_bytes()


def test_only_what_is_missing_is_run(tmp_path: Path) -> None:
    ended: list[Run] = []
    for seeds in ([0], [0, 1]):
        run_all([small()], seeds=seeds, out=tmp_path, jobs=1, progress=False, finished=ended.append)
    assert [run.seed for run in ended] == [0, 1]


def test_a_failure_in_a_worker_is_the_same_sentence(tmp_path: Path) -> None:
    broken = small("data.options={num_nodes: 3}")
    experiments = [Experiment(broken, seed, tmp_path / str(seed)) for seed in range(2)]
    with pytest.raises(ValueError, match="csbm needs a homophily"):
        run_side_by_side(
            experiments, jobs=1, threads=1, resume=False, checkpoint_seconds=30, finished=lambda experiment: None
        )


def test_two_recipes_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="have the name 'small'"):
        run_all([small(), small("model.hops=3")], out=tmp_path)


def test_run_and_load_from_the_top(tmp_path: Path) -> None:
    result = agdn.run("digits/agdn", changes=FEW, out=tmp_path, progress=False)
    assert result.metric == "accuracy"
    assert agdn.load(result.runs[0]).evaluate()["test"]["accuracy"] == pytest.approx(result.mean())


def test_jobs_follow_cores_and_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pending = [Experiment(small(), seed, tmp_path) for seed in range(8)]
    monkeypatch.setattr(jobs, "cores", lambda: 4)
    assert jobs.side_by_side(pending, None) == 4
    assert jobs.side_by_side(pending[:3], None) == 3
    assert jobs.side_by_side(pending, 6) == 6
    assert jobs.threads_each(3) == 1
    monkeypatch.setattr(jobs.memory_estimate, "available", lambda device: 1)
    assert jobs.side_by_side(pending, None) == 1
    with pytest.raises(ValueError, match="jobs must be at least 1, got 0"):
        jobs.side_by_side(pending, 0)


def test_several_files_of_features_are_found_from_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = located(read_recipe("digits/mlp", ["data.features=[a.npy, sub/b.npy]"]), None)
    assert config.data.features == (str(tmp_path / "a.npy"), str(tmp_path / "sub" / "b.npy"))
