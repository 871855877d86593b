"""A page stays small whatever the graph, the classes and the epochs."""

from __future__ import annotations

from pathlib import Path

from agdn.report.gather.curves import MOST_POINTS
from report_pages import Page


def test_ten_large_runs_make_a_small_page(large_page: Path) -> None:
    assert large_page.stat().st_size < 5_000_000
    page = Page(large_page.read_text())
    assert {"result", "curves", "predictions", "calibration", "hops", "mistakes", "graph"} <= set(page.sections)
    for chart in page.data["curves"].values():
        assert len(chart["lines"]) == 10
        assert all(len(line["x"]) <= MOST_POINTS for line in chart["lines"])
        assert all(line["x"][-1] == 2000 for line in chart["lines"])
    assert sum(len(view["nodes"]) for view in page.data["networks"].values()) <= 12 * 90


def test_no_class_and_no_node_is_lost_in_the_summary(large_page: Path) -> None:
    page = Page(large_page.read_text())
    matrix = page.data["matrices"]["confusion-0"]
    assert len(matrix["rows"]) == 40
    assert matrix["rows"][7] == "arxiv cs 07: a subject area"
    assert sum(int(cell.replace(",", "") or 0) for row in matrix["cells"] for cell in row) == 48_603
    assert page.tables["Every class"][8][0] == "7: arxiv cs 07: a subject area"
