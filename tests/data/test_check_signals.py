"""Planted defects in features, labels and other signals: each is found, with its place and a remedy."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from agdn.data.checks import check_dataset
from agdn.data.dataset import Dataset
from agdn.data.embedded.csbm import csbm
from agdn.data.embedded.edge_task import edge_task

Defect = Callable[[Dataset], Dataset]


def changed(tensor: torch.Tensor, at: object, value: float) -> torch.Tensor:
    copy = tensor.clone()
    copy[at] = value
    return copy


def assert_found(dataset: Dataset, severity: str, what: str, where: str) -> None:
    """The defect is reported with its severity, in these words, at this place, with a remedy."""
    findings = check_dataset(dataset).findings
    matching = [finding for finding in findings if what in finding.what and where in finding.where]
    assert [finding.severity for finding in matching] == [severity], findings
    assert matching[0].remedy


DEFECTS: dict[str, tuple[Defect, str, str, str]] = {
    "NaN feature": (lambda d: replace(d, x=changed(d.x, (7, 3), float("nan"))), "error", "NaN", "x, row 7, column 3"),
    "infinite feature": (
        lambda d: replace(d, x=changed(d.x, (2, 0), float("inf"))),
        "error",
        "infinite",
        "row 2, column 0",
    ),
    "missing feature row": (lambda d: replace(d, x=d.x[1:]), "error", "199 rows for 200 nodes", "x"),
    "double features": (lambda d: replace(d, x=d.x.double()), "error", "float64", "x"),
    "constant feature": (
        lambda d: replace(d, x=changed(d.x, (slice(None), 5), 1.0)),
        "warning",
        "same on every",
        "column 5",
    ),
    "id among features": (lambda d: replace(d, x=changed(d.x, (0, 4), 2.0**31)), "warning", "2^24", "x, column 4"),
    "unscaled feature": (lambda d: replace(d, x=changed(d.x, (0, 4), 5e6)), "warning", "reaches 5e+06", "x, column 4"),
    "label below the range": (lambda d: replace(d, y=changed(d.y, 9, -5)), "error", "outside 0..3", "y, row 9"),
    "label above the range": (
        lambda d: replace(d, y=changed(d.y, 9, 40), class_names=("a", "b", "c", "d")),
        *("error", "outside 0..3, the first is 40", "y, row 9"),
    ),
    "fractional classes": (lambda d: replace(d, y=d.y.float()), "error", "classes are torch.float32", "y"),
    "missing label row": (lambda d: replace(d, y=d.y[1:]), "error", "199 labels for 200 nodes", "y"),
    "no labels": (lambda d: replace(d, y=None), "error", "no labels", "y"),
    "one class": (lambda d: replace(d, y=torch.zeros_like(d.y)), "error", "of one class", "y"),
    "class without nodes": (lambda d: replace(d, y=torch.where(d.y == 1, 2, d.y)), "warning", "of class 1", "y"),
    "edge attributes of another graph": (
        lambda d: replace(d, edge_attr=torch.ones(3, 2)),
        *("error", "edge_attr has 3 rows", "edge_attr"),
    ),
    "negative weight": (
        lambda d: replace(d, edge_weight=changed(torch.ones(d.graph.num_edges), 6, -1.0)),
        *("warning", "weight -1.0 is negative", "edge_weight, row 6"),
    ),
    "column of another length": (
        lambda d: replace(d, extra={"year": torch.ones(3)}),
        *("error", "3 rows for 200 nodes", "extra['year']"),
    ),
    "id used twice": (
        lambda d: replace(d, node_ids=np.array([*(f"n{i}" for i in range(199)), "n0"])),
        *("error", "node id 'n0' names 2 nodes", "node_ids, row 0"),
    ),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_a_planted_defect_is_found(name: str) -> None:
    plant, severity, what, where = DEFECTS[name]
    assert_found(plant(csbm(num_nodes=200, degree=20)), severity, what, where)


@pytest.mark.parametrize(
    ("plant", "severity", "what", "where"),
    [
        (lambda d: replace(d, y=changed(d.y, (3, 1), 2.0)), "error", "label 2.0 is neither 0, 1", "y, row 3, column 1"),
        (lambda d: replace(d, y=changed(d.y, (slice(None), 2), 1.0)), "warning", "task 2 has labels of one kind", "y"),
        (lambda d: replace(d, y=d.y[:, 0]), "error", "multi-label target has shape", "y"),
    ],
)
def test_a_planted_task_defect_is_found(plant: Defect, severity: str, what: str, where: str) -> None:
    assert_found(plant(edge_task(num_nodes=200)), severity, what, where)
