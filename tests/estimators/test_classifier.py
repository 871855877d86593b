import pickle

import numpy as np
import pytest
import scipy.sparse
import torch
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agdn import AGDNClassifier, Graph
from agdn.data.embedded.csbm import csbm

QUICK = {"epochs": 30, "hidden_channels": 8, "dropout": 0.2, "lr": 0.03, "random_state": 0}


@pytest.fixture(scope="module")
def nodes():
    """A graph whose links tell more than its features: features, classes, edges."""
    data = csbm(num_nodes=240, num_classes=3, signal=0.7, homophily=0.95, seed=1)
    return data.x.numpy(), data.y.numpy(), data.graph.edge_index.numpy()


@pytest.fixture
def blobs():
    return make_blobs(n_samples=120, centers=3, n_features=4, cluster_std=1.0, random_state=0)


def test_labels_that_are_hidden_are_predicted_from_the_graph(nodes) -> None:
    x, y, edges = nodes
    hidden = np.where(np.arange(len(y)) % 4 == 0, y, -1)
    with_graph = AGDNClassifier(**QUICK).fit(x, hidden, graph=edges)
    without = AGDNClassifier(**QUICK, transition="row", n_neighbors=1, hops=0).fit(x, hidden)
    unseen = hidden == -1
    accuracy = [float((model.predict(x)[unseen] == y[unseen]).mean()) for model in (with_graph, without)]
    assert accuracy[0] > 0.8
    assert accuracy[0] > accuracy[1] + 0.1
    assert with_graph.classes_.tolist() == [0, 1, 2]
    assert with_graph.graph_.num_edges == edges.shape[1] + len(x)


def test_hidden_labels_have_no_influence(nodes) -> None:
    x, y, edges = nodes
    hidden = y.copy().astype(object)
    hidden[100:] = None
    numeric = np.where(np.arange(len(y)) < 100, y, -1)
    first, second = (AGDNClassifier(**QUICK).fit(x, labels, graph=edges) for labels in (hidden, numeric))
    assert np.array_equal(first.predict_proba(x), second.predict_proba(x))
    assert second.score(x, numeric) == second.score(x[:100], y[:100])


def test_the_same_random_state_gives_the_same_bits_and_leaves_generators_alone(blobs) -> None:
    x, y = blobs
    states = torch.get_rng_state().clone(), np.random.get_state()[1].copy()  # noqa: NPY002
    proba = [AGDNClassifier(**{**QUICK, "random_state": seed}).fit(x, y).predict_proba(x) for seed in (3, 3, 4)]
    assert np.array_equal(proba[0], proba[1])
    assert not np.array_equal(proba[0], proba[2])
    assert torch.equal(states[0], torch.get_rng_state())
    assert np.array_equal(states[1], np.random.get_state()[1])  # noqa: NPY002


def test_words_are_classes(blobs) -> None:
    x, y = blobs
    words = [None if row % 5 == 0 else ("red", "green", "blue")[label] for row, label in enumerate(y)]
    model = AGDNClassifier(**QUICK).fit(x, words)
    assert model.classes_.tolist() == ["blue", "green", "red"]
    assert model.score(x, np.array(["red", "green", "blue"])[y]) > 0.9
    assert model.predict_proba(x).sum(1) == pytest.approx(np.ones(len(x)))


def test_a_given_graph_in_every_form_gives_the_same(nodes) -> None:
    x, y, edges = nodes
    adjacency = scipy.sparse.coo_array((np.ones(edges.shape[1]), edges), shape=(len(x), len(x)))
    forms = (edges, torch.from_numpy(edges), Graph(torch.from_numpy(edges), len(x)), adjacency.tocsr())
    proba = [AGDNClassifier(**{**QUICK, "epochs": 3}).fit(x, y, graph=form).predict_proba(x) for form in forms]
    assert all(np.array_equal(proba[0], other) for other in proba[1:])


def test_edge_weights_count(nodes) -> None:
    x, y, edges = nodes
    noise = np.random.default_rng(0).integers(len(x), size=(2, 3 * edges.shape[1]))
    both = np.concatenate([edges, noise], axis=1)
    light = np.concatenate([np.ones(edges.shape[1]), np.full(noise.shape[1], 1e-3)])
    weighted = scipy.sparse.coo_array((light, both), shape=(len(x), len(x))).tocsr()
    hidden = np.where(np.arange(len(y)) % 4 == 0, y, -1)
    options = {**QUICK, "transition": "row"}
    scores = [
        AGDNClassifier(**options).fit(x, hidden, graph=graph).score(x[hidden == -1], y[hidden == -1])
        for graph in (weighted, both)
    ]
    assert scores[0] > scores[1] + 0.1


def test_new_rows_listen_to_their_neighbours_whatever_comes_with_them(blobs) -> None:
    x, y = blobs
    model = AGDNClassifier(**QUICK).fit(x[:90], y[:90])
    assert model.score(x[90:], y[90:]) > 0.9
    together = model.predict_proba(x[90:])
    alone = np.concatenate([model.predict_proba(row[None]) for row in x[90:]])
    assert alone == pytest.approx(together, abs=1e-6)
    assert np.array_equal(model.predict_proba(x)[:90], model.predict_proba(x[:90]))


def test_a_graph_of_new_nodes(nodes) -> None:
    """The fitted nodes under other names are the same nodes to the model."""
    x, y, edges = nodes
    model = AGDNClassifier(**QUICK).fit(x, y, graph=edges)
    order = np.random.default_rng(0).permutation(len(x))
    renamed = np.argsort(order)[edges]
    assert model.predict_proba(x[order], graph=renamed) == pytest.approx(model.predict_proba(x)[order], abs=1e-5)
    assert model.score(x[order], y[order], graph=renamed) == model.score(x, y)


def test_equal_rows_of_a_graph_need_the_graph() -> None:
    x, edges = np.ones((6, 2)), np.array([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]])
    model = AGDNClassifier(**{**QUICK, "epochs": 2}).fit(x, [0, 0, 0, 1, 1, 1], graph=edges)
    assert model.predict(x).shape == (6,)
    with pytest.raises(ValueError, match="row 0 of X equals several nodes"):
        model.predict(x[:2])
    assert model.predict(x[:2], graph=edges[:, :1]).shape == (2,)


def test_it_survives_pickle_and_clone(blobs) -> None:
    x, y = blobs
    model = AGDNClassifier(**QUICK, model_options={"skip": "input"}).fit(x, y)
    twin = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert np.array_equal(twin.predict_proba(x), model.predict_proba(x))
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "model_")


def test_a_search_over_rows(blobs) -> None:
    x, y = blobs
    pipeline = make_pipeline(StandardScaler(), AGDNClassifier(**QUICK))
    search = GridSearchCV(pipeline, {"agdnclassifier__hops": np.arange(1, 3)}, cv=3).fit(x, y)
    assert search.best_score_ > 0.9
    assert len(search.cv_results_["params"]) == 2


def test_class_weights_and_early_stopping(blobs) -> None:
    x, y = blobs
    lopsided = {0: 1000.0, 1: 0.001, 2: 0.001}
    noise = np.random.default_rng(0).normal(size=x.shape)
    weighted = AGDNClassifier(**QUICK, class_weight=lopsided).fit(noise, y)
    assert (weighted.predict(noise) == 0).mean() > 0.9
    stopped = AGDNClassifier(**{**QUICK, "epochs": 500}, patience=3).fit(x, y)
    assert stopped.n_iter_ < 500
    assert stopped.best_iter_ == stopped.n_iter_ - 3
    assert AGDNClassifier(**QUICK, validation_fraction=0, patience=None).fit(x, y).n_iter_ == 30


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"hops": -1}, ValueError, "hops == -1, must be >= 0"),
        ({"hidden_channels": "many"}, TypeError, "hidden_channels must be an instance of"),
        ({"lr": 0}, ValueError, "lr == 0, must be > 0"),
        ({"validation_fraction": 1.0}, ValueError, "validation_fraction == 1.0, must be < 1"),
        ({"transition": "gatt"}, ValueError, "unknown transition 'gatt': did you mean 'gat'"),
        ({"weighting": "AH"}, ValueError, "unknown weighting 'AH'"),
        ({"dropout": 1.5}, ValueError, r"dropout of AGDN must lie in \[0, 1\), got 1.5"),
        ({"model_options": {"hop": 3}}, ValueError, "unknown option of AGDN 'hop': did you mean 'hops'"),
        ({"model_options": {"hops": 3}}, ValueError, "model_options names 'hops', which is a parameter"),
        ({"loss": "mse"}, ValueError, "has the losses cross_entropy"),
        ({"class_weight": {7: 1.0}}, ValueError, r"class_weight names the class 7, but y has \[0, 1, 2\]"),
        ({"class_weight": "even"}, ValueError, "class_weights must be 'balanced'"),
        ({"device": "tpu"}, ValueError, "the device 'tpu' is not to be had here"),
        ({"metric": "nearby"}, ValueError, "metric"),
    ],
)
def test_wrong_options_are_named_in_fit(blobs, options, error, sentence) -> None:
    with pytest.raises(error, match=sentence):
        AGDNClassifier(**options).fit(*blobs)
