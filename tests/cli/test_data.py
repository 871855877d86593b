"""``agdn data`` from the outside: tables in pipes, JSON, one sentence and exit code 2 for a user's mistake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from agdn.cli import cli, main
from agdn.data.errors import DataError
from agdn.data.names import load_dataset
from agdn.data.store import open_dataset
from agdn.experiments.config import Data, RandomSplit
from agdn.experiments.prepare import prepared_dataset

NODES = "id,age,city,label\n" + "".join(f"n{row},{row},c{row % 3},{'xy'[row % 2]}\n" for row in range(20))
EDGES = "source,target,w\n" + "".join(f"n{row},n{(row + 1) % 20},{row}\n" for row in range(20))


@pytest.fixture
def tables(tmp_path: Path) -> list[str]:
    (tmp_path / "nodes.csv").write_text(NODES)
    (tmp_path / "edges.csv").write_text(EDGES)
    paths = {"--nodes": "nodes.csv", "--edges": "edges.csv", "--out": "out"}
    return [word for option, name in paths.items() for word in (option, str(tmp_path / name))]


def agdn(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from agdn.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "200"})


def test_import_prints_roles_and_stores(tables: list[str], tmp_path: Path) -> None:
    options = ["--target", "label", "--weight", "w", "--categorical", "age", "--fractions", "0.5,0.25,0.25"]
    result = CliRunner().invoke(cli, ["data", "import", *tables, *options], catch_exceptions=False)
    assert result.exit_code == 0
    assert "nodes\tage\tcategorical\t20\tas told" in result.output
    assert "nodes\tcity\tcategorical\t3\t3 different values" in result.output
    dataset = open_dataset(tmp_path / "out")
    assert dataset.graph.num_edges == 40
    assert [len(part) for part in vars(dataset.split).values()] == [10, 6, 4]


def test_import_again_as_json(tables: list[str]) -> None:
    runs = [CliRunner().invoke(cli, ["data", "import", *tables, "--target", "label", "--json"]) for _ in range(2)]
    first, second = (json.loads(run.output) for run in runs)
    assert (first["from_store"], second["from_store"]) == (False, True)
    assert first["columns"] == second["columns"]
    assert (first["nodes"], first["classes"], first["metric"]) == (20, 2, "accuracy")


def test_a_users_mistake_is_one_sentence_and_code_2(tables: list[str]) -> None:
    result = agdn("data", "import", *tables, "--target", "lable")
    assert result.returncode == 2
    assert result.stderr.strip().count("\n") == 0
    assert "no column 'lable'; its columns are id, age, city, label" in result.stderr


def test_bad_fractions_are_named(tables: list[str]) -> None:
    result = CliRunner().invoke(cli, ["data", "import", *tables, "--fractions", "0.5,half"])
    assert result.exit_code == 2
    assert "three shares" in result.output


def test_download_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.mat").write_bytes(b"content")
    options = ["--root", str(tmp_path / "root"), "--from-file", str(tmp_path / "mine.mat")]
    result = CliRunner().invoke(cli, ["data", "download", "usair", *options], catch_exceptions=False)
    assert result.exit_code == 0
    assert (tmp_path / "root/seal/USAir.mat").read_bytes() == b"content"
    assert "sha256" in result.output


def test_download_of_an_unknown_set() -> None:
    result = agdn("data", "download", "coral")
    assert result.returncode == 2
    assert "no download for 'coral'" in result.stderr


def test_text_features_of_arxiv(tmp_path: Path) -> None:
    if "AGDN_DATA" not in os.environ:
        pytest.skip("AGDN_DATA does not name the folder of real data sets")
    arguments = ["data", "text", "ogbn-arxiv", "--parts", "guesses", "--out", str(tmp_path / "x.npy")]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert "guesses\t39" in result.output
    assert "external data" in result.output
    assert json.loads((tmp_path / "x.json").read_text())["shape"] == [169_343, 39]


def test_check_of_an_imported_folder(tables: list[str], tmp_path: Path) -> None:
    CliRunner().invoke(cli, ["data", "import", *tables, "--target", "label"])
    result = CliRunner().invoke(cli, ["data", "check", str(tmp_path / "out"), "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    assert set(json.loads(result.output)) == {"table", "findings"}


def test_a_folder_that_cannot_be_written_is_one_sentence(tables: list[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    arguments = [*tables[:-1], str(tmp_path / "file" / "out"), "--target", "label"]
    result = agdn("data", "import", *arguments)
    assert result.returncode == 2
    assert result.stderr.startswith("agdn: ")
    assert result.stderr.strip().count("\n") == 0


TEXTS_OF_DIGITS = ["digits", "--out", "x.npy", "--text", "--text-file", "none.jsonl"]
TINY_WALKS = ["--dim", "8", "--walk-length", "6", "--window", "3", "--walks-per-node", "1"]


def test_embed_writes_features_that_a_recipe_takes(tmp_path: Path) -> None:
    file = tmp_path / "new" / "walks.npy"
    arguments = ["data", "embed", "digits", "--out", str(file), *TINY_WALKS, "--q", "2", "--seed", "3"]
    result = CliRunner().invoke(cli, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    said = json.loads(result.output)
    settings = json.loads(file.with_suffix(".json").read_text())
    assert settings.items() <= said.items()
    chosen = {"dataset": "digits", "shape": [1797, 8], "walk_length": 6, "q": 2.0, "seed": 3, "directed": False}
    assert chosen.items() <= settings.items()
    assert load_dataset("digits", features=file).x.shape == (1797, 8)
    first = file.read_bytes()
    table = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert "walk_length\t6" in table.output
    assert file.read_bytes() == first


def test_embed_that_is_stopped_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("agdn.embedding.walk_embedding", stopped)
    result = CliRunner().invoke(cli, ["data", "embed", "digits", "--out", str(tmp_path / "x.npy")])
    assert result.exit_code == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["digitz", "--out", "x.npy"], "there is no data set named 'digitz'"),
        (["digits", "--out", "x.csv"], "x.csv must end in .npy"),
        (["digits", "--out", "x.npy", "--window", "50"], "window must lie in 2..40"),
        (["digits", "--out", "x.npy", "--p", "0"], "p must be a number above 0, got 0.0"),
        (["digits", "--out", "x.npy", "--weighted"], "digits has no edge weights; leave out --weighted"),
        (TEXTS_OF_DIGITS[:-2], "no texts about digits are known; name a file of them with --text-file"),
        (TEXTS_OF_DIGITS, "none.jsonl is missing"),
        ([*TEXTS_OF_DIGITS, "--window", "5"], "--window is for walks; leave it out, or --text"),
        (["digits", "--out", "x.npy", "--beam", "5"], "--beam is for texts; leave it out, or add --text"),
        ([*TEXTS_OF_DIGITS, "--fanout", "12"], "fanout must be a power of two"),
        ([*TEXTS_OF_DIGITS, "--word-dropout", "1"], "word_dropout must lie in 0..1"),
        ([*TEXTS_OF_DIGITS, "--folds", "5"], "--folds is for classes; leave it out, or add --classes"),
        ([*TEXTS_OF_DIGITS, "--classes", "--dim", "5"], "--dim is for neighbours; leave it out, or --classes"),
        (["digits", "--out", "x.npy", "--classes"], "--classes is for texts; leave it out, or add --text"),
    ],
)
def test_embed_with_a_mistake_is_one_sentence(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["agdn", "data", "embed", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert sentence in said
    assert list(tmp_path.iterdir()) == []


TEXTS = "".join(json.dumps({"node": node, "text": f"a digit{node % 10} word{node % 7}"}) + "\n" for node in range(1797))
TINY_TEXTS = ["--text", "--dim", "8", "--epochs", "1", "--batch", "256"]


def test_texts_that_tell_classes_are_for_one_split(tmp_path: Path) -> None:
    texts, file = tmp_path / "texts.jsonl", tmp_path / "classes.npy"
    texts.write_text(TEXTS)
    arguments = ["data", "embed", "digits", "--text", "--classes", "--text-file", str(texts), "--out", str(file)]
    assert CliRunner().invoke(cli, arguments, catch_exceptions=False).exit_code == 0
    settings = json.loads(file.with_suffix(".json").read_text())
    assert {"shape": [1797, 10], "ngrams": 2, "folds": 4}.items() <= settings.items()
    data = Data(name="digits", features=str(file))
    assert prepared_dataset(data.model_copy(update={"seed": 0}), 0).x.shape == (1797, 10)
    with pytest.raises(DataError, match=r"classes\.npy was made with the labels of other training nodes"):
        prepared_dataset(data.model_copy(update={"split": RandomSplit(name="random")}), 1)


def test_embed_texts_as_features_that_a_recipe_takes(tmp_path: Path) -> None:
    (tmp_path / "texts.jsonl").write_text(TEXTS)
    file = tmp_path / "texts.npy"
    arguments = ["data", "embed", "digits", "--out", str(file), *TINY_TEXTS, "--hidden", "8", "--seed", "3", "--json"]
    arguments += ["--text-file", str(tmp_path / "texts.jsonl")]
    said = json.loads(CliRunner().invoke(cli, arguments, catch_exceptions=False).output)
    settings = json.loads(file.with_suffix(".json").read_text())
    assert settings.items() <= said.items()
    chosen = {"encoder": "words", "shape": [1797, 8], "hidden": 8, "epochs": 1, "lr": 0.2, "fanout": 16, "seed": 3}
    assert chosen.items() <= settings.items()
    assert "texts.jsonl" in settings["sha256"]
    dataset = load_dataset("digits", features=file)
    assert dataset.x.shape == (1797, 8)
    assert settings["note"] == "Uses external data: the texts of texts.jsonl." == dataset.notes[-1]
    first = file.read_bytes()
    CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert file.read_bytes() == first
