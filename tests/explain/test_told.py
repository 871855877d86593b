"""What is true of a node, in words."""

from __future__ import annotations

from typing import Any, cast

import torch

from agdn.data.dataset import Dataset
from agdn.explain.explanation import Told
from agdn.graph import Graph
from agdn.tasks.output import NodeOutput


class Trained:
    output = NodeOutput("multilabel", ("red", "round"))


def test_tasks_that_nobody_answered_are_not_told_as_no() -> None:
    nan = float("nan")
    y = torch.tensor([[1.0, 0.0], [0.0, 0.0], [nan, 0.0], [nan, nan]])
    dataset = Dataset("d", Graph(torch.zeros(2, 0, dtype=torch.int64), 4), "multilabel", "rocauc", y=y)
    told = Told(dataset, cast(Any, Trained()), y, None)
    assert [told.label(row) for row in range(4)] == ["red", "none", "none", "unknown"]
