"""One number a node, for classes, tasks and numbers."""

from __future__ import annotations

import pytest
import torch

from agdn.explain.question import question
from agdn.tasks.output import NodeOutput

OUTPUTS = torch.tensor([[1.0, 4.0, 2.0], [-1.0, -4.0, -2.0]])


def test_a_class_is_told_from_the_mean_of_all() -> None:
    about = question(0, OUTPUTS, NodeOutput("class", ("a", "b", "c")))
    assert about.answer == "b"
    assert about.score(OUTPUTS) == pytest.approx(4 - 7 / 3)
    assert about.score(OUTPUTS + 10) == pytest.approx(4 - 7 / 3)
    assert about.value(OUTPUTS) == pytest.approx(float(OUTPUTS[0].softmax(0)[1]))
    assert about.predicted
    other = question(0, OUTPUTS, NodeOutput("class", ("a", "b", "c")), "c")
    assert (other.column, other.predicted) == (2, False)


def test_a_no_is_explained_as_a_no() -> None:
    about = question(1, OUTPUTS, NodeOutput("multilabel", ("a", "b", "c")), "b")
    assert about.answer == "b: no"
    assert about.score(OUTPUTS) == pytest.approx(4)
    assert about.value(OUTPUTS) == pytest.approx(1 - float(torch.tensor(-4.0).sigmoid()))
    assert question(0, OUTPUTS, NodeOutput("multilabel", ("a", "b", "c"))).answer == "b: yes"


def test_a_number_is_in_the_users_units() -> None:
    about = question(0, OUTPUTS[:, :1], NodeOutput("numeric", center=5.0, scale=2.0))
    assert about.score(OUTPUTS[:, :1]) == about.value(OUTPUTS[:, :1]) == pytest.approx(7)


def test_what_there_is_not_is_named() -> None:
    with pytest.raises(ValueError, match="unknown class 'd'"):
        question(0, OUTPUTS, NodeOutput("class", ("a", "b", "c")), "d")
    with pytest.raises(ValueError, match="predicts a number"):
        question(0, OUTPUTS[:, :1], NodeOutput("numeric"), "d")
