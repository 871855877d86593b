"""scikit-learn estimators: rows of a table, or nodes of a graph, in; classes or numbers out."""

from agdn.estimators.classifier import AGDNClassifier
from agdn.estimators.regressor import AGDNRegressor
from agdn.estimators.transductive import Transductive

__all__ = ["AGDNClassifier", "AGDNRegressor", "Transductive"]
