"""Training and evaluation in pieces of the graph."""

import torch

from agdn.graph import Graph
from agdn.models.agdn import AGDN
from agdn.sampling import Batch, EgoSampler, NeighbourSampler, RandomPartition, SaintNode
from agdn.tasks.inputs import Inputs
from agdn.tasks.label_input import LabelOptions
from agdn.tasks.node import NodeTask
from toy_task import N, dataset


def model(in_channels: int = 5) -> AGDN:
    torch.manual_seed(1)
    return AGDN(in_channels, 4, 3, 2, hops=2)


def test_one_part_is_the_whole_graph() -> None:
    task, whole = NodeTask(dataset()), Inputs.of(dataset())
    one = Inputs(whole.train, whole.whole, sampler=RandomPartition(whole.train.graph, 1))
    (loss,), (expected,) = (list(task.losses(model().eval(), inputs)) for inputs in (one, whole))
    torch.testing.assert_close(loss, expected)


def test_the_loss_of_a_part_is_that_of_its_training_nodes_in_its_subgraph() -> None:
    task, inputs = NodeTask(dataset()), Inputs.of(dataset())
    sampler = RandomPartition(inputs.train.graph, 3, seed=5)
    pieces = Inputs(inputs.train, inputs.whole, sampler=sampler)
    assert task.steps(pieces) == 3
    network = model().eval()
    losses = list(task.losses(network, pieces, epoch=2))
    for index, loss in enumerate(losses):
        batch = sampler.batch(2, index)
        own = torch.isin(batch.nodes, task.split.train)
        assert inputs.train.x is not None
        outputs = network(inputs.train.x[batch.nodes], batch.graph)
        torch.testing.assert_close(loss, task.loss(outputs[own], batch.nodes[own]))
    (last,) = list(task.losses(network, pieces, epoch=2, start=2))
    assert last is not None
    assert losses[2] is not None
    assert float(last.detach()) == float(losses[2].detach())


def test_seeds_alone_are_asked_for() -> None:
    """Training nodes that are there as surroundings do not count."""
    task, inputs = NodeTask(dataset()), Inputs.of(dataset())
    network = model().eval()
    everywhere = inputs.train.outputs(network)
    for sampler in (
        NeighbourSampler(inputs.train.graph, task.split.train, -1, hops=4, batch_size=7),
        EgoSampler(inputs.train.graph, task.split.train, -1, hops=4, batch_size=7),
    ):
        losses = list(task.losses(network, Inputs(inputs.train, inputs.whole, sampler=sampler)))
        assert len(losses) == 5  # 30 training nodes
        for index, loss in enumerate(losses):
            seeds = sampler.batch(0, index).seeds
            torch.testing.assert_close(loss, task.loss(everywhere[seeds], seeds), rtol=1e-4, atol=1e-5)


class Nowhere:
    """Its one batch is the validation nodes."""

    def __init__(self, graph: Graph, nodes: torch.Tensor) -> None:
        self.graph, self.nodes = graph, nodes

    def __len__(self) -> int:
        return 1

    def batch(self, epoch: int, index: int) -> Batch:
        return Batch(self.graph.subgraph(self.nodes), self.nodes, len(self.nodes))


def test_a_batch_without_training_nodes_has_no_loss() -> None:
    task, inputs = NodeTask(dataset()), Inputs.of(dataset())
    sampler = Nowhere(inputs.train.graph, task.split.valid)
    assert list(task.losses(model(), Inputs(inputs.train, inputs.whole, sampler=sampler))) == [None]


def test_weights_of_nodes_enter_the_loss() -> None:
    task, inputs = NodeTask(dataset()), Inputs.of(dataset())
    sampler = SaintNode(inputs.train.graph, 50, batches=1, normalise=True)
    batch = sampler.batch(0, 0)
    assert batch.node_weight is not None
    network = model().eval()
    (loss,) = list(task.losses(network, Inputs(inputs.train, inputs.whole, sampler=sampler)))
    own = torch.isin(batch.nodes, task.split.train)
    outputs = inputs.train.piece(batch).outputs(network)[own]
    each = torch.nn.functional.cross_entropy(outputs, task.y[batch.nodes[own]], reduction="none")
    weight = batch.node_weight[own]
    torch.testing.assert_close(loss, (weight * each).sum() / weight.sum())


def test_unseen_nodes_stay_unseen_in_pieces() -> None:
    task, inputs = NodeTask(dataset()), Inputs.of(dataset(), setting="inductive")
    sampler = RandomPartition(inputs.train.graph, 2)
    pieces = list(Inputs(inputs.train, inputs.whole, sampler=sampler).pieces(0))
    seen = torch.cat([piece.nodes for piece in pieces if piece.nodes is not None])
    assert sorted(seen.tolist()) == sorted(task.split.train.tolist())
    for piece in pieces:
        assert piece.x is not None
        assert inputs.whole.x is not None
        assert torch.equal(piece.x, inputs.whole.x[piece.nodes])


def test_labels_are_shown_in_pieces_but_never_to_those_who_are_asked() -> None:
    task = NodeTask(dataset(), labels=LabelOptions(mask_rate=0.5, reuse=1))
    inputs = Inputs.of(dataset())
    sampler = RandomPartition(inputs.train.graph, 3)
    network = model(5 + 3)
    given: list[torch.Tensor] = []
    network.register_forward_pre_hook(lambda _, arguments: given.append(arguments[0].clone()))
    for loss in task.losses(network, Inputs(inputs.train, inputs.whole, sampler=sampler)):
        assert loss is not None
    assert len(given) == 2 * 3
    for index, shown in enumerate(given[::2]):
        nodes = sampler.batch(0, index).nodes
        labels = shown[:, 5:]
        told = labels.sum(1) > 0
        assert bool(torch.isin(nodes[told], task.split.train).all())
        assert torch.equal(labels[told].argmax(1), task.y[nodes[told]])
        assert 0 < int(told.sum()) < int(torch.isin(nodes, task.split.train).sum())


def test_views_are_averaged_and_every_node_is_in_each_once() -> None:
    task, inputs = NodeTask(dataset()), Inputs.of(dataset())
    views = tuple(RandomPartition(inputs.whole.graph, 70, fixed=True, seed=seed) for seed in (1, 2))  # some are empty
    network = model().eval()
    with torch.no_grad():
        outputs = task.outputs(network, Inputs(inputs.train, inputs.whole, views=views))
        expected = torch.zeros(2, N, 3)
        for place, view in enumerate(views):
            for index in range(70):
                batch = view.batch(0, index)
                if len(batch.nodes):
                    expected[place, batch.nodes] = inputs.whole.piece(batch).outputs(network)
    torch.testing.assert_close(outputs, expected.mean(0))
    assert not torch.allclose(expected[0], expected[1])
