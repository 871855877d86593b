import pytest
import torch

from agdn.graph import Graph
from agdn.tasks.correct_and_smooth import SmoothingOptions, correct_and_smooth
from agdn.tasks.inputs import Inputs
from agdn.tasks.node import NodeTask
from toy_task import Answers, dataset

PATH = Graph(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3)


def dense(options: SmoothingOptions, start: torch.Tensor, labels: torch.Tensor, nodes: list[int]) -> torch.Tensor:
    adjacency = torch.zeros(3, 3, dtype=torch.float64)
    adjacency[PATH.edge_index[1], PATH.edge_index[0]] = 1
    degree = adjacency.sum(1)
    root = degree.rsqrt().diag()
    matrix = root @ adjacency @ root if options.transition == "sym" else adjacency / degree[:, None]
    error = torch.zeros_like(start)
    error[nodes] = labels - start[nodes]
    moved = error
    for _ in range(options.correct_steps):
        mixed = options.correct_alpha * matrix @ moved + (1 - options.correct_alpha) * error
        moved = mixed.clamp(-1, 1)
    known = start.clone()
    known[nodes] = labels
    known = known + options.correct_alpha * moved
    smooth = known
    for _ in range(options.smooth_steps):
        smooth = (options.smooth_alpha * matrix @ smooth + (1 - options.smooth_alpha) * known).clamp(0, 1)
    return smooth


@pytest.mark.parametrize("transition", ["row", "sym"])
def test_equals_the_dense_form(transition: str) -> None:
    start = torch.tensor([[0.6, 0.4], [0.5, 0.5], [0.1, 0.9]], dtype=torch.float64)
    labels = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    options = SmoothingOptions(transition=transition)  # type: ignore[arg-type]
    result = correct_and_smooth(start, labels, torch.tensor([0]), PATH, options)
    torch.testing.assert_close(result, dense(options, start, labels, [0]))


def test_one_step_by_hand() -> None:
    start = torch.tensor([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], dtype=torch.float64)
    options = SmoothingOptions(correct_alpha=0.5, correct_steps=1, smooth_alpha=0.0, smooth_steps=1)
    labels = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    result = correct_and_smooth(start, labels, torch.tensor([0]), PATH, options)
    # the error of node 0 is 0.5; node 1 hears half of it as the mean of two neighbours, halved again by alpha
    assert result[1].tolist() == pytest.approx([0.5 + 0.5 * 0.125, 0.5 - 0.5 * 0.125])
    assert result[2].tolist() == pytest.approx([0.5, 0.5])


def test_a_task_finishes_with_it_but_does_not_train_with_it() -> None:
    task, inputs = NodeTask(dataset(), correct_and_smooth=SmoothingOptions()), Inputs.of(dataset())
    model = Answers([0.3, 0.2, 0.1])
    plain, finished = task.evaluate(model, inputs), task.evaluate(model, inputs, finished=True)
    assert plain.scores == NodeTask(dataset()).evaluate(model, inputs).scores
    assert finished.scores["train"]["accuracy"] > plain.scores["train"]["accuracy"]
    with pytest.raises(ValueError, match="one class a node"):
        NodeTask(dataset("multilabel", "rocauc"), correct_and_smooth=SmoothingOptions())
