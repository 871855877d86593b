from dataclasses import replace
from itertools import islice

import pytest
import torch

from agdn import AGDN
from agdn.data.dataset import Dataset
from agdn.graph import Graph
from agdn.models import Dot, HadamardMLP, LinkModel
from agdn.sampling import Neighbourhood, RandomPartition
from agdn.tasks import link_metrics
from agdn.tasks.inputs import Inputs
from agdn.tasks.link import LinkTask, states_of
from agdn.tasks.link_losses import auc, weighted_auc
from toy_links import N, linked, with_own_negatives


def model(features: int = 6, embedding: int | None = None) -> LinkModel:
    torch.manual_seed(0)
    embedded = {"num_nodes": N, "embedding_channels": embedding} if embedding else {}
    return LinkModel(AGDN(features + (embedding or 0), 8, 8, 2, hops=2), HadamardMLP(8), state_channels=8, **embedded)


def all_losses(task: LinkTask, inputs: Inputs, epoch: int = 0, start: int = 0) -> list[float]:
    return [float(loss.detach()) for loss in task.losses(model().eval(), inputs, epoch=epoch, start=start)]  # type: ignore[union-attr]


def trained(task: LinkTask, inputs: Inputs, made: LinkModel, epochs: int = 30) -> dict[str, float]:
    optimizer = torch.optim.Adam(made.parameters(), lr=0.01)
    for epoch in range(epochs):
        for loss in task.losses(made.train(), inputs, epoch=epoch):
            assert loss is not None
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return task.evaluate(made.eval(), inputs).scores["test"]


@pytest.mark.parametrize("embedding", [None, 8])
@pytest.mark.parametrize("loss", ["cross_entropy", "auc", "info_nce"])
def test_it_learns_who_belongs_together(loss: str, embedding: int | None) -> None:
    task, inputs = LinkTask(linked(), loss=loss, negatives="strict", per_edge=2), Inputs.of(linked())
    assert trained(task, inputs, model(embedding=embedding))["rocauc"] > 0.8


def test_steps_take_every_training_edge_once() -> None:
    task, inputs = LinkTask(linked(), batch_size=50), Inputs.of(linked())
    seen: list[list[int]] = []

    class Watched(LinkModel):
        def decode(self, states, pairs):
            seen.extend(pairs[:, : pairs.size(1) // 2].t().tolist())
            return super().decode(states, pairs)

    watched = Watched(AGDN(6, 8, 8, 2), Dot(), state_channels=8)
    losses = list(task.losses(watched, inputs))
    assert len(losses) == task.steps(inputs) == -(-task.split.train.size(1) // 50)
    assert sorted(seen) == sorted(task.split.train.t().tolist())


def test_a_share_of_the_edges_is_learnt_and_all_are_seen() -> None:
    whole = LinkTask(linked()).split.train
    task = LinkTask(linked(), train_share=0.25, batch_size=10)
    kept, everyone = (set(map(tuple, edges.t().tolist())) for edges in (task.learnt, whole))
    assert len(kept) == int(0.25 * whole.size(1))
    assert kept < everyone
    assert task.steps(Inputs.of(linked())) == -(-len(kept) // 10)
    assert task.graph.num_edges == LinkTask(linked()).graph.num_edges
    assert torch.equal(LinkTask(linked(), train_share=0.25).learnt, task.learnt)
    assert not torch.equal(LinkTask(linked(), train_share=0.25, seed=1).learnt, task.learnt)


def test_steps_are_a_function_of_seed_epoch_and_number() -> None:
    inputs = Inputs.of(linked())
    whole = all_losses(LinkTask(linked(), batch_size=50), inputs, epoch=2)
    assert all_losses(LinkTask(linked(), batch_size=50), inputs, epoch=2, start=2) == whole[2:]
    assert all_losses(LinkTask(linked(), batch_size=50), inputs, epoch=1) != whole
    assert all_losses(LinkTask(linked(), batch_size=50, seed=1), inputs, epoch=2) != whole


def test_negatives_meet_their_own_positive() -> None:
    """A pairwise loss on scores that name their pair."""

    class Named(LinkModel):
        def decode(self, states, pairs):
            return pairs[0].float()

    task, inputs = LinkTask(linked(), loss="auc", negatives="per_source", per_edge=3), Inputs.of(linked())
    (loss,) = list(task.losses(Named(AGDN(6, 8, 8, 2), Dot(), state_channels=8), inputs))
    assert float(loss) == 3 * task.split.train.size(1)  # type: ignore[arg-type]


def test_fixed_negatives_stay_with_their_edge() -> None:
    class Watched(LinkModel):
        def decode(self, states, pairs):
            seen.append(pairs)
            return super().decode(states, pairs)

    task = LinkTask(linked(), negatives="strict", per_edge=2, fixed_negatives=True, batch_size=50)
    inputs, epochs = Inputs.of(linked()), []
    for epoch in range(2):
        seen: list[torch.Tensor] = []
        list(task.losses(Watched(AGDN(6, 8, 8, 2), Dot(), state_channels=8), inputs, epoch=epoch))
        of: dict[tuple[int, ...], list[list[int]]] = {}
        for pairs in seen:
            count = pairs.size(1) // 3
            own = pairs[:, count:].view(2, count, 2)
            of |= {tuple(pairs[:, i].tolist()): own[:, i].tolist() for i in range(count)}
        epochs.append(of)
    assert len(epochs[0]) == task.split.train.size(1)
    assert epochs[0] == epochs[1]


def test_weights_follow_their_edges() -> None:
    dataset = linked(weights=True)
    task, inputs = LinkTask(dataset, loss="weighted_auc", batch_size=30), Inputs.of(dataset)
    assert dataset.edge_weight is not None
    expected = (1 + task.split.train.sum(0) % 3).float()
    assert torch.equal(task._weight, expected)  # type: ignore[arg-type]
    made = model().eval()
    order = task._ordered(0)[:30]
    loss = next(iter(task.losses(made, inputs)))
    pairs = torch.cat([task.split.train[:, order], task._negatives(task.split.train[:, order], task._known,
                                                                  task._generator(1, 0, 0))], dim=1)  # fmt: skip
    scores = made.decode(states_of(made, inputs.train), pairs)
    torch.testing.assert_close(loss, weighted_auc(scores[:30], scores[30:].view(30, 1), expected[order]))
    with pytest.raises(ValueError, match="has no edge weights"):
        LinkTask(linked(), loss="weighted_auc")


def test_targets_are_left_out_of_the_message_graph() -> None:
    task, inputs = LinkTask(linked(), batch_size=40, leave_out_targets=True), Inputs.of(linked())
    graphs: list[Graph] = []

    class Watched(LinkModel):
        def encode(self, x, graph, nodes=None, **edges):
            graphs.append(graph)
            return super().encode(x, graph, nodes, **edges)

    list(islice(task.losses(Watched(AGDN(6, 8, 8, 2), Dot(), state_channels=8), inputs), 1))
    asked = task.split.train[:, task._ordered(0)[:40]]
    left = {tuple(pair) for pair in graphs[0].edge_index.t().tolist()}
    whole = {tuple(pair) for pair in inputs.train.graph.edge_index.t().tolist()}
    both = {tuple(pair) for pair in torch.cat([asked, asked.flip(0)], dim=1).t().tolist()}
    assert left == whole - both
    assert len(whole) - len(left) == 80
    assert int(graphs[0].in_degree.sum()) == len(left)


def test_pieces_teach_their_own_edges() -> None:
    task, inputs = LinkTask(linked(), batch_size=None, leave_out_targets=False), Inputs.of(linked())
    pieces = replace(inputs, sampler=RandomPartition(inputs.train.graph, 3, seed=1))
    assert task.steps(pieces) == 3
    assert trained(task, pieces, model())["rocauc"] > 0.75
    assert trained(replace_batch(task, 20), pieces, model())["rocauc"] > 0.7


def replace_batch(task: LinkTask, size: int) -> LinkTask:
    task.batch_size = size
    return task


def test_sampled_surroundings_of_all_edges_are_the_whole_graph() -> None:
    task, inputs = LinkTask(linked(), batch_size=50), Inputs.of(linked())
    around = replace(inputs, neighbourhood=Neighbourhood(inputs.train.graph, -1, hops=4))
    for ours, theirs in zip(all_losses(task, around), all_losses(task, inputs), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4)
    few = replace(inputs, neighbourhood=Neighbourhood(inputs.train.graph, 3, hops=4))
    task.leave_out_targets = True
    assert trained(task, few, model(embedding=4))["rocauc"] > 0.7


def test_scores_are_those_of_the_official_metric() -> None:
    dataset = linked("hits@20")
    task, inputs = LinkTask(dataset), Inputs.of(dataset)
    assert task.score_names == ("hits@20", "hits@50", "hits@100", "rocauc", "average_precision")
    made = model().eval()
    with torch.no_grad():
        found = task.evaluate(made, inputs)
        positive, negative = task.part_scores(made, inputs, "test")
    assert found.scores["test"]["hits@20"] == link_metrics.hits(positive, negative, 20)
    logits = made.decode(states_of(made, inputs.whole), task.split.test)
    torch.testing.assert_close(positive, logits.detach())
    assert set(found.scores) == {"train", "valid", "test"}
    with torch.no_grad():
        only = LinkTask(dataset, parts=("train", "valid")).evaluate(made, inputs)
    assert set(only.scores) == {"train", "valid"}
    assert only.valid_loss == found.valid_loss


def test_own_negatives_are_ranked_edge_by_edge() -> None:
    dataset = with_own_negatives(linked())
    task, inputs = LinkTask(dataset, eval_batch_size=7), Inputs.of(dataset)
    assert task.score_names == ("mrr", "hits@1", "hits@3", "hits@10")
    made = model().eval()
    with torch.no_grad():
        scores = task.evaluate(made, inputs).scores["valid"]
        positive, negative = task.part_scores(made, inputs, "valid")
    ranks = [1 + int((own > p).sum()) for p, own in zip(positive, negative.view(-1, 5), strict=True)]
    assert scores["mrr"] == pytest.approx(sum(1 / rank for rank in ranks) / len(ranks))
    assert scores["hits@10"] == 1.0


def test_validation_edges_are_input_where_that_is_declared() -> None:
    dataset = linked("hits@20")
    inputs, made = Inputs.of(dataset), model().eval()
    hidden, declared = LinkTask(dataset), LinkTask(dataset, valid_edges="input")
    assert hidden.notes == ()
    assert "Validation edges are part of the message graph" in declared.notes[0]
    with torch.no_grad():
        one, two = (task.evaluate(made, inputs) for task in (hidden, declared))
    assert one.scores["valid"] == two.scores["valid"]
    assert one.scores["test"] != two.scores["test"]


def changed(dataset: Dataset, **parts: torch.Tensor) -> Dataset:
    return replace(dataset, splits=(replace(dataset.splits[0], **parts),))  # type: ignore[type-var, arg-type]


def leaks() -> dict[str, tuple[Dataset, str]]:
    dataset = linked()
    split = dataset.splits[0]
    test, edges = split.test, dataset.graph.edge_index  # type: ignore[union-attr]
    far = torch.tensor([[0], [N]])
    return {
        "test edge in the graph": (
            replace(dataset, graph=Graph(torch.cat([edges, test[:, :1]], dim=1), N)),
            r"1 test edge\(s\) are in the message graph, such as",
        ),
        "reverse of a test edge in the graph": (
            replace(dataset, graph=Graph(torch.cat([edges, test[:, :1].flip(0)], dim=1), N)),
            r"the reverse of 1 test edge\(s\) is in the message graph",
        ),
        "reverse edge across the split": (
            changed(dataset, train=torch.cat([split.train, test[:, :1].flip(0)], dim=1)),  # type: ignore[union-attr]
            "are in the other part backwards",
        ),
        "negative that is an edge": (
            changed(dataset, valid_negative=torch.cat([split.valid_negative[:, 1:], edges[:, :1]], dim=1)),  # type: ignore[union-attr]
            r"1 negative\(s\) are edges, such as",
        ),
        "id out of range": (
            changed(dataset, test=torch.cat([test[:, 1:], far], dim=1)),
            rf"pair \[0, {N}\] names a node that does not exist",
        ),
    }


@pytest.mark.parametrize("leak", leaks())
def test_leaks_are_refused_by_name(leak: str) -> None:
    dataset, words = leaks()[leak]
    with pytest.raises(ValueError, match=words):
        LinkTask(dataset)


def test_scores_that_are_no_numbers_are_refused() -> None:
    task, inputs, made = LinkTask(linked()), Inputs.of(linked()), model().eval()
    with torch.no_grad():
        made.decoder.layers[0].weight.fill_(float("nan"))  # type: ignore[union-attr, index]
    with pytest.raises(ValueError, match=r"scores of valid edges are NaN, first of pair \[\d+, \d+\]"):
        task.evaluate(made, inputs)


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="a link task has the losses cross_entropy"):
        LinkTask(linked(), loss="bce")
    with pytest.raises(ValueError, match="links are scored by hits@1"):
        LinkTask(replace(linked(), metric="accuracy"))
    with pytest.raises(ValueError, match="each edge has negatives of its own"):
        LinkTask(replace(with_own_negatives(linked()), metric="rocauc"))


def test_a_watcher_hears_how_far_it_is() -> None:
    heard: list[tuple[str, int, int]] = []
    task = LinkTask(linked(), eval_batch_size=10, watch=lambda *told: heard.append(told))
    task.part_scores(model().eval(), Inputs.of(linked()), "test")
    count = task.split.test.size(1)
    assert [done for what, done, _ in heard if what == "test edges"][-1] == count
    assert len({what for what, _, _ in heard}) == 2


def test_the_squared_loss_is_a_sum() -> None:
    assert float(auc(torch.zeros(2), torch.zeros(2, 3))) == 6
