"""``agdn embed``, ``agdn export`` and ``agdn card``, from the outside."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result

from agdn.cli import cli, main
from agdn.experiments.experiment import Experiment
from small_runs import small


def agdn(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "small"
    Experiment(small(), 0, folder).run()
    return folder


def test_embed(run: Path, tmp_path: Path) -> None:
    assert "120 nodes, 4 numbers each, from layer 1" in agdn("embed", run, "--out", tmp_path / "e.npy").stdout
    assert np.load(tmp_path / "e.npy").shape == (120, 4)
    told = json.loads(agdn("embed", run, "--out", tmp_path / "e.csv", "--layer", "0", "--json").stdout)
    assert told == {"file": str(tmp_path / "e.csv"), "rows": 120, "columns": 16, "layer": 0}
    assert (tmp_path / "e.csv").read_text().startswith("id,embedding_0,embedding_1,")


def test_export(run: Path, tmp_path: Path) -> None:
    told = agdn("export", run, "--out", tmp_path / "model.pt2").stdout
    assert "input x: (nodes, 16) float32 features" in told
    assert "done inside: every node has exactly one self-loop" in told
    program = torch.export.load(tmp_path / "model.pt2").module()
    assert program(torch.rand(50, 16), torch.randint(50, (2, 70))).shape == (50, 4)
    assert program(torch.rand(3, 16), torch.empty(2, 0, dtype=torch.long)).shape == (3, 4)
    as_json = json.loads(agdn("export", run, "--out", tmp_path / "again.pt2", "--format", "pt2", "--json").stdout)
    assert as_json["format"] == "pt2"
    assert as_json["difference"] < 1e-4


def test_card(run: Path, tmp_path: Path) -> None:
    printed = agdn("card", run).stdout
    agdn("card", run, "--out", tmp_path / "MODEL_CARD.md")
    assert (tmp_path / "MODEL_CARD.md").read_text() == printed
    assert printed.startswith("# small\n")


WRONG = {
    "embed what is no run": (("embed", "{empty}", "--out", "e.npy"), "holds no finished run"),
    "embed to another format": (("embed", "{run}", "--out", "e.txt"), "e.txt: embeddings are written to a file"),
    "embed a layer that is not there": (("embed", "{run}", "--out", "e.npy", "--layer", "9"), "none of layer 9"),
    "export to another format": (("export", "{run}", "--out", "m.h5"), "m.h5: a model is exported to a file"),
    "export in two formats": (("export", "{run}", "--out", "m.pt2", "--format", "onnx"), "change one of them"),
    "export what is not there": (("export", "nowhere", "--out", "m.pt2"), "there is no run folder nowhere"),
    "card of no run": (("card", "{empty}"), "holds no finished run"),
    "card into nowhere": (("card", "{run}", "--out", "nowhere/CARD.md"), "the folder nowhere does not exist"),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_sentence_and_exit_code_2(
    name: str, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, sentence = WRONG[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    filled = [argument.format(run=run, empty="empty") for argument in arguments]
    monkeypatch.setattr(sys, "argv", ["agdn", *filled])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert sentence in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]
