import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agdn.cli import cli

TINY = ["--scale", "0.0005", "--repeats", "1", "--threads", "1"]


def bench(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["bench", *arguments], catch_exceptions=False)


def rows_after(tmp_path: Path, *arguments: str) -> list[dict]:
    files = ["--json", str(tmp_path / "rows.json"), "--markdown", str(tmp_path / "page.md")]
    result = bench(arguments[0], *TINY, *arguments[1:], *files)
    assert result.exit_code == 0, result.output
    rows = json.loads((tmp_path / "rows.json").read_text())
    for row in rows:
        assert row["status"] == "ok"
        assert row["seconds"] > 0
        assert row["system"] in result.output
        assert row["system"] in (tmp_path / "page.md").read_text()
    return rows


def test_layer(tmp_path: Path) -> None:
    chosen = ["--only", "torch path", "--only", "recompute"]
    rows = rows_after(tmp_path, "layer", "--scale", "0.01", "--part", "ddi", *chosen)
    assert [(row["system"], row["phase"]) for row in rows] == [
        (system, phase)
        for system in ("agdn, recompute", "agdn, torch path")
        for phase in ("inference", "forward + backward")
    ]
    assert all(row["difference"] < 1e-4 for row in rows)
    assert rows[0]["ratio"] == pytest.approx(rows[2]["seconds"] / rows[0]["seconds"])


def test_model(tmp_path: Path) -> None:
    (row,) = rows_after(tmp_path, "model", "--only", "torch path")
    assert (row["phase"], row["ratio"]) == ("epoch", 1)


@pytest.mark.parametrize("name", ["dropout", "pairs"])
def test_single_operations(name: str, tmp_path: Path) -> None:
    rows = rows_after(tmp_path, name)
    assert len(rows) == 4
    assert rows[1]["ratio"] == pytest.approx(rows[3]["seconds"] / rows[1]["seconds"])


def test_scaling(tmp_path: Path) -> None:
    rows = rows_after(tmp_path, "scaling", "--part", "hops", "--only", "x 2", "--only", "x 1")
    assert rows[1]["ratio"] == pytest.approx(2 * rows[0]["seconds"] / rows[1]["seconds"])


def test_walks(tmp_path: Path) -> None:
    rows = rows_after(tmp_path, "walks", "--part", "steps")
    phases = [(row["system"], row["phase"]) for row in rows]
    assert phases == [("agdn", "uniform"), ("agdn", "p = 0.5, q = 2"), ("torch", "uniform")]
    assert all(row["rate"] > 0 for row in rows)
    assert rows[0]["ratio"] == pytest.approx(rows[2]["seconds"] / rows[0]["seconds"])


def test_sampling(tmp_path: Path) -> None:
    rows = rows_after(tmp_path, "sampling", "--part", "partition", "--part", "saint-walks")
    systems = [row["system"] for row in rows]
    assert systems == ["agdn", "PyG subgraph", "agdn", "torch walks, PyG subgraph"]
    for ours, peer in (rows[:2], rows[2:]):
        assert ours["ratio"] == pytest.approx(peer["seconds"] / ours["seconds"])


def test_sampling_beside_dgl(tmp_path: Path) -> None:
    python = os.environ.get("AGDN_DGL_PYTHON")
    if not python:
        pytest.skip("DGL peer: set AGDN_DGL_PYTHON to the interpreter of an environment with DGL 1.1.3")
    rows = rows_after(tmp_path, "sampling", "--part", "neighbours", "--scale", "0.01", "--dgl-python", python)
    assert [row["system"] for row in rows] == ["agdn", "DGL"]
    assert rows[0]["ratio"] == pytest.approx(rows[1]["seconds"] / rows[0]["seconds"])


def test_dgl_computes_the_same(tmp_path: Path) -> None:
    """The layer and the model on DGL give the outputs and gradients of ours."""
    python = os.environ.get("AGDN_DGL_PYTHON")
    if not python:
        pytest.skip("DGL peer: set AGDN_DGL_PYTHON to the interpreter of an environment with DGL 1.1.3")
    chosen = ["--only", "torch path", "--only", "DGL", "--dgl-python", python]
    for command in (["layer", "--part", "arxiv"], ["model"]):
        rows = rows_after(tmp_path, *command, *chosen)
        differences = {row["system"]: row["difference"] for row in rows}
        assert differences["DGL"] < 1e-4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--memory-cap", "much"], "memory cap 'much' is not a size"),
        (["--json", "no/such/folder/rows.json"], "its folder does not exist"),
        (["--only", "tensorflow"], "leaves no system"),
    ],
)
def test_what_a_user_gets_wrong_is_one_sentence(arguments: list[str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        bench("model", *TINY, *arguments)


@pytest.mark.parametrize("arguments", [["--scale", "0"], ["--scale", "2"], ["--repeats", "0"], ["--dgl-python", "/no"]])
def test_options_are_checked(arguments: list[str]) -> None:
    result = bench("model", *arguments)
    assert result.exit_code == 2
    assert arguments[0] in result.output
