"""The walks that carried a score to a node, summed up by where they began, how long they were and over which edges.

With attention, hop weights, norms and activations held at what they were, outputs are affine in the features:

    <d, out_i> = constant + sum over walks j -> ... -> i of (product of A over its steps) <back, z_j>

where a walk takes k_l steps in layer l, each layer giving its hop weight Theta_(k_l) and its maps; k_l = 0 and the
residual stay at the node. The sum is exact. It is followed from i backwards, with the steps that are behind:

    C_(t,K) = Theta_K G_(t-K)        C_(t,p) = A^T C_(t,p+1) + Theta_p G_(t-p)        p = K-1 .. 0

G_t are adjoints of a layer's output by t, the steps taken; C_(t,0) is that of Z_0 = X W. Then

    node j after t steps  <C_(t,0)[j], Z_0[j]> + <G_t[j], X W_r[j]>   of the first layer
    edge j -> m           sum over layers, t and p of A_mj <C_(t,p)[m], Z_(p-1)[j]>

with the Z of an upper layer taken without what biases added below: an edge carries the sum of the walks over it, as
often as they cross it.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.explain.attribution import Attribution, distances
from agdn.explain.held_layer import HeldLayer
from agdn.explain.held_network import HeldNetwork
from agdn.explain.question import Question
from agdn.graph import Graph
from agdn.ops import propagate
from agdn.ops.edge_dot import edge_dot

Adjoints = list[Tensor | None]
"""By the steps that were taken, None where there is nothing."""


@torch.no_grad()
def walk(network: HeldNetwork, asked: Question) -> Attribution:
    """The score divided up."""
    distance = distances(network.graph, asked.node, network.reach)
    nodes = (distance >= 0).nonzero().squeeze(1)
    graph = network.graph.subgraph(nodes)
    row = int((nodes == asked.node).nonzero())
    by_hop, flow = _followed(network, asked, nodes, graph, row)
    all_by_hop = by_hop.new_zeros(network.graph.num_nodes, by_hop.size(1))
    all_by_hop[nodes] = by_hop
    assert graph.origin is not None, "a subgraph knows its parent's edges"
    all_flow = flow.new_zeros(network.graph.num_edges)
    all_flow[graph.origin] = flow
    score = asked.score(network.outputs)
    return Attribution(asked.node, score, score - float(by_hop.sum()), all_by_hop, all_flow, distance)


def _followed(network: HeldNetwork, asked: Question, nodes: Tensor, graph: Graph, row: int) -> tuple[Tensor, Tensor]:
    """(n, T) of the nodes by steps and (e,) of the edges, in the subgraph's caller's order."""
    reverse = Graph(graph.edge_index.flip(0), graph.num_nodes)
    direction = asked.direction if network.final is None else network.final @ asked.direction
    first = direction.new_zeros(len(nodes), len(direction))
    first[row] = direction
    adjoints: Adjoints = [first]
    running: Adjoints = []
    flow = direction.new_zeros(graph.num_edges)
    for place in reversed(range(len(network.layers))):
        layer, between = network.layers[place].part(nodes, graph), network.between[place]
        if between is not None:
            held = between.part(nodes)
            adjoints = [None if adjoint is None else held.back(adjoint) for adjoint in adjoints]
        if place in network.summed:
            adjoints = running = _added(adjoints, running)
        heads: Adjoints = [None if adjoint is None else layer.heads(adjoint) for adjoint in adjoints]
        started, crossing = _through_hops(layer, heads, graph, reverse)
        flow += _carried(layer, crossing, graph)
        if place == 0:
            return _begun(layer, started, heads), flow
        padded = [*heads, *[None] * (len(started) - len(heads))]
        below = [layer.of_input(*pair) for pair in zip(started, padded, strict=True)]
        adjoints = _added(below, adjoints) if place in network.skipped else below
    raise ValueError("a network has a layer")


def _through_hops(layer: HeldLayer, heads: Adjoints, graph: Graph, reverse: Graph) -> tuple[Adjoints, Adjoints]:
    """C_(t,0) by t, and C_(t,p) summed over t by p (None at p = 0)."""
    back = layer.transition[reverse.order]
    hops = layer.conv.hops
    started: Adjoints = []
    crossing: Adjoints = [None] * (hops + 1)
    for taken in range(len(heads) + hops):
        current: Tensor | None = None
        for level in reversed(range(hops + 1)):
            if current is not None:
                current = propagate(current, back, reverse)
            before = taken - level
            arrived = heads[before] if 0 <= before < len(heads) else None
            if arrived is not None:
                current = _sum(current, layer.of_hop(level, arrived))
            if level:
                crossing[level] = _sum(crossing[level], current)
        started.append(current)
    return started, crossing


def _carried(layer: HeldLayer, crossing: Adjoints, graph: Graph) -> Tensor:
    """(e,) in the caller's order."""
    total = layer.transition.new_zeros(graph.num_edges)
    for level, adjoint in enumerate(crossing):
        if adjoint is not None:
            products = edge_dot(adjoint.contiguous(), layer.hops[level - 1].contiguous(), graph)
            total[graph.order.long()] += (products * layer.transition[graph.order]).sum(1)
    return total


def _begun(layer: HeldLayer, started: Adjoints, heads: Adjoints) -> Tensor:
    """(n, T) what the nodes' features gave."""
    columns = []
    for taken, adjoint in enumerate(started):
        column = layer.hops[0].new_zeros(len(layer.hops[0]))
        if adjoint is not None:
            column = column + (adjoint * layer.hops[0]).sum((1, 2))
        stayed = heads[taken] if taken < len(heads) else None
        if stayed is not None and layer.residual is not None:
            column = column + (stayed * layer.residual).sum((1, 2))
        columns.append(column)
    return torch.stack(columns, 1)


def _added(first: Adjoints, second: Adjoints) -> Adjoints:
    longest = max(len(first), len(second))
    padded = [[*adjoints, *[None] * (longest - len(adjoints))] for adjoints in (first, second)]
    return [_sum(*pair) for pair in zip(*padded, strict=True)]


def _sum(first: Tensor | None, second: Tensor | None) -> Tensor | None:
    if first is None or second is None:
        return first if second is None else second
    return first + second
