"""``AGDNRegressor``: a number for every row or node."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_consistent_length

from agdn.estimators.labels import number_column, require_known
from agdn.estimators.node_estimator import NodeEstimator


class AGDNRegressor(RegressorMixin, NodeEstimator):
    """An adaptive graph diffusion network as a scikit-learn regressor.

    As :class:`agdn.AGDNClassifier`, without ``class_weight`` and ``classes_``; rows whose number is NaN are unlabelled.
    Numbers are learnt in units of the training nodes' spread.
    """

    def fit(self, X: Any, y: Any, graph: Any = None) -> AGDNRegressor:
        """Learn the numbers of the labelled nodes; ``graph`` as for the classifier."""
        x = self._features(X, y, reset=True)
        numbers = number_column(y)
        check_consistent_length(x, numbers)
        known = ~np.isnan(numbers)
        require_known(known)
        self._train(x, graph, torch.tensor(numbers), known, target="numeric", metric="r2")
        return self

    def predict(self, X: Any, graph: Any = None) -> np.ndarray:
        """The number of every row; which rows are which nodes is as for the classifier."""
        outputs = self._outputs(X, graph).double().squeeze(1)
        return np.asarray(outputs * self._output.scale + self._output.center)

    def score(self, X: Any, y: Any, sample_weight: Any = None, graph: Any = None) -> float:
        """R² over the labelled rows."""
        predicted, numbers = self.predict(X, graph), number_column(y)
        check_consistent_length(predicted, numbers)
        known = ~np.isnan(numbers)
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(r2_score(numbers[known], predicted[known], sample_weight=weights))
