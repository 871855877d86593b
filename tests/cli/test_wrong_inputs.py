"""What a user gets wrong is one sentence on standard error that names the thing at fault, and exit code 2."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from agdn.cli import main
from agdn.data import store
from agdn.data.dataset import Dataset, NodeSplit
from agdn.experiments import yaml_text
from agdn.experiments.run_folder import claim
from agdn.graph import Graph
from small_runs import SMALL, small

DIGITS = ("train", "digits/mlp")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a recipe, a data set of each kind of defect, and runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AGDN_DATA", raising=False)
    monkeypatch.setenv("AGDN_CACHE", str(tmp_path / "cache"))
    Path("small.yaml").write_text(yaml_text.write(SMALL))
    Path("broken.yaml").write_text("model: {name: AGDN\n")
    Path("twice.yaml").write_text("model: {}\nmodel: {}\n")
    Path("notes.txt").write_text("no data set")
    _store("nan", x=torch.tensor([[1.0], [np.nan], [0.0], [1.0]]))
    _store("unlabelled", y=None)
    _store("half-labelled", y=torch.tensor([0, 1, -1, 1]))
    _store("links", target="link", metric="hits@50")
    _store("numbers", y=torch.tensor([0.5, 1.5, 2.5, 3.5]), target="numeric", metric="accuracy")
    claim(Path("taken/small/seed-0"), small("model.hops=9"))
    claim(Path("stopped/small/seed-0"), small())
    Path("stopped/small/seed-0/metrics.jsonl").write_text("{}\n")
    Path("empty").mkdir()
    return tmp_path


def _store(name: str, **changes: object) -> None:
    content = {
        "name": name,
        "graph": Graph(torch.tensor([[0, 1], [1, 0]]), 4),
        "target": "class",
        "metric": "accuracy",
        "splits": (NodeSplit(torch.tensor([0, 3]), torch.tensor([1]), torch.tensor([2])),),
        "x": torch.ones(4, 1),
        "y": torch.tensor([0, 1, 0, 1]),
        **changes,
    }
    store.save(Dataset(**content), name, key="")  # type: ignore[arg-type]


def on(folder: str) -> tuple[str, ...]:
    return ("train", "small.yaml", "--set", f"data.name={folder}", "--out", "new")


def changed(*changes: str) -> tuple[str, ...]:
    return ("train", "small.yaml", "--out", "new", *(word for change in changes for word in ("--set", change)))


WRONG: dict[str, tuple[tuple[str, ...], str]] = {
    "misspelt recipe": (("train", "digits/agnd"), "unknown recipe 'digits/agnd': did you mean 'digits/agdn'?"),
    "recipe file that is not there": (("train", "mine.yaml"), "the recipe file mine.yaml does not exist"),
    "broken recipe file": (("train", "broken.yaml"), "broken.yaml, line 2 is not YAML"),
    "key twice": (("train", "twice.yaml"), "line 2 is not YAML: the key 'model' stands twice"),
    "misspelt key": (changed("model.hop=5"), "unknown key of AGDN 'model.hop': did you mean 'model.hops'?"),
    "misspelt section": (changed("modle.hops=5"), "unknown key 'modle': did you mean 'model'?"),
    "wrong type": (changed("model.hops=many"), "model.hops: Input should be a valid integer, got 'many'"),
    "no assignment": (changed("model.hops"), "--set 'model.hops' is not of the form key.path=value"),
    "negative epochs": (
        changed("training.epochs=-1"),
        "training.epochs: input should be greater than or equal to 0, got -1",
    ),
    "unknown model": (changed("model.name=GNC"), "unknown model.name 'GNC': did you mean 'GCN'?"),
    "unknown transition": (changed("model.transition=gatt"), "unknown model.transition 'gatt': did you mean 'gat'?"),
    "negative hops": (changed("model.hops=-1"), "hops must not be negative, got -1"),
    "rate past one": (changed("model.dropout=1.2"), "model.dropout must lie in [0, 1), got 1.2"),
    "no layers": (changed("model.num_layers=0"), "num_layers must be at least 1, got 0"),
    "unknown optimiser": (changed("training.optimizer=adm"), "training.optimizer"),
    "unknown loss": (
        changed("task.loss=cross"),
        "has the losses cross_entropy, loge, savage, loge_savage, not 'cross'",
    ),
    "unknown device": ((*changed(), "--device", "tpu"), "the device 'tpu' is not to be had here; choose from cpu"),
    "unknown data set": (changed("data.name=corra"), "there is no data set named 'corra'; did you mean cora"),
    "option of no generator": (changed("data.options={nodes: 3}"), "csbm has no option 'nodes'"),
    "data folder that is not there": ((*changed(), "--data", "nowhere"), "the data folder nowhere does not exist"),
    "data that are not in the folder": (
        (*changed("data.name=cora"), "--data", "empty"),
        "cora was not found in",
    ),
    "empty split": (
        changed("data.split={name: random, fractions: [1, 0, 0]}"),
        "the valid part of csbm is empty; choose or make another split",
    ),
    "shares that do not sum to one": (
        changed("data.split={name: random, fractions: [0.5, 0.1, 0.1]}"),
        "fractions must be three shares",
    ),
    "NaN features": (on("nan"), "x holds NaN or infinity, first in the row of node 1"),
    "no labels": (on("unlabelled"), "unlabelled has no labels"),
    "labels missing in a part": (on("half-labelled"), "1 nodes of the test part have no label, first node 2"),
    "links for a node model": (on("links"), "links asks for links"),
    "a metric that does not fit": (on("numbers"), "a numeric target is scored by mae or r2, not 'accuracy'"),
    "features that are not there": (changed("data.features=x.npy"), "x.npy"),
    "seeds that are none": ((*DIGITS, "--seeds", "a-b"), "--seeds 'a-b' is not a list of seeds"),
    "seed too large": ((*DIGITS, "--seeds", "99999999999"), "seeds must be whole numbers from 0"),
    "no jobs": ((*DIGITS, "--seeds", "0,1", "--jobs", "0"), "jobs must be at least 1, got 0"),
    "no recipe": (("train",), "Missing argument"),
    "unknown option": ((*DIGITS, "--epochs", "5"), "No such option"),
    "unknown command": (("trian",), "No such command 'trian'"),
    "folder of another run": (
        ("train", "small.yaml", "--out", "taken"),
        "taken/small/seed-0 holds a run of another configuration (model.hops is 9 there, 2 here)",
    ),
    "stopped run without --resume": (("train", "small.yaml", "--out", "stopped"), "holds a run already"),
    "out is a file": (("train", "small.yaml", "--out", "notes.txt"), "notes.txt"),
    "evaluate what is no run": (("evaluate", "empty"), "empty holds no finished run"),
    "evaluate what is not there": (("evaluate", "nowhere"), "there is no run folder nowhere"),
    "predict to another format": (("predict", "empty", "--out", "a.xlsx"), "a.xlsx: predictions are written to"),
    "list what is not listed": (("list", "recipe"), "'recipe' is not one of"),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_sentence_and_exit_code_2(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, sentence = WRONG[name]
    monkeypatch.setattr(sys, "argv", ["agdn", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    lines = [line for line in said.err.strip().splitlines() if line and not line.startswith(("Usage:", "Try "))]
    assert ended.value.code == 2
    assert sentence in said.err
    assert len(lines) == 1, said.err
    assert said.out == ""
