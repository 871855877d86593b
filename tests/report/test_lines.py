"""Lines over the epochs, and along other things."""

from __future__ import annotations

import re

import pytest

from agdn.report.charts.lines import Along, Line, LineChart
from agdn.report.gather.curves import Curve


def line(x: tuple[float, ...], mean: tuple[float, ...], *, filled: bool = False) -> Line:
    return Line("a", "s0 d0", Curve(x, mean, mean, mean, tuple(1 for _ in x)), filled=filled)


def path(chart: LineChart, name: str = "line") -> list[tuple[float, ...]]:
    found = re.search(rf'<path d="M([^"]*)" class="{name}">', chart.svg())
    assert found is not None
    return [tuple(map(float, point.split())) for point in found[1].rstrip("Z").split("L")]


def test_epochs_are_evenly_apart_and_told_by_their_number() -> None:
    chart = LineChart("loss", "Loss", "loss", [line((1, 2, 3), (3.0, 2.0, 1.0))])
    left, middle, right = (x for x, _ in path(chart))
    assert middle - left == pytest.approx(right - middle, abs=0.1)
    assert "a: 3 at epoch 1, 1 at epoch 3" in chart.svg()
    data = chart.data()
    assert (data["along"], data["names"], data["exact"]) == ("epoch", [], False)
    assert data["lines"][0]["x"] == [1, 2, 3]


def test_along_a_logarithmic_axis_tens_are_evenly_apart() -> None:
    along = Along("K", logarithmic=True, mark=(10, "hits@10"))
    chart = LineChart("hits", "Hits", "%", [line((1, 10, 100), (1.0, 2.0, 3.0))], along=along)
    left, middle, right = (x for x, _ in path(chart))
    assert middle - left == pytest.approx(right - middle, abs=0.1)
    mark = re.search(r'class="diagonal" x1="([\d.]+)"', chart.svg())
    assert mark is not None
    assert float(mark[1]) == middle
    assert ">hits@10</text>" in chart.svg()
    assert ">K, logarithmic</text>" in chart.svg()
    assert chart.data()["x"][4] is True


@pytest.mark.parametrize("logarithmic", [False, True])
def test_a_single_place_has_room(logarithmic: bool) -> None:
    chart = LineChart("one", "One", "%", [line((1,), (5.0,))], along=Along("K", logarithmic=logarithmic))
    assert path(chart)[0][0] == pytest.approx((46 + 350) / 2)


def test_places_with_names_are_told_by_them() -> None:
    along = Along("smaller degree", names=("0", "1–2", "3+"))
    chart = LineChart("degrees", "By degree", "%", [line((0, 2), (50.0, 75.0))], along=along)
    assert "a: 50 at smaller degree 0, 75 at smaller degree 3+" in chart.svg()
    for name in along.names:
        assert f">{name}</text>" in chart.svg()
    assert chart.data()["names"] == ["0", "1–2", "3+"]
    step = (350 - 46) / 3
    assert [x for x, _ in path(chart)] == pytest.approx([46 + step / 2, 46 + 2.5 * step], abs=0.1)


def test_long_names_leave_room_for_each_other() -> None:
    along = Along("smaller degree", names=tuple(f"{start}000–{start}999" for start in range(6)))
    chart = LineChart("degrees", "By degree", "%", [line((0, 5), (50.0, 75.0))], along=along)
    ticks = along.ticks(chart.x)
    assert ticks is not None
    assert [name for _, name in ticks] == ["0000–0999", "2000–2999", "4000–4999"]


def test_an_area_reaches_down_to_zero() -> None:
    chart = LineChart("shares", "Shares", "%", [line((-1.5, 0.5), (0.0, 10.0), filled=True)], said="half and half")
    area = path(chart, "band")
    assert len(area) == 4
    assert area[2][1] == area[3][1] == area[0][1]  # back along the line of zero, where the curve begins
    assert "Shares. half and half. Arrow keys read the values." in chart.svg()
    assert chart.data()["lines"][0]["x"] == [-1.5, 0.5]
