import json

import pytest
import torch

from agdn.tasks.output import NodeOutput, fit_output


def test_classes() -> None:
    decoded = NodeOutput("class", ("a", "b")).decode(torch.tensor([[0.0, 1.0], [2.0, 0.0]]))
    assert decoded.values.tolist() == [1, 0]
    assert decoded.probabilities is not None
    torch.testing.assert_close(decoded.probabilities.sum(1), torch.ones(2))


def test_yes_or_no() -> None:
    decoded = NodeOutput("multilabel").decode(torch.tensor([[0.1, -0.1]]))
    assert decoded.values.tolist() == [[1, 0]]


def test_numbers_come_back_in_the_users_units() -> None:
    y = torch.tensor([1000.0, 2000.0, 4000.0])
    output = fit_output("numeric", y, None, standardize=True)
    learnt = output.standardized(y)
    assert learnt.mean().abs() < 1e-6
    assert learnt.std(correction=0).item() == pytest.approx(1.0)
    torch.testing.assert_close(output.decode(learnt.unsqueeze(1)).values, y)
    assert output.decode(learnt.unsqueeze(1)).probabilities is None


def test_a_constant_number_is_not_divided_by_its_spread() -> None:
    assert fit_output("numeric", torch.full((3,), 7.0), None, standardize=True) == NodeOutput("numeric", None, 7.0, 1.0)
    assert fit_output("numeric", torch.rand(3), None, standardize=False) == NodeOutput("numeric")


def test_json_and_back() -> None:
    for output in (NodeOutput("class", ("a", "b")), NodeOutput("numeric", None, 0.1, 1 / 3)):
        assert NodeOutput.from_json(json.loads(json.dumps(output.to_json()))) == output


@pytest.mark.parametrize("content", [{}, {"target": "link", "class_names": None, "center": 0, "scale": 1}])
def test_foreign_json_is_refused(content: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="node task"):
        NodeOutput.from_json(content)
