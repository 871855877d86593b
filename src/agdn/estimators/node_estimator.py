"""What classifier and regressor share: rows become nodes, the library's own loop trains, nodes are looked up."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
import torch
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor

from agdn.data.dataset import Dataset, NodeSplit
from agdn.estimators.held_out import hold_out
from agdn.estimators.rows import NEW, places
from agdn.estimators.structure import Structure, given_structure, nearest_rows, neighbour_structure
from agdn.experiments.device import usable_device
from agdn.models import build_model
from agdn.tasks.inputs import Inputs, Signals
from agdn.tasks.node import NodeTask
from agdn.training.run import train
from agdn.training.settings import Settings

SIZES = {"hidden_channels": 1, "num_layers": 1, "heads": 1, "hops": 0, "n_neighbors": 1, "epochs": 0}
ARCHITECTURE = (
    "hidden_channels", "num_layers", "heads", "hops", "transition", "weighting", "norm", "dropout", "input_dropout",
    "edge_dropout",
)  # fmt: skip


class NodeEstimator(BaseEstimator):
    """An AGDN behind ``fit`` and ``predict``; the parameters are described at :class:`agdn.AGDNClassifier`."""

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
        self.hidden_channels = hidden_channels
        self.num_layers = num_layers
        self.heads = heads
        self.hops = hops
        self.transition = transition
        self.weighting = weighting
        self.norm = norm
        self.dropout = dropout
        self.input_dropout = input_dropout
        self.edge_dropout = edge_dropout
        self.model_options = model_options
        self.loss = loss
        self.lr = lr
        self.weight_decay = weight_decay
        self.epochs = epochs
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.self_loops = self_loops
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def _features(self, X: Any, y: Any = "no_validation", *, reset: bool) -> np.ndarray:
        """(N, F) float32; a missing y is told as scikit-learn tells it."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        x: np.ndarray = validate_data(self, X, dtype=np.float32, reset=reset, ensure_min_samples=2 if reset else 1)
        return x

    def _train(self, x: np.ndarray, graph: Any, y: Tensor, known: np.ndarray, **fields: Any) -> None:
        """``fields``: the target of the Dataset, its metric, its class names, and the weights of its classes."""
        settings, options = self._settings(), self._model_options()
        class_weights = fields.pop("class_weights", None)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        structure = self._structure(graph, x)
        labelled = np.flatnonzero(known)
        classes = y.numpy()[labelled] if fields["target"] == "class" else None
        parts = hold_out(labelled, classes, self.validation_fraction, seed)
        split = NodeSplit(*map(torch.from_numpy, (*parts, np.flatnonzero(~known))))
        features = torch.tensor(x)
        dataset = Dataset(
            "X", structure.graph, splits=(split,), x=features, y=y, edge_weight=structure.weight, **fields
        )
        device = usable_device(self.device)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            task = NodeTask(dataset, loss=self.loss, class_weights=class_weights, parts=("train", "valid"))
            model = build_model(options, in_channels=x.shape[1], out_channels=task.out_channels).to(device)
            label = type(self).__name__ if self.verbose else None
            trained = train(model, task, Inputs.of(dataset, device=device), settings, label=label)
        self.model_, self.graph_ = model, structure.graph
        self.n_iter_, self.best_iter_ = trained.epochs, int(trained.best["epoch"])
        self._structure_fitted, self._graph_was_given, self._x = structure, graph is not None, features
        self._output = task.output
        self._outputs_fitted = self._run(features, structure)

    def _outputs(self, X: Any, graph: Any) -> Tensor:
        """(N, C): of the nodes of a graph, or of rows that are old ones or listen to their nearest old ones."""
        check_is_fitted(self)
        x = self._features(X, reset=False)
        if graph is not None:
            return self._run(torch.tensor(x), self._structure(graph, x))
        known = self._x.numpy()
        where = places(x, known, nodes_differ=self._graph_was_given)
        outputs = self._outputs_fitted[torch.from_numpy(np.maximum(where, 0))]
        new = np.flatnonzero(where == NEW)
        if len(new):
            sources = nearest_rows(x[new], known, self.n_neighbors, self.metric)
            joined = self._structure_fitted.joined(sources, self_loops=self.self_loops)
            everybody = self._run(torch.cat([self._x, torch.tensor(x[new])]), joined)
            outputs[torch.from_numpy(new)] = everybody[len(known) :]
        return outputs

    @torch.no_grad()
    def _run(self, x: Tensor, structure: Structure) -> Tensor:
        signals = Signals(x, structure.graph, edge_weight=structure.weight).to(usable_device(self.device))
        return signals.outputs(self.model_).float().cpu()

    def _structure(self, graph: Any, x: np.ndarray) -> Structure:
        if graph is None:
            structure = neighbour_structure(x, self.n_neighbors, self.metric)
        else:
            structure = given_structure(graph, len(x))
        return structure.with_self_loops() if self.self_loops else structure

    def _settings(self) -> Settings:
        for name, least in SIZES.items():
            check_scalar(getattr(self, name), name, Integral, min_val=least)
        check_scalar(self.lr, "lr", Real, min_val=0, include_boundaries="neither")
        check_scalar(self.weight_decay, "weight_decay", Real, min_val=0)
        check_scalar(
            self.validation_fraction, "validation_fraction", Real, min_val=0, max_val=1, include_boundaries="left"
        )
        if self.patience is not None:
            check_scalar(self.patience, "patience", Integral, min_val=1)
        return Settings.model_validate(
            {
                "epochs": int(self.epochs),
                "patience": None if self.patience is None else int(self.patience),
                "select": "loss",
                "optimizer": {"name": "adam", "lr": float(self.lr), "weight_decay": float(self.weight_decay)},
            }
        )

    def _model_options(self) -> dict[str, Any]:
        own = {name: getattr(self, name) for name in ARCHITECTURE}
        own |= {name: int(own[name]) for name in ARCHITECTURE if name in SIZES}
        further = dict(self.model_options or {})
        twice = [name for name in further if name in own]
        if twice:
            raise ValueError(f"model_options names {twice[0]!r}, which is a parameter of {type(self).__name__} itself")
        return {"name": "AGDN", "out_bias": True, **own, **further}
