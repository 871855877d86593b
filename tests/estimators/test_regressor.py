import numpy as np
import pytest

from agdn import AGDNRegressor
from agdn.data.embedded.csbm import csbm

LINEAR = {"num_layers": 1, "hops": 1, "weighting": "HC", "transition": "row", "self_loops": False}
QUICK = {**LINEAR, "epochs": 60, "lr": 0.1, "weight_decay": 0.0, "random_state": 0}


@pytest.fixture(scope="module")
def nodes():
    """Each node's number is the mean of a feature over its neighbours, in large units."""
    data = csbm(num_nodes=240, num_features=3, seed=2)
    x, edges = data.x.numpy().astype(np.float64), data.graph.edge_index.numpy()
    total, count = np.zeros(len(x)), np.zeros(len(x))
    np.add.at(total, edges[1], x[edges[0], 0])
    np.add.at(count, edges[1], 1)
    return x, 1e6 + 1000 * total / np.maximum(count, 1), edges


def test_numbers_that_are_hidden_are_predicted_from_the_graph(nodes) -> None:
    x, y, edges = nodes
    hidden = np.where(np.arange(len(y)) % 3 == 0, np.nan, y)
    model = AGDNRegressor(**QUICK).fit(x, hidden, graph=edges)
    unseen = np.isnan(hidden)
    error = np.abs(model.predict(x)[unseen] - y[unseen]).mean()
    assert error < 0.6 * np.abs(y[unseen] - y[~unseen].mean()).mean()
    assert model.score(x, hidden) > 0.5
    assert model.score(x[~unseen], y[~unseen]) == pytest.approx(model.score(x, hidden))


def test_the_same_random_state_gives_the_same_bits(nodes) -> None:
    x, y, _ = nodes
    options = {**QUICK, "epochs": 5}
    first, second = (AGDNRegressor(**options).fit(x, y).predict(x[:7] + 0.1) for _ in range(2))
    assert np.array_equal(first, second)
    assert first.dtype == np.float64


def test_nothing_known_is_an_error(nodes) -> None:
    x, y, _ = nodes
    with pytest.raises(ValueError, match="no entry of y is known"):
        AGDNRegressor().fit(x, np.full(len(y), np.nan))
