import json
import os
from pathlib import Path

import pytest
import torch

from agdn.experiments.experiment import Experiment, usable_device
from agdn.experiments.result import read_run
from agdn.experiments.run_folder import alone, claim, read_config
from small_runs import import_small, small


def test_a_run_leaves_its_folder(tmp_path: Path) -> None:
    run = Experiment(small(), 0, tmp_path / "run").run()
    assert sorted(path.name for path in run.folder.iterdir() if not path.name.startswith(".")) == [
        "config.yaml",
        "metrics.jsonl",
        "model.safetensors",
        "result.json",
    ]
    rows = [json.loads(line) for line in (run.folder / "metrics.jsonl").read_text().splitlines()]
    assert [row["epoch"] for row in rows] == [1, 2, 3, 4]
    assert rows[run.best_epoch - 1]["test"] == run.scores["test"]
    assert run.score("valid") == max(row["valid"]["accuracy"] for row in rows)
    assert read_config(run.folder) == small()


def test_a_finished_run_is_not_run_again(tmp_path: Path) -> None:
    first = Experiment(small(), 0, tmp_path / "run").run()
    before = {path: path.stat().st_mtime_ns for path in first.folder.iterdir()}
    assert Experiment(small(), 0, tmp_path / "run").run() == first
    assert {path: path.stat().st_mtime_ns for path in first.folder.iterdir()} == before


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    models = [Experiment(small(), seed, tmp_path / name).run().folder for seed, name in ((0, "a"), (0, "b"), (1, "c"))]
    contents = [(folder / "model.safetensors").read_bytes() for folder in models]
    assert contents[0] == contents[1] != contents[2]


def test_a_run_of_another_configuration_is_not_overwritten(tmp_path: Path) -> None:
    Experiment(small(), 0, tmp_path / "run").run()
    with pytest.raises(ValueError, match=r"\(model.hops is 2 there, 5 here\); give another --out"):
        Experiment(small("model.hops=5"), 0, tmp_path / "run").run()


def test_threads_of_a_run_stay_those_that_it_began_with(tmp_path: Path) -> None:
    claim(tmp_path, small("threads=3"))
    assert claim(tmp_path, small("threads=1")).threads == 3


def test_two_processes_never_write_one_run(tmp_path: Path) -> None:
    claim(tmp_path, small())
    with alone(tmp_path), pytest.raises(ValueError, match="another process is running"):
        Experiment(small(), 0, tmp_path).run()


def test_imported_data_leave_their_transforms(tmp_path: Path) -> None:
    stored = import_small(tmp_path)
    run = Experiment(small(f"data.name={stored}"), 0, tmp_path / "run").run()
    assert (run.folder / "transforms" / "import.json").is_file()
    assert read_run(run.folder).output["class_names"] == ["even", "odd"]


def test_a_device_that_is_not_there_is_named() -> None:
    assert usable_device("cpu") == torch.device("cpu")
    for name in ("tpu", "cuda:99", "", "meta"):
        with pytest.raises(ValueError, match="device"):
            usable_device(name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_fails_loudly(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="denied"):
        Experiment(small(), 0, tmp_path / "run").run()
