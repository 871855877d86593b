import json
import shutil
from pathlib import Path

import pytest
import torch

from agdn.experiments import yaml_text
from agdn.experiments.card import model_card
from agdn.experiments.checking import checked
from agdn.experiments.experiment import Experiment
from agdn.experiments.overrides import with_overrides
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


LINKS = {
    "name": "links",
    "data": {"name": "csbm", "options": {"num_nodes": 120}, "split": {"name": "edges"}},
    "model": {"name": "AGDN", "hidden_channels": 4, "num_layers": 2, "hops": 2},
    "link": {"embedding_channels": 3},
    "training": {"epochs": 2},
    "threads": 1,
}


def link_card(folder: Path, *changes: str) -> str:
    Experiment(checked(with_overrides(LINKS, changes), "links"), 0, folder).run()
    return model_card(folder)


def test_a_model_of_links(tmp_path: Path) -> None:
    text = link_card(tmp_path / "links")
    result = json.loads((tmp_path / "links" / "result.json").read_text())
    features = result["dataset"]["in_channels"]
    assert f"a state for every node from its {features} features and 3 learnt channels" in text
    assert "519 train, 31 valid, 61 test edges" in text
    assert "at the epoch that was best on the validation edges:" in text
    assert f"hits@20 on test edges in percent, seed by seed: {100 * result['scores']['test']['hits@20']:.2f}." in text
    assert "To rank pairs of nodes of csbm" in text
    assert "It learnt a vector for every node of its data, and so says nothing about new ones." in text
    assert "the test edges had no part" in text
    assert "test nodes" not in text
    assert "agdn export" not in text
    settings = yaml_text.parse(text.split("```yaml\n")[1].split("```")[0], "card")
    assert settings["link"]["embedding_channels"] == 3
    assert set(settings) == {"link", "training"}


def test_its_lines_of_code_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = link_card(tmp_path / "links").split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(code, {"pairs": torch.tensor([[0, 1], [2, 3]])})
    assert (tmp_path / "links.csv").read_text().startswith("source,rank,target,score")


def test_links_without_learnt_vectors_and_without_learning(tmp_path: Path) -> None:
    features = link_card(tmp_path / "features", "link.embedding_channels=null")
    assert "New nodes need features that were made in the same way." in features
    assert "learnt channels" not in features
    without = ("model={name: CommonNeighbours}", "link.embedding_channels=null", "training.epochs=0")
    text = link_card(tmp_path / "common", *without)
    assert "CommonNeighbours, which reads a score for every pair of nodes off the graph." in text
    assert "None; the evaluation took" in text
    assert "Nothing was trained." in text
    assert "It knows the graph alone" in text
    assert "best on the validation" not in text
