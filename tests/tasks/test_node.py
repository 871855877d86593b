from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agdn.data.dataset import NodeSplit
from agdn.graph import Graph
from agdn.tasks.inputs import Inputs
from agdn.tasks.node import NodeTask
from toy_task import NODES, N, dataset


class Fixed(nn.Module):
    """Answers with the outputs that it was given."""

    def __init__(self, outputs: Tensor) -> None:
        super().__init__()
        self.outputs = nn.Parameter(outputs)

    def forward(self, x: Tensor, graph: Graph) -> Tensor:
        return self.outputs[: graph.num_nodes]


def test_single_label() -> None:
    task, y = NodeTask(dataset()), dataset().y
    outputs = F.one_hot(y, 3).float()
    assert (task.metric, task.higher_is_better, task.out_channels) == ("accuracy", True, 3)
    assert task.score(outputs[10:20], NODES[10:20]) == {"accuracy": 1.0, "macro_f1": 1.0}
    torch.testing.assert_close(task.loss(outputs[10:20], NODES[10:20]), F.cross_entropy(outputs[10:20], y[10:20]))


def test_two_classes_scored_by_rocauc_rank_by_the_odds_of_class_one() -> None:
    task, y = NodeTask(dataset(metric="rocauc")), dataset(metric="rocauc").y
    outputs = torch.stack([100 * torch.rand(N), torch.zeros(N)], 1)
    outputs[:, 1] = outputs[:, 0] + torch.where(y == 1, 1.0, -1.0)
    scores = task.score(outputs, NODES)
    assert list(scores) == ["rocauc", "accuracy"]
    assert scores["rocauc"] == 1.0


def test_multi_label() -> None:
    task, y = NodeTask(dataset("multilabel", "rocauc")), dataset("multilabel", "rocauc").y
    assert task.out_channels == 4
    assert task.score(y, NODES) == {"rocauc": 1.0}
    assert task.score(-y, NODES) == {"rocauc": 0.0}


@pytest.mark.parametrize("metric", ["mae", "r2"])
def test_numbers_are_learnt_in_units_of_their_spread_and_scored_in_the_users(metric: str) -> None:
    task, y = NodeTask(dataset("numeric", metric)), dataset("numeric", metric).y
    assert next(iter(task.score(torch.zeros(N, 1), NODES))) == metric
    assert task.loss(torch.zeros(30, 1), NODES[:30]).item() == pytest.approx(1.0, abs=1e-4)
    exact = task.output.standardized(y).unsqueeze(1)
    assert task.score(exact, NODES)["mae"] == pytest.approx(0, abs=1e-4)
    assert task.higher_is_better == (metric == "r2")


def test_an_epoch_has_one_step_on_the_training_nodes() -> None:
    task, inputs = NodeTask(dataset()), Inputs.of(dataset())
    model = Fixed(torch.randn(N, 3))
    (loss,) = task.losses(model, inputs)
    loss.backward()
    moved = model.outputs.grad.abs().sum(1) > 0
    assert moved.nonzero().flatten().tolist() == list(range(30))


def test_inductive_steps_find_their_rows() -> None:
    split = NodeSplit(NODES[40:], NODES[:20], NODES[20:40])
    data = dataset(splits=(split,))
    task = NodeTask(data)

    class Identity(nn.Module):
        def forward(self, x: Tensor, graph: Graph) -> Tensor:
            return x[:, :3]

    (loss,) = task.losses(Identity(), Inputs.of(data, setting="inductive"))
    torch.testing.assert_close(loss, F.cross_entropy(data.x[40:, :3], data.y[40:]))


def test_evaluation_covers_every_part() -> None:
    data = dataset()
    outputs = F.one_hot(data.y, 3).float()
    outputs[45:] = F.one_hot((data.y[45:] + 1) % 3, 3).float()
    evaluation = NodeTask(data).evaluate(Fixed(outputs), Inputs.of(data))
    assert [evaluation.scores[part]["accuracy"] for part in ("train", "valid", "test")] == [1.0, 1.0, 0.0]
    assert evaluation.valid_loss == pytest.approx(F.cross_entropy(outputs[30:45], data.y[30:45]).item())


def test_parts_that_are_left_out_are_not_scored() -> None:
    data = dataset()
    evaluation = NodeTask(data, parts=("train", "valid")).evaluate(Fixed(torch.randn(N, 3)), Inputs.of(data))
    assert list(evaluation.scores) == ["train", "valid"]


def test_class_weights_and_smoothing_reach_the_loss() -> None:
    data, outputs = dataset(), torch.randn(N, 3)
    task = NodeTask(data, class_weights=[1.0, 2.0, 3.0], label_smoothing=0.1)
    expected = F.cross_entropy(outputs, data.y, torch.tensor([1.0, 2.0, 3.0]), label_smoothing=0.1)
    torch.testing.assert_close(task.loss(outputs, NODES), expected)


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"y": None}, {}, "no labels"),
        ({"target": "link"}, {}, "asks for links"),
        ({"splits": (NodeSplit(NODES[:0], NODES[30:45], NODES[45:]),)}, {}, "train part of toy is empty"),
        ({"y": torch.arange(N) - 40}, {}, "30 nodes of the train part have no label, first node 0"),
        ({"metric": "hits@20"}, {}, "accuracy or macro_f1 or rocauc, not 'hits@20'"),
        ({"metric": "rocauc"}, {}, "rocauc needs two classes, but there are 3"),
        ({"metric": "rocauc", "y": (torch.arange(N) < 15).long()}, {}, "the valid part of toy has one"),
        ({}, {"loss": "mse"}, "cross_entropy, loge, savage, loge_savage, not 'mse'"),
        ({}, {"label_smoothing": 1.0}, "label_smoothing"),
        ({}, {"class_weights": [1.0]}, "3 classes"),
    ],
)
def test_wrong_tasks(changes: dict[str, object], options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NodeTask(replace(dataset(), **changes), **options)


def test_unlabelled_numbers_and_tasks_are_found() -> None:
    for target, metric in (("numeric", "mae"), ("multilabel", "rocauc")):
        data = dataset(target, metric)
        data.y[50] = torch.nan
        with pytest.raises(ValueError, match="1 nodes of the test part have no label, first node 50"):
            NodeTask(data)
