import shutil
from pathlib import Path

import pytest

from agdn.experiments import yaml_text
from agdn.experiments.card import model_card
from agdn.experiments.experiment import Experiment
from small_runs import import_small, small

PUBLISHED = "published={metric: accuracy, test: 50.0, test_std: 1.5, seeds: ten seeds, source: a paper}"


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "small"
    for seed in (0, 1):
        Experiment(small(PUBLISHED, "description=A small one."), seed, folder / f"seed-{seed}").run()
    return folder


def test_the_card_says_what_the_folder_holds(seeds: Path) -> None:
    text = model_card(seeds)
    assert text.startswith("# small\n\nA small one.\n")
    titles = [line for line in text.splitlines() if line.startswith("## ")]
    named = "Model, Data, Results, Training, Intended use, Limits, How to load it, Versions"
    assert titles == [f"## {title}" for title in named.split(", ")]
    assert "csbm: 120 nodes" in text
    assert "72 train, 24 valid, 24 test" in text
    assert "* every node has exactly one self-loop" in text
    assert "Published: test accuracy 50.0 ± 1.5 (ten seeds), a paper." in text
    assert "To predict one of 4 classes" in text
    assert "| hidden_channels | `4` |" in text
    assert not any(line.endswith(" ") for line in text.splitlines())
    assert "the published one." in text


def test_every_seed_and_their_mean(seeds: Path) -> None:
    both, one = model_card(seeds), model_card(seeds / "seed-1")
    assert both.count("\n| mean ± std |") == 1
    assert [line.split(" | ")[0] for line in both.splitlines() if line.startswith(("| 0", "| 1"))] == ["| 0", "| 1"]
    assert "mean ± std" not in one
    assert "The scores are of one seed, 1;" in one
    assert "The scores are of one seed" not in both


def test_its_settings_can_be_read_back(seeds: Path) -> None:
    block = model_card(seeds).split("## Training")[1].split("```yaml\n")[1].split("```")[0]
    assert yaml_text.parse(block, "card")["training"]["epochs"] == 4


def test_limits_follow_the_run(tmp_path: Path) -> None:
    runs = {
        "labels": small("task.labels={}"),
        "inductive": small("task.setting=inductive"),
        "tables": small(f"data.name={import_small(tmp_path)}", "data.options={}"),
        "untrained": small("training.epochs=0"),
    }
    cards = {}
    for name, config in runs.items():
        Experiment(config, 0, tmp_path / name).run()
        cards[name] = model_card(tmp_path / name)
    assert "predicts for the nodes of its data alone" in cards["labels"]
    assert "agdn export" not in cards["labels"]
    assert "agdn export" in cards["inductive"]
    assert "It saw no validation or test node in training." in cards["inductive"]
    assert "New nodes need the columns of the tables that were imported" in cards["tables"]
    assert "Classes: even, odd" in cards["tables"]
    assert str(tmp_path / "stored") not in cards["tables"]
    assert "Nothing was trained." in cards["untrained"]


def test_the_folder_alone_is_enough(tmp_path: Path) -> None:
    stored = import_small(tmp_path)
    Experiment(small(f"data.name={stored}", "data.options={}"), 0, tmp_path / "run").run()
    before = model_card(tmp_path / "run")
    shutil.rmtree(stored)
    assert model_card(tmp_path / "run") == before
