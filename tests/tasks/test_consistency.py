import math

import pytest
import torch

from agdn.tasks.consistency import ConsistencyOptions, consistency_penalty
from agdn.tasks.inputs import Inputs
from agdn.tasks.node import NodeTask
from toy_task import Answers, dataset


def logits(*probabilities: float) -> torch.Tensor:
    return torch.tensor([[math.log(p) for p in probabilities]], dtype=torch.float64)


def test_two_passes_worked_out_by_hand() -> None:
    passes = [logits(0.8, 0.2), logits(0.4, 0.6)]  # mean (0.6, 0.4), sharpened with 1/2: (9/13, 4/13)
    options = ConsistencyOptions(temperature=0.5, weight=3.0)
    apart = [2 * (0.8 - 9 / 13) ** 2, 2 * (0.4 - 9 / 13) ** 2]
    assert consistency_penalty(passes, options).item() == pytest.approx(3 * sum(apart) / 2, rel=1e-5)


def test_only_nodes_above_the_confidence_count() -> None:
    sure, unsure = logits(0.9, 0.1), logits(0.5, 0.5)
    passes = [torch.cat([sure, unsure]), torch.cat([logits(0.8, 0.2), unsure])]
    options = ConsistencyOptions(confidence=0.7)
    alone = consistency_penalty([sure, logits(0.8, 0.2)], options)
    torch.testing.assert_close(consistency_penalty(passes, options), alone)
    assert consistency_penalty([unsure, unsure], options).item() == 0


def test_the_target_has_no_gradient() -> None:
    first = logits(0.7, 0.3).requires_grad_()
    consistency_penalty([first, first], ConsistencyOptions()).backward()
    probability = first.detach().softmax(1)
    target = probability**2 / (probability**2).sum()
    jacobian = torch.diag(probability[0]) - probability.T @ probability
    torch.testing.assert_close(first.grad, 2 * (probability - target) @ jacobian, rtol=1e-5, atol=1e-6)


def test_a_task_makes_as_many_passes() -> None:
    model = Answers([0.0, 1.0, 2.0])
    task = NodeTask(dataset(), consistency=ConsistencyOptions(passes=4))
    (loss,) = list(task.losses(model, Inputs.of(dataset())))
    assert len(model.given) == 4
    assert float(loss) > float(next(iter(NodeTask(dataset()).losses(model, Inputs.of(dataset())))))
    with pytest.raises(ValueError, match="one class a node"):
        NodeTask(dataset("numeric", "mae"), consistency=ConsistencyOptions())
