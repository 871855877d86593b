import math

import pytest
import torch

from agdn.graph import Graph
from agdn.tasks.distillation import Distillation, DistillationOptions
from agdn.tasks.inputs import Inputs, Signals
from agdn.tasks.node import NodeTask
from toy_task import Answers, dataset

EVERY = Signals(None, Graph(torch.zeros(2, 0, dtype=torch.long), 2))


def test_the_published_reduction_worked_out_by_hand() -> None:
    t = 0.7
    teacher = t * torch.tensor([[math.log(3.0), 0.0], [0.0, 0.0]])  # q = (3/4, 1/4) and (1/2, 1/2)
    student = torch.zeros(2, 2)  # p = (1/2, 1/2)
    divergence = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    expected = 0.05 * 2.0 + 0.95 * t**2 * divergence / 4  # the mean over 2 nodes and 2 classes
    distillation = Distillation(DistillationOptions(alpha=0.95, temperature=t), teacher, "class")
    assert distillation.loss(torch.tensor(2.0), student, EVERY).item() == pytest.approx(expected, abs=1e-6)


def test_yes_or_no_tasks_compare_both_answers() -> None:
    teacher = torch.tensor([[math.log(3.0)], [0.0]])
    divergence = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    distillation = Distillation(DistillationOptions(alpha=1.0, temperature=1.0), teacher, "multilabel")
    loss = distillation.loss(torch.tensor(9.0), torch.zeros(2, 1), EVERY)
    assert loss.item() == pytest.approx(divergence / 4, abs=1e-6)


def test_a_student_like_its_teacher_has_nothing_to_learn() -> None:
    outputs = torch.randn(2, 5, requires_grad=True)
    distillation = Distillation(DistillationOptions(alpha=1.0), outputs.detach(), "class")
    loss = distillation.loss(torch.tensor(1.0), outputs, EVERY)
    assert loss.item() == pytest.approx(0.0, abs=1e-6)
    loss.backward()
    torch.testing.assert_close(outputs.grad, torch.zeros(2, 5), atol=1e-6, rtol=0)


def test_inductive_students_see_the_rows_of_their_nodes() -> None:
    teacher = torch.randn(60, 3)
    options = DistillationOptions(alpha=1.0, temperature=1.0)
    task = NodeTask(dataset(), distillation=options, teacher=teacher)
    inputs = Inputs.of(dataset(), setting="inductive")
    (loss,) = list(task.losses(Answers([0.0, 0.0, 0.0]), inputs))
    q = teacher[:30].softmax(1)
    torch.testing.assert_close(loss.detach(), (q * (q * 3).log()).mean())


def test_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="compares classes"):
        NodeTask(dataset("numeric", "mae"), distillation=DistillationOptions(), teacher=torch.zeros(60, 1))
