"""``AGDNClassifier``: a class for every row or node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import torch
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import check_consistent_length

from agdn.estimators.labels import class_column, has_class, numbered_classes
from agdn.estimators.node_estimator import NodeEstimator


class AGDNClassifier(ClassifierMixin, NodeEstimator):
    """An adaptive graph diffusion network as a scikit-learn classifier.

    Rows are nodes. Without a graph each row is linked to its nearest ones. Rows whose label is -1, None or NaN are
    unlabelled: they take part as nodes, in ``fit`` and not in ``score``. Everything is computed in float32; features
    are taken as they are, so scale them first where their units differ.

    Args:
        hidden_channels, num_layers, heads, hops, transition, weighting, norm: Of the network, see :class:`agdn.AGDN`;
            its output has a bias.
        dropout, input_dropout, edge_dropout: Of the network.
        model_options: Its further options by name, such as ``{"skip": "input"}``.
        loss: One of :data:`agdn.tasks.losses.LOSSES`; by default cross-entropy, or the squared error.
        class_weight: ``"balanced"``, or a mapping from classes to weights, 1 for those that it leaves out.
        lr, weight_decay: Of the optimiser, Adam.
        epochs, patience: At most so many epochs, and so many without a better one; None for no such limit.
        validation_fraction: Share of the labelled nodes that is held out; the epoch with the lowest loss on it is kept.
            With 0 it is the lowest loss on the training nodes.
        n_neighbors, metric: Of the links between rows where no graph is given, and between new rows and old ones.
        self_loops: Give every node exactly one.
        device: Such as ``cpu`` or ``cuda``.
        random_state: Fixes everything that is drawn: the same number, the same bits. Global generators stay untouched.
        verbose: Show progress on standard error.

    Attributes:
        classes_: The classes in order.
        model_: The trained :class:`agdn.AGDN`.
        graph_: The graph that it was trained on.
        n_iter_, best_iter_: Epochs trained, and the one that was kept.
        n_features_in_, feature_names_in_: Of the table, the names where it had any.
    """

    def __init__(
        self,
        *,
        hidden_channels: int = 64,
        num_layers: int = 2,
        heads: int = 1,
        hops: int = 3,
        transition: Any = "gat",
        weighting: Any = "HA",
        norm: str = "batch",
        dropout: float = 0.5,
        input_dropout: float = 0.0,
        edge_dropout: float = 0.0,
        model_options: Mapping[str, Any] | None = None,
        loss: str | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        lr: float = 0.01,
        weight_decay: float = 5e-4,
        epochs: int = 200,
        patience: int | None = 50,
        validation_fraction: float = 0.1,
        n_neighbors: int = 10,
        metric: str = "euclidean",
        self_loops: bool = True,
        device: str = "cpu",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            hidden_channels=hidden_channels,
            num_layers=num_layers,
            heads=heads,
            hops=hops,
            transition=transition,
            weighting=weighting,
            norm=norm,
            dropout=dropout,
            input_dropout=input_dropout,
            edge_dropout=edge_dropout,
            model_options=model_options,
            loss=loss,
            lr=lr,
            weight_decay=weight_decay,
            epochs=epochs,
            patience=patience,
            validation_fraction=validation_fraction,
            n_neighbors=n_neighbors,
            metric=metric,
            self_loops=self_loops,
            device=device,
            random_state=random_state,
            verbose=verbose,
        )
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, graph: Any = None) -> AGDNClassifier:
        """Learn the classes of the labelled nodes.

        Args:
            X: (N, F) features.
            y: (N,) classes; -1, None or NaN for an unlabelled node.
            graph: A Graph, a (2, E) array or tensor of edges, a SciPy sparse adjacency (its values are edge weights)
                or a PyG ``Data``, over the N rows; None links nearest rows.
        """
        x = self._features(X, y, reset=True)
        labels = class_column(y)
        check_consistent_length(x, labels)
        known = has_class(labels)
        self.classes_, numbers = numbered_classes(labels, known)
        names = tuple(map(str, self.classes_))
        fields = {"target": "class", "metric": "accuracy", "class_names": names, "class_weights": self._weights()}
        self._train(x, graph, torch.from_numpy(numbers), known, **fields)
        return self

    def predict_proba(self, X: Any, graph: Any = None) -> np.ndarray:
        """(N, classes) probabilities of every row; see :meth:`predict`."""
        return np.asarray(self._outputs(X, graph).double().softmax(1))

    def predict(self, X: Any, graph: Any = None) -> np.ndarray:
        """The class of every row.

        With a ``graph`` the rows are its nodes. Without one, rows that were fitted are the nodes that they were, and
        any other row becomes a node that listens to the nearest fitted ones.
        """
        best = self._outputs(X, graph).argmax(1).numpy()
        return np.asarray(self.classes_[best])

    def score(self, X: Any, y: Any, sample_weight: Any = None, graph: Any = None) -> float:
        """Share of the labelled rows whose class is right."""
        predicted, labels = self.predict(X, graph), class_column(y)
        check_consistent_length(predicted, labels)
        known = has_class(labels)
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        truth = np.array(labels[known].tolist())
        return float(accuracy_score(truth, predicted[known], sample_weight=weights))

    def _weights(self) -> list[float] | Literal["balanced"] | None:
        if self.class_weight is None or isinstance(self.class_weight, str):
            return self.class_weight
        classes = self.classes_.tolist()
        unknown = [label for label in self.class_weight if label not in classes]
        if unknown:
            raise ValueError(f"class_weight names the class {unknown[0]!r}, but y has {classes}")
        return [float(self.class_weight.get(label, 1.0)) for label in classes]
