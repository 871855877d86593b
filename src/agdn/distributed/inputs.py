"""What a rank is given of a graph in parts."""

from __future__ import annotations

from torch import Tensor

from agdn.distributed.part_graph import PartGraph, cut_out
from agdn.distributed.world import World
from agdn.ops.sparse_rows import select_rows
from agdn.tasks.inputs import Inputs, Signals


def part_signals(signals: Signals, owner: Tensor, world: World) -> Signals:
    """The rank's own rows and edges of signals that every rank has; ``owner`` (rows,) names each row's rank."""
    part = PartGraph.joined(cut_out(signals.graph, owner, world.rank), world)
    return Signals(
        None if signals.x is None else select_rows(signals.x, part.nodes),
        part,
        None if signals.edge_attr is None else signals.edge_attr[part.edges],
        None if signals.edge_weight is None else signals.edge_weight[part.edges],
        part.nodes if signals.nodes is None else signals.nodes[part.nodes],
        part.num_nodes,
    )


def part_inputs(inputs: Inputs, owner: Tensor, world: World) -> Inputs:
    """Training and evaluation on parts; ``owner`` (N,) names the rank of each node of the whole graph."""
    whole = part_signals(inputs.whole, owner, world)
    if inputs.train is inputs.whole:
        return Inputs(whole, whole)
    train = inputs.train
    return Inputs(part_signals(train, owner if train.nodes is None else owner[train.nodes], world), whole)
