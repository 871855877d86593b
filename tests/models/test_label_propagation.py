import pytest
import torch

from agdn.graph import Graph
from agdn.models import LabelPropagation
from agdn.ops.sparse_rows import compact, is_sparse

PATH = Graph(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3)


def test_labels_spread_along_a_path() -> None:
    model = LabelPropagation(4, 2, hops=2, alpha=0.5, transition="row")
    x = torch.tensor([[9.0, 9.0, 1.0, 0.0], [9.0, 9.0, 0.0, 0.0], [9.0, 9.0, 0.0, 1.0]])
    shares = model(x, PATH).exp()
    # first step: node 1 gets half of the mean of its neighbours, (1/4, 1/4), and nodes 0 and 2 keep half of their own
    torch.testing.assert_close(
        shares, torch.tensor([[0.625, 0.125], [0.125, 0.125], [0.125, 0.625]]), atol=1e-6, rtol=1e-6
    )
    assert not list(model.parameters())


def test_other_features_may_be_sparse() -> None:
    model = LabelPropagation(42, 2, hops=2)
    x = torch.zeros(3, 42)
    x[0, 3] = x[0, 40] = x[2, 41] = 1
    assert is_sparse(compact(x))
    torch.testing.assert_close(model(compact(x), PATH), model(x, PATH))


def test_what_it_cannot_do_is_said() -> None:
    with pytest.raises(ValueError, match="3 columns of labels"):
        LabelPropagation(2, 3)
    with pytest.raises(ValueError, match="alpha in"):
        LabelPropagation(3, 3, alpha=2.0)
