"""``Transductive``: nodes of one graph as the samples of scikit-learn's searches and cross-validations."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted


def _tells_probabilities(transductive: Transductive) -> bool:
    return hasattr(transductive.estimator, "predict_proba")


class Transductive(MetaEstimatorMixin, BaseEstimator):
    """An estimator whose samples are node ids, so that a fold hides labels and never a part of the graph.

    ``fit(nodes, y)`` fits ``estimator`` on all features and the whole graph, with the labels of these nodes alone:

        search = GridSearchCV(Transductive(AGDNClassifier(), features, graph), {"estimator__hops": [2, 8]})
        search.fit(labelled, y[labelled])

    Args:
        estimator: An :class:`agdn.AGDNClassifier` or :class:`agdn.AGDNRegressor`.
        features: (N, F) of every node.
        graph: Over the N nodes; None links nearest rows.

    Attributes:
        estimator_: The fitted estimator.
    """

    def __init__(self, estimator: Any, features: Any, graph: Any = None) -> None:
        self.estimator = estimator
        self.features = features
        self.graph = graph

    def fit(self, nodes: Any, y: Any) -> Transductive:
        """``nodes`` (M,) or (M, 1) ids and their labels (M,)."""
        self.estimator_ = clone(self.estimator).fit(self.features, self._with_others_hidden(nodes, y), graph=self.graph)
        return self

    def predict(self, nodes: Any) -> np.ndarray:
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(self.features, graph=self.graph)[self._ids(nodes)])

    @available_if(_tells_probabilities)
    def predict_proba(self, nodes: Any) -> np.ndarray:
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(self.features, graph=self.graph)[self._ids(nodes)])

    def score(self, nodes: Any, y: Any) -> float:
        """Accuracy or R² of these nodes."""
        check_is_fitted(self)
        return float(self.estimator_.score(self.features, self._with_others_hidden(nodes, y), graph=self.graph))

    @property
    def classes_(self) -> np.ndarray:
        return np.asarray(self.estimator_.classes_)

    def _with_others_hidden(self, nodes: Any, y: Any) -> np.ndarray:
        ids = self._ids(nodes)
        check_consistent_length(ids, y)
        hidden = np.full(len(self.features), None if is_classifier(self.estimator) else np.nan)
        hidden[ids] = np.asarray(y)
        return hidden

    def _ids(self, nodes: Any) -> np.ndarray:
        ids = np.asarray(nodes)
        ids = ids[:, 0] if ids.ndim == 2 and ids.shape[1] == 1 else ids
        if ids.ndim != 1 or ids.dtype.kind not in "iu":
            raise ValueError(f"the samples are node ids, one whole number each; got {ids.dtype} of shape {ids.shape}")
        if len(ids) and not 0 <= ids.min() <= ids.max() < len(self.features):
            raise ValueError(
                f"node ids must lie in 0..{len(self.features) - 1}, the rows of features; got {ids.min()}..{ids.max()}"
            )
        return ids

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        return tags
