import json
from pathlib import Path

import pytest
from rich.console import Console

from agdn.bench import page
from agdn.bench.rounds import Effort
from agdn.bench.rows import Row
from agdn.bench.setting import Setting

ROWS = [
    Row("one", "agdn", "epoch", 1.23456, 2_500_000_000, 4.0, "DGL", runs=(1.3, 1.23456), buffers=3.26, difference=2e-6),
    Row("one", "DGL", "epoch", None, None, status="out of memory"),
    Row("two", "agdn", "forward", 0.001, 1_500_000, rate=12_345.6),
]


def test_json_is_a_list_of_rows() -> None:
    rows = json.loads(page.as_json(ROWS))
    assert rows[0]["seconds"] == 1.23456
    assert rows[0]["peak_bytes"] == 2_500_000_000
    assert (rows[1]["system"], rows[1]["status"], rows[1]["seconds"]) == ("DGL", "out of memory", None)


def test_markdown_is_dated_and_has_a_table_a_section() -> None:
    facts = {"date": "2030-01-02", "processor": "a fast one", "cores": "2"}
    text = page.as_markdown("model", ROWS, facts, Setting(threads=2), Effort(repeats=5, warmup=1))
    assert text.startswith(
        "# agdn bench model, 2030-01-02\n\nprocessor a fast one; cores 2. 2 threads, float32, best of 5"
    )
    assert text.count("\n## ") == 2
    assert "| agdn | epoch | 1.235 | 2.50 GB | 3.3 | 4.00 | DGL | 2e-06 |" in text
    assert "| DGL | epoch | out of memory |" in text
    assert [line.endswith("| per second |") for line in text.splitlines() if "| system |" in line] == [False, True]
    assert "| agdn | forward | 0.001 | 1.5 MB |  |  |  |  | 12,346 |" in text


def test_tables_show_the_same_cells() -> None:
    console = Console(width=140, force_terminal=False)
    with console.capture() as capture:
        for table in page.tables(ROWS):
            console.print(table)
    assert [capture.get().count(text) for text in ("2.50 GB", "out of memory", "1.5 MB")] == [1, 1, 1]


def test_files_are_replaced_whole(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_text("old")
    page.write(file, "new")
    assert file.read_text() == "new"
    assert [found.name for found in tmp_path.iterdir()] == ["rows.json"]
    with pytest.raises(ValueError, match=r"cannot write .*nowhere"):
        page.write(tmp_path / "nowhere" / "rows.json", "new")
