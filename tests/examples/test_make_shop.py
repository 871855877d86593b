"""Every mistake that the shop's tables can hold is named in one sentence, with file, row and remedy."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from agdn.cli import main

SHOP = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "make_shop.py"))
CORRECT = "correct or empty the cell, or say that the column is categorical"
REFUSED = {
    "repeated-id": "customers.csv, row 10 repeats the id 'C-00003'; give every node an id of its own",
    "empty-id": "customers.csv, row 12 has no usable id; give it one, or leave the row out",
    "word-in-numbers": f"row 14, column 'age': 'forty' is no number, but 48 of 49 values are; {CORRECT}",
    "infinite-number": f"row 16, column 'visits': 'inf' is no number, but 59 of 60 values are; {CORRECT}",
    "cell-too-many": "row 18 has 9 cells, but the header has 8; "
    "text that holds the separator must stand between quotes",
    "unknown-customer": "transactions.csv, row 22 names the node 'C-99999', which the node table lacks; "
    "add it there, or leave this row out",
    "empty-end": "row 24 has an empty cell where a node id must stand; fill it in, or leave the row out",
    "missing-amount": "row 26 has no value in column 'amount'; every edge needs one: fill it in, or leave the row out",
    "word-in-amounts": "row 28, column 'amount': '12.50 CHF' is no number; an edge weight is a plain number",
}
REMARKED = {
    "label-once": "customers.csv, row 20, column 'segment': the class 'studnet' is in no other row; "
    "nothing can test it: correct it if it is misspelt",
}


def imported(error: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    SHOP["write"](folder, count=60, each=3, errors=[error])
    options = {"nodes": "customers.csv", "edges": "transactions.csv", "out": "shop"}
    files = [word for option, name in options.items() for word in (f"--{option}", str(folder / name))]
    command = ["agdn", "data", "import", *files, "--target", "segment", "--weight", "amount"]
    monkeypatch.setattr(sys, "argv", command)
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_every_mistake_has_a_sentence_here() -> None:
    assert set(REFUSED) | set(REMARKED) == set(SHOP["ERRORS"])


@pytest.mark.parametrize("error", REFUSED)
def test_the_import_stops_and_says_why(
    error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert imported(error, tmp_path, monkeypatch) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith(f"agdn: {tmp_path}/")
    assert said.endswith(REFUSED[error])
    assert "\n" not in said
    assert not (tmp_path / "shop").exists()


@pytest.mark.parametrize("error", REMARKED)
def test_the_import_goes_on_and_says_what_is_odd(
    error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert imported(error, tmp_path, monkeypatch) == 0
    assert f"{tmp_path}/{REMARKED[error]}\n" in capsys.readouterr().out
