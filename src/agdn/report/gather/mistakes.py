"""What a model got most wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from agdn.report.gather.answers import Answers

MOST = 24


@dataclass(frozen=True)
class Mistake:
    """A test node.

    Attributes:
        node: Its row; ``name`` is the user's own id.
        sure: Probability of what was said; None for numbers.
        of_truth: Probability of what would have been right.
        image: (height, width) in 0..1, where the data have pictures.
    """

    node: int
    name: str
    true: str
    predicted: str
    sure: float | None = None
    of_truth: float | None = None
    image: np.ndarray | None = None


def mistakes(answers: Answers, most: int = MOST) -> list[Mistake]:
    """The most confident wrong answers on test nodes, or of numbers those that are farthest off; worst first."""
    if answers.output.target == "class":
        return _classes(answers, most)
    if answers.output.target == "multilabel":
        return _tasks(answers, most)
    return _numbers(answers, most)


def _classes(answers: Answers, most: int) -> list[Mistake]:
    assert answers.probabilities is not None, "classes have probabilities"
    test, names = answers.split.test, answers.names
    wrong = test[answers.values[test] != answers.y[test]]
    sure = answers.probabilities[wrong].amax(1)
    images = answers.dataset.extra.get("image")
    found = []
    for node in wrong[sure.argsort(descending=True, stable=True)[:most]].tolist():
        true, predicted = int(answers.y[node]), int(answers.values[node])
        found.append(
            Mistake(
                node,
                str(answers.node_id(node)),
                names[true],
                names[predicted],
                float(answers.probabilities[node, predicted]),
                float(answers.probabilities[node, true]),
                None if images is None else images[node].numpy(),
            )
        )
    return found


def _tasks(answers: Answers, most: int) -> list[Mistake]:
    assert answers.probabilities is not None, "yes/no tasks have probabilities"
    test, names = answers.split.test, answers.names
    y, yes = answers.y[test], answers.probabilities[test]
    off = torch.where(y.isnan(), 0.0, (yes - y).abs())
    found = []
    for place in off.flatten().argsort(descending=True, stable=True)[:most].tolist():
        row, task = divmod(place, y.size(1))
        far = float(off[row, task])
        if far <= 0.5:
            break
        truth = ("no", "yes")[int(y[row, task])]
        said = ("yes", "no")[int(y[row, task])]
        node = int(test[row])
        task_name = names[task]
        found.append(
            Mistake(node, str(answers.node_id(node)), f"{task_name}: {truth}", f"{task_name}: {said}", far, 1 - far)
        )
    return found


def _numbers(answers: Answers, most: int) -> list[Mistake]:
    test = answers.split.test
    off = (answers.values[test] - answers.y[test]).abs()
    return [
        Mistake(node, str(answers.node_id(node)), f"{float(answers.y[node]):.5g}", f"{float(answers.values[node]):.5g}")
        for node in test[off.argsort(descending=True, stable=True)[:most]].tolist()
    ]
