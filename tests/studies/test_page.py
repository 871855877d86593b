"""Pages as files."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from agdn.report.charts.drawing import drawing
from agdn.report.charts.lines import Along, Line, LineChart
from agdn.report.gather.curves import combined
from agdn.studies.page import Figure, Page, Table, write_page


def chart(title: str) -> LineChart:
    curve = combined([{1: 2.0, 2: 3.0}, {1: 4.0, 2: 5.0}])
    assert curve is not None
    return LineChart("key", title, "score", [Line("a <b>", "s0 d0", curve)], along=Along("K"))


def test_a_drawing_stands_alone() -> None:
    panels = [(title, chart(title).svg(still=True)) for title in ("one", "two", "three")]
    names = [(f"s{place} d{place}", "a name that is long " * 2) for place in range(5)]
    text = drawing("What & why", panels, names, columns=2)
    root = ElementTree.fromstring(text)
    assert root.attrib["viewBox"].split()[:2] == ["0", "0"]
    spaces = "{http://www.w3.org/2000/svg}"
    charts = root.findall(f"{spaces}g/{spaces}svg")
    assert len(charts) == 3
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for group, inner in zip(root.findall(f"{spaces}g[@transform]"), charts, strict=True):
        x, y = map(float, group.attrib["transform"][len("translate(") : -1].split())
        assert x + float(inner.attrib["width"]) <= width
        assert y + float(inner.attrib["y"]) + float(inner.attrib["height"]) <= height
    assert "Arrow keys" not in text
    assert "href" not in text


def test_files_of_a_page(tmp_path: Path) -> None:
    table = Table("t", "Numbers", ("a", "b"), [("x|y", "1,5")], note="said below")
    figure = Figure("f", "A [figure]", "<svg/>", said="seen")
    rows = [{"a": 1, "b": 2.5}, {"a": 2, "c": "w"}]
    page = write_page(tmp_path, "name", Page("Title", ["text"], [figure, table]), rows, {"study": "name"})
    assert page.read_text() == (
        "# Title\n\ntext\n\n## A [figure]\n\n![A (figure)](name-f.svg)\n\nseen\n\n## Numbers\n\n"
        "| a | b |\n| --- | --- |\n| x\\|y | 1,5 |\n\nsaid below\n"
    )
    assert (tmp_path / "name-t.csv").read_text() == 'a,b\nx|y,"1,5"\n'
    assert (tmp_path / "name.csv").read_text() == "a,b,c\n1,2.5,\n2,,w\n"
    assert json.loads((tmp_path / "name.json").read_text())["tables"] == {"t": [{"a": "x|y", "b": "1,5"}]}
