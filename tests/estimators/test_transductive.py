import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score

from agdn import AGDNClassifier, AGDNRegressor
from agdn.data.embedded.csbm import csbm
from agdn.estimators import Transductive

QUICK = {"epochs": 20, "hidden_channels": 8, "dropout": 0.2, "lr": 0.03, "random_state": 0}


@pytest.fixture(scope="module")
def nodes():
    data = csbm(num_nodes=200, num_classes=3, signal=1.0, homophily=0.95, seed=1)
    return data.x.numpy(), data.y.numpy(), data.graph.edge_index.numpy()


def test_a_search_over_nodes_sees_the_whole_graph_and_some_labels(nodes) -> None:
    x, y, edges = nodes
    labelled = np.arange(0, 200, 2)
    samples = Transductive(AGDNClassifier(**QUICK), x, edges)
    search = GridSearchCV(samples, {"estimator__hops": [0, 3]}, cv=3).fit(labelled, y[labelled])
    means = search.cv_results_["mean_test_score"]
    assert means[1] > means[0]
    assert search.best_params_ == {"estimator__hops": 3}
    rest = np.setdiff1d(np.arange(200), labelled)
    assert search.score(rest, y[rest]) > 0.6
    assert search.predict_proba(rest).shape == (100, 3)


def test_labels_of_a_fold_are_hidden(nodes) -> None:
    """Classes drawn by chance cannot be predicted where they were not shown."""
    x, y, edges = nodes
    random = np.random.default_rng(0).integers(2, size=len(y))
    scores = cross_val_score(Transductive(AGDNClassifier(**QUICK), x, edges), np.arange(200), random, cv=3)
    assert 0.3 < scores.mean() < 0.65


def test_it_is_what_its_estimator_is(nodes) -> None:
    x, y, edges = nodes
    classes, numbers = Transductive(AGDNClassifier(**QUICK), x, edges), Transductive(AGDNRegressor(**QUICK), x, edges)
    assert is_classifier(classes)
    assert is_regressor(numbers)
    assert not hasattr(numbers, "predict_proba")
    ids = np.arange(100)[:, None]
    own = AGDNClassifier(**QUICK).fit(x, np.where(np.arange(200) < 100, y, -1), graph=edges)
    assert np.array_equal(classes.fit(ids, y[:100]).predict(ids), own.predict(x)[:100])
    assert np.isfinite(numbers.fit(ids, y[:100].astype(float)).predict(np.arange(200))).all()


def test_samples_that_are_no_nodes_are_refused(nodes) -> None:
    x, y, edges = nodes
    model = Transductive(AGDNClassifier(**QUICK), x, edges)
    with pytest.raises(ValueError, match=r"node ids must lie in 0..199.*got 150..210"):
        model.fit(np.array([150, 210]), y[:2])
    with pytest.raises(ValueError, match="the samples are node ids"):
        model.fit(x, y)
