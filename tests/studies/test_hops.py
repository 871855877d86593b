"""Mean hops, homophily and the filters of channels, on numbers that are known, and both studies' pages."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable

import numpy as np
import pytest
import torch

from agdn.data.dataset import Dataset
from agdn.experiments.prediction import LayerHops
from agdn.graph import Graph
from agdn.report.charts.axis import Axis
from agdn.studies.carrying_out import Plan, carry_out, outcomes
from agdn.studies.hops import correlation, homophily, mean_hops
from agdn.studies.spectrum_page import GRID, HIGHEST, _path, kinds, response
from agdn.studies.writing import write_study


def test_homophily_counts_labelled_neighbours_alone() -> None:
    edges = torch.tensor([[1, 2, 3, 0, 0], [0, 0, 0, 0, 1]])
    dataset = Dataset("d", Graph(edges, 4), "class", "accuracy", y=torch.tensor([0, 0, 1, -1]))
    shares = homophily(dataset)
    assert shares is not None
    np.testing.assert_array_equal(shares, [0.5, 1.0, np.nan, np.nan])


def test_mean_hops_of_nodes_and_of_channels() -> None:
    of_nodes = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]).view(2, 1, 3, 1)
    np.testing.assert_allclose(mean_hops(LayerHops(1, 1, of_nodes), "node"), [1.5, 3.0])
    of_channels = torch.tensor([[1.0, 0.0], [-1.0, 2.0]]).view(1, 1, 2, 2)  # hop by channel
    np.testing.assert_allclose(mean_hops(LayerHops(1, 0, of_channels), "channel"), [0.5, 1.0])


def test_correlation_is_of_ranks() -> None:
    assert correlation(np.array([1, 2, 30]), np.array([0.1, 0.5, 0.6])) == pytest.approx(1)
    assert correlation(np.ones(3), np.arange(3)) is None


def test_a_filter_is_the_polynomial_of_one_minus_lambda() -> None:
    at = np.array([0.0, 0.5, 1.0, 2.0])
    np.testing.assert_allclose(response(np.array([[1.0, -2.0, 3.0]]), 0, at), [[2.0, 0.75, 1.0, 6.0]])
    np.testing.assert_allclose(response(np.array([[2.0]]), 1, at), [2 * (1 - at)])


def test_kinds_of_filters() -> None:
    smooth, sharp, middle = [0.25, 0.5, 0.25], [0.25, -0.5, 0.25], [1.0, 0.0, -1.0]
    found, signs = kinds(np.array([smooth, sharp, middle]), 0, np.full(40, 1 / 40))
    assert found == ["low", "high", "middle"]
    assert signs.tolist() == [False, False, False]
    assert kinds(np.array([[0.0, 1.0, 0.0]]), 0, np.full(40, 1 / 40))[1].tolist() == [True]


@pytest.mark.filterwarnings("ignore")
def test_the_study_of_hops(small_plan: Callable[..., Plan]) -> None:
    plan = small_plan("hops", "training.epochs=2", key="recipes")
    carry_out(plan, jobs=1, progress=False)
    page = write_study(plan, command="agdn study hops")
    nodes, channels = (each.observed["layers"] for each in outcomes(plan))
    assert [layer["weigher"] for layer in nodes] == ["node", "node"]
    assert [layer["weigher"] for layer in channels] == ["channel", "channel"]
    counted = sum(each["nodes"] for each in nodes[0]["by degree"].values())
    assert counted == 120
    for each in nodes[0]["by homophily"].values():
        assert sum(each["mean"]) == pytest.approx(1, abs=1e-5)  # HA's weights
    rows = json.loads(page.with_suffix(".json").read_text())["tables"]["layers"]
    assert len(rows) == 4
    assert float(rows[0]["mean hop"]) == pytest.approx(nodes[0]["mean hop"], abs=0.01)
    assert all(row["with degree"] == "" for row in rows[2:])
    assert len(list(plan.folder.glob("hops-*-homophily.svg"))) == 1
    with next(plan.folder.glob("hops-*-HA-each.csv")).open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 2 * 120
    assert float(lines[7]["hop 1"]) == pytest.approx(nodes[0]["each"][7][1])
    assert sum(int(line["degree"]) for line in lines[:120]) == sum(outcomes(plan)[0].observed["degrees"])
    assert f"hops-{next(plan.folder.glob('hops-*-HC-each.csv')).name.removeprefix('hops-')}" in page.read_text()


@pytest.mark.filterwarnings("ignore")
def test_the_study_of_filters(small_plan: Callable[..., Plan]) -> None:
    plan = small_plan("spectrum", "training.epochs=2", key="recipes")
    carry_out(plan, jobs=1, progress=False)
    page = write_study(plan, command="agdn study spectrum")
    (each,) = outcomes(plan)
    assert sum(each.observed["eigenvalues"]) == pytest.approx(1)
    tables = json.loads(page.with_suffix(".json").read_text())["tables"]
    assert [row["channels"] for row in tables["layers"]] == ["4", "4"]
    coefficients = next(rows for key, rows in tables.items() if key.endswith("channels"))
    assert len(coefficients) == 8
    weight = each.observed["layers"][0]["kernel"][0][2]
    assert float(coefficients[0]["hop 2"]) == pytest.approx(weight, abs=1e-3)
    (svg,) = plan.folder.glob("spectrum-*-filters.svg")
    assert svg.read_text().count('class="line" opacity') == 8


def test_a_filter_that_leaves_the_drawing_is_not_drawn_at_its_edge() -> None:
    x, y = Axis(0, 2, 0, 200), Axis(-HIGHEST, HIGHEST, 100, 0)
    row = np.where(GRID < 0.5, 1.0, np.where(GRID < 1.5, 3.0, -0.5))
    parts = _path(row, x, y).split("M")[1:]
    places = [[tuple(map(float, point.split())) for point in part.split("L")] for part in parts]
    assert [(part[0][0], part[-1][0]) for part in places] == [(0, 46.7), (150, 200)]


def test_names_that_the_study_sets_are_not_silently_ignored(small_plan: Callable[..., Plan]) -> None:
    with pytest.raises(ValueError, match=r"sets model.weighting itself, to HC; mean would not count"):
        small_plan("hops", "weightings=[HC]", "model.weighting=mean", key="recipes")
    with pytest.raises(ValueError, match=r"to HA and HC; say whose option it is: model.weighting=\{name: HA, ...\}"):
        small_plan("hops", "model.weighting.init=zeros", key="recipes")
    with pytest.raises(ValueError, match=r"sets model.transition itself, to sym; row would not count"):
        small_plan("spectrum", "model.transition={name: row}", key="recipes")
    plan = small_plan("hops", "model.weighting={name: HC, init: ones}", key="recipes")
    assert [cell.config.model["weighting"] for cell in plan.cells] == [{"name": "HA"}, {"name": "HC", "init": "ones"}]


def test_other_recipes_are_refused(small_plan: Callable[..., Plan]) -> None:
    with pytest.raises(ValueError, match="is about hop weights of AGDN on nodes"):
        small_plan("hops", "model={name: GCN, hidden_channels: 4}", key="recipes")


def test_options_of_one_weighting_are_not_those_of_the_other(small_plan: Callable[..., Plan]) -> None:
    recipe = "model={name: AGDN, hidden_channels: 4, weighting: {name: HC, init: ones}}"
    cells = small_plan("hops", recipe, key="recipes").cells
    assert [cell.config.model["weighting"] for cell in cells] == [{"name": "HA"}, {"name": "HC", "init": "ones"}]
    (cell,) = small_plan("spectrum", "model.weighting={name: HC, init: PPR}", key="recipes").cells
    assert cell.config.model["weighting"] == {"name": "HC", "init": "PPR"}
