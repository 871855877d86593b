"""The road of a user with two tables who asks for links."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agdn.cli import cli
from small_runs import write_tables


def agdn(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("links")
    nodes, edges = write_tables(folder / "tables", count=80)
    imported = agdn("data", "import", "--nodes", nodes, "--edges", edges, "--out", folder / "stored")
    assert imported.exit_code == 0, imported.output
    changes = ("--set", "training.epochs=3", "--set", "threads=1")
    trained = agdn("train", folder / "stored", *changes, "--out", folder / "runs", "--quiet")
    assert trained.exit_code == 0, trained.output
    return next((folder / "runs").glob("**/result.json")).parent


def test_the_likeliest_links_are_written_with_the_users_ids(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "links.csv"
    said = agdn("predict", run, "--top-k", 3, "--out", out)
    assert said.exit_code == 0, said.output
    assert "240 links of 80 nodes, among every pair that is not linked" in said.output
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["rank"] for row in rows[:3]] == ["1", "2", "3"]
    assert {row["source"] for row in rows} == {f"n{node}" for node in range(80)}
    near = agdn("predict", run, "--top-k", 3, "--candidates", "near", "--out", out)
    assert "two steps away" in near.output


def test_scores_are_told_again(run: Path) -> None:
    stored = json.loads((run / "result.json").read_text())["scores"]
    told = json.loads(agdn("evaluate", run, "--json").output)[0]["scores"]
    assert told["test"] == pytest.approx(stored["test"], abs=1e-6)
    assert "hard_mrr" in agdn("evaluate", run, "--hard-negatives", "10").output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("predict", "--nodes", "a.csv", "--edges", "b.csv", "--out", "x.csv"), "it takes no new tables"),
        (("predict", "--top-k", "0", "--out", "x.csv"), "0 is not in the range"),
        (("predict", "--out", "x.txt"), "predictions are written to a file that ends in .csv or .parquet"),
        (("export", "--out", "model.pt2"), "predicts links; export is for models"),
        (("embed", "--layer", "1", "--out", "x.npy"), "has one kind of states"),
    ],
)
def test_what_does_not_go_is_one_sentence(run: Path, words: tuple[str, ...], sentence: str) -> None:
    command, *rest = words
    answer = agdn(command, run, *rest)
    assert answer.exit_code != 0
    assert sentence in f"{answer.output} {answer.exception}"
