import math

import pytest
import torch

from agdn.graph import Graph
from agdn.tasks.inputs import Inputs, Signals
from agdn.tasks.label_input import LabelInput, Labelled, LabelOptions
from agdn.tasks.node import NodeTask
from agdn.tasks.output import NodeOutput
from toy_task import Answers, dataset

Y = torch.tensor([2, 0, 1])
NODES = torch.tensor([4, 0, 2])  # not in order


def signals() -> Signals:
    return Signals(torch.full((5, 2), 7.0), Graph(torch.tensor([[0, 1], [1, 2]]), 5))


def labels(**options: float) -> LabelInput:
    return LabelInput(LabelOptions(**options), NodeOutput("class"), Y, 3)  # type: ignore[arg-type]


def labelled(*positions: int, seeds: list[bool] | None = None) -> Labelled:
    where = torch.tensor(positions)
    return Labelled(NODES[where], where, torch.tensor(seeds or [True] * len(where)))


def test_shown_labels_stand_beside_the_features_and_all_else_is_zero() -> None:
    model = Answers([0.0, 0.0, 0.0])
    given = labels().signals(model, signals(), labelled(0, 2)).x
    assert given is not None
    expected = torch.zeros(5, 5)
    expected[:, :2] = 7
    expected[4, 2 + 2] = expected[2, 2 + 1] = 1
    assert torch.equal(given, expected)
    assert not model.given  # without reuse nothing is computed


def test_reuse_fills_what_is_not_shown_with_probabilities_without_gradient() -> None:
    model = Answers([0.0, math.log(2.0), 0.0])  # probabilities 1/4, 1/2, 1/4
    given = labels(reuse=2).signals(model, signals(), labelled(1)).x
    assert given is not None
    assert model.with_gradient == [False, False]
    assert bool((model.given[0][1:, 2:] == 0).all())
    torch.testing.assert_close(given[1:, 2:], torch.tensor([[0.25, 0.5, 0.25]]).expand(4, 3))
    assert given[0, 2:].tolist() == [1, 0, 0]


def test_the_draw_divides_the_labelled_nodes_and_always_asks_somebody() -> None:
    torch.manual_seed(0)
    many = LabelInput(LabelOptions(mask_rate=0.3), NodeOutput("class"), torch.zeros(4000).long(), 1)
    everybody = torch.arange(4000)
    shown, asked = many.divided(Labelled(everybody, everybody, everybody >= 0))
    assert torch.cat([shown.positions, asked.positions]).sort().values.tolist() == list(range(4000))
    assert len(shown.rows) / 4000 == pytest.approx(0.3, abs=0.03)
    for _ in range(20):
        assert len(labels(mask_rate=0.999).divided(labelled(0, 1, 2))[1].rows) >= 1
    assert len(labels(mask_rate=0.0).divided(labelled(0, 1, 2))[1].rows) == 3


def test_only_seeds_are_asked_for_and_one_of_them_always() -> None:
    surrounded = labelled(0, 1, 2, seeds=[False, True, False])
    for seed in range(20):
        torch.manual_seed(seed)
        shown, asked = labels(mask_rate=0.9).divided(surrounded)
        assert asked.positions.tolist() == [1]
        assert 1 not in shown.positions.tolist()


def test_the_loss_asks_only_for_labels_that_are_not_shown() -> None:
    task = NodeTask(dataset(), labels=LabelOptions(mask_rate=0.5))
    inputs = Inputs.of(dataset())
    model = Answers([0.3, 0.1, 0.9])
    torch.manual_seed(4)
    (loss,) = list(task.losses(model, inputs))
    torch.manual_seed(4)
    assert task.labels is not None
    train = torch.arange(len(task.split.train))
    asked = task.split.train[task.labels.divided(Labelled(train, train, train >= 0))[1].positions]
    torch.testing.assert_close(loss, task.loss(model.logits.expand(60, -1)[asked], asked))
    shown = model.given[0][:, 5:].sum(1).nonzero().squeeze(1)
    assert not set(shown.tolist()) & set(asked.tolist())


def test_evaluation_shows_every_training_label_and_no_other() -> None:
    task = NodeTask(dataset(), labels=LabelOptions(reuse=1))
    model = Answers([0.0, 0.0, 0.0])
    task.evaluate(model, Inputs.of(dataset()))
    first, last = model.given
    assert first[:, 5:].sum(1).nonzero().squeeze(1).tolist() == task.split.train.tolist()
    torch.testing.assert_close(last[30:, 5:], torch.full((30, 3), 1 / 3))
    assert torch.equal(first[:30], last[:30])


@pytest.mark.parametrize(("target", "width"), [("multilabel", 4), ("numeric", 1)])
def test_other_targets_are_shown_too(target: str, width: int) -> None:
    metric = "rocauc" if target == "multilabel" else "mae"
    task = NodeTask(dataset(target, metric), labels=LabelOptions(reuse=1))
    assert task.input_columns == width
    model = Answers([0.5] * width)
    task.evaluate(model, Inputs.of(dataset(target, metric)))
    filled = torch.tensor(0.5).sigmoid() if target == "multilabel" else torch.tensor(0.5)
    torch.testing.assert_close(model.given[1][30:, 5:], filled.expand(30, width))


def test_structure_and_labels_alone_are_enough() -> None:
    bare = dataset(x=None)
    with pytest.raises(ValueError, match=r"labels as input \(task.labels\)"):
        Inputs.of(bare)
    task = NodeTask(bare, labels=LabelOptions())
    given = task.given(Answers([0.0] * 3), Inputs.of(bare, bare=True).whole).x
    assert given is not None
    assert given.shape == (60, 3)


def test_inductive_rows_are_found() -> None:
    task = NodeTask(dataset(), labels=LabelOptions(mask_rate=0.0))
    inputs = Inputs.of(dataset(), setting="inductive")
    model = Answers([0.0, 0.0, 0.0])
    list(task.losses(model, inputs))
    assert model.given[0].shape == (30, 8)
