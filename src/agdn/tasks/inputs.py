"""What a model is given: features and structure, whole or in pieces, for training perhaps a part of it alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from torch import Tensor, nn

from agdn.data.dataset import Dataset, NodeSplit
from agdn.graph import Graph
from agdn.ops import sum_over_targets
from agdn.ops.halo import own_ids
from agdn.ops.sparse_rows import compact, is_sparse, select_rows, sparse_part, with_columns
from agdn.ops.storage import Storage
from agdn.sampling import Batch, Neighbourhood, Sampler, batches

Setting = Literal["transductive", "inductive"]
FIRST_ENTRY = "first_entry"  # of each row's features among those of all, in a part whose whole has sparse ones


@dataclass(frozen=True)
class Signals:
    """A graph and what lies on it.

    Attributes:
        nodes: The global ids of the rows, None where rows are the ids.
        num_seeds: So many rows, the first ones, are asked about; None for all.
        node_weight: (rows,) of their losses, where some nodes come more often than others.
        asked: The rows that a model is asked about, where it is given more of them; ``nodes`` are the ids of these.
        storage: Where the states of a model lie in evaluation, layer by layer; None keeps them all in memory.
    """

    x: Tensor | None
    graph: Graph
    edge_attr: Tensor | None = None
    edge_weight: Tensor | None = None
    nodes: Tensor | None = None
    num_seeds: int | None = None
    node_weight: Tensor | None = None
    storage: Storage | None = None
    asked: Tensor | None = None

    def outputs(self, model: nn.Module) -> Tensor:
        """(rows, C); edge signals are passed on where there are any."""
        if self.storage is not None and not model.training and hasattr(model, "in_blocks"):
            return self.outputs_in_blocks(model)[0]
        asked = {} if self.asked is None else {"rows": self.asked}
        out: Tensor = model(self.x, self.graph, **self.edge_signals, **asked)
        return out

    @property
    def edge_signals(self) -> dict[str, Tensor]:
        """Those that there are, by the names under which models take them."""
        edges = {"edge_attr": self.edge_attr, "edge_weight": self.edge_weight}
        return {name: signal for name, signal in edges.items() if signal is not None}

    def outputs_in_blocks(self, model: Any) -> tuple[Tensor, list[Tensor | None]]:
        """The same in evaluation, with the states in ``storage``; and the hop weights of the layers that tell."""
        out: tuple[Tensor, list[Tensor | None]] = model.in_blocks(
            self.x, self.graph, self.edge_attr, self.edge_weight, storage=self.storage
        )
        return out

    def joined(self, columns: Tensor) -> Signals:
        """With further node features; where there were none, those that a model would make of the edges stay too."""
        own = self.x
        if own is None and self.edge_attr is not None:
            own = sum_over_targets(self.edge_attr[self.graph.order], self.graph)
        if own is None:
            return replace(self, x=columns)
        if is_sparse(own):
            return replace(self, x=with_columns(own, columns, self.nodes))
        return replace(self, x=torch.cat([own, columns], dim=1))

    def rows(self, nodes: Tensor) -> Tensor:
        """Where the global ids ``nodes``, all of them present, stand among the rows, which are in their order."""
        return nodes if self.nodes is None else torch.searchsorted(self.nodes, nodes)

    def without(self, nodes: Tensor) -> Signals:
        """The node-induced rest."""
        kept = torch.ones(self.graph.num_nodes, dtype=torch.bool, device=self.graph.device)
        kept[nodes] = False
        ids = kept.nonzero().squeeze(1)
        rest = self.piece(Batch(self.graph.subgraph(ids), ids, len(ids)))
        return replace(rest, num_seeds=None)

    def piece(self, batch: Batch) -> Signals:
        """What lies on a piece of the graph."""
        if batch.in_whole:
            rows = batch.nodes.to(self.graph.device)
            ids = rows if self.nodes is None else self.nodes[rows]
            return replace(self, nodes=ids, num_seeds=batch.num_seeds, asked=rows)
        batch = batch.to(self.graph.device)
        edge_weight = None if self.edge_weight is None else batch.graph.carry(self.edge_weight)
        if batch.edge_weight is not None:
            edge_weight = batch.edge_weight if edge_weight is None else edge_weight * batch.edge_weight
        return Signals(
            None if self.x is None else select_rows(self.x, batch.nodes),
            batch.graph,
            None if self.edge_attr is None else batch.graph.carry(self.edge_attr),
            edge_weight,
            batch.nodes if self.nodes is None else self.nodes[batch.nodes],
            batch.num_seeds,
            batch.node_weight,
        )

    def to(self, device: torch.device | str) -> Signals:
        def moved(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else tensor.to(device)

        signals = (self.x, self.edge_attr, self.edge_weight, self.nodes)
        x, edge_attr, edge_weight, nodes = map(moved, signals)
        return replace(
            self, x=x, graph=self.graph.to(device), edge_attr=edge_attr, edge_weight=edge_weight, nodes=nodes
        )


@dataclass(frozen=True)
class Inputs:
    """``train`` and ``whole`` are one object where training sees the whole graph.

    Attributes:
        sampler: Cuts ``train`` into the batches of an epoch; None where an epoch is one step on all of it.
        views: Partitions of ``whole``, through which evaluation goes; none where it takes all at once.
        neighbourhood: Samples the surroundings of the node pairs of a step; None where a step sees all of ``train``.
    """

    train: Signals
    whole: Signals
    sampler: Sampler | None = None
    views: tuple[Sampler, ...] = ()
    neighbourhood: Neighbourhood | None = None

    def stored(self, storage: Storage) -> Inputs:
        """The same, evaluated layer by layer with states in ``storage``."""
        return replace(self, whole=replace(self.whole, storage=storage))

    def pieces(self, epoch: int, start: int = 0, stride: int = 1) -> Iterator[Signals]:
        """What the steps of an epoch, counted from 0, are given: every ``stride``-th from step ``start`` on."""
        if self.sampler is None:
            yield from [self.train][start::stride]
        else:
            yield from (self.train.piece(batch) for batch in batches(self.sampler, epoch, start=start, stride=stride))

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        *,
        setting: Setting = "transductive",
        device: torch.device | str = "cpu",
        bare: bool = False,
        sparse: bool = True,
    ) -> Inputs:
        """The signals of a dataset, its graph taken as it is.

        In the inductive setting validation and test nodes, with all their edges, are unseen in training. ``bare``: a
        graph without any features will do, since the task adds what the model is given. ``sparse``: features that are
        mostly zeros become sparse.
        """
        if setting not in ("transductive", "inductive"):
            raise ValueError(f"setting must be transductive or inductive, got {setting!r}")
        _check_signals(dataset, bare)
        whole = Signals(dataset.x, dataset.graph, dataset.edge_attr, dataset.edge_weight).to(device)
        if (ids := own_ids(dataset.graph)) is not None:
            if whole.x is not None and sparse and FIRST_ENTRY in dataset.extra:
                whole = replace(whole, x=sparse_part(whole.x, dataset.extra[FIRST_ENTRY]))
            whole = replace(whole, nodes=ids, num_seeds=len(ids))
            return cls(whole, whole)
        if whole.x is not None and sparse:
            whole = replace(whole, x=compact(whole.x))
        if setting == "transductive":
            return cls(whole, whole)
        split = dataset.split
        if not isinstance(split, NodeSplit):
            raise ValueError(f"{dataset.name} is split by edges; the inductive setting needs a split of its nodes")
        return cls(whole.without(torch.cat([split.valid, split.test]).to(device)), whole)


def _check_signals(dataset: Dataset, bare: bool) -> None:
    if dataset.x is None and dataset.edge_attr is None and not bare:
        raise ValueError(
            f"{dataset.name} has neither node nor edge features; give it some, such as a file of features, "
            "labels as input (task.labels) or, for links, learned embeddings (task.embedding_channels)"
        )
    for name, signal, kind in (("x", dataset.x, "node"), ("edge_attr", dataset.edge_attr, "edge")):
        if signal is not None and not bool(torch.isfinite(signal.sum(dtype=torch.float64))):
            rows = torch.isfinite(signal.reshape(len(signal), -1)).all(1).logical_not().nonzero()
            raise ValueError(
                f"{dataset.name}: {name} holds NaN or infinity, first in the row of {kind} {int(rows[0])}; "
                "fill or remove such values"
            )
