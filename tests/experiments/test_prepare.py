from pathlib import Path

import pytest
import torch

import agdn
from agdn.data import store
from agdn.data.dataset import Dataset, NodeSplit
from agdn.embedding import walk_embedding
from agdn.experiments import prepare
from agdn.experiments.experiment import Experiment
from agdn.experiments.portable import portable
from agdn.experiments.preparation import preparation
from agdn.experiments.prepare import prepared_dataset
from agdn.graph import Graph
from agdn.ops import diffusion_graph
from small_runs import small


@pytest.fixture
def stored(tmp_path: Path) -> str:
    edges = torch.tensor([[0, 1, 2, 3, 3], [1, 0, 3, 2, 3]])
    parts = [NodeSplit(*(torch.tensor([(first + part) % 3]) for part in range(3))) for first in range(3)]
    dataset = Dataset(
        name="mine",
        graph=Graph(edges, 4),
        target="class",
        metric="accuracy",
        splits=tuple(parts),
        x=torch.tensor([[1.0, 3.0], [0.0, 0.0], [2.0, 2.0], [5.0, 0.0]]),
        y=torch.tensor([0, 1, 0, 1]),
        edge_weight=torch.tensor([2.0, 3.0, 4.0, 5.0, 6.0]),
    )
    store.save(dataset, tmp_path / "mine", key="")
    return str(tmp_path / "mine")


def prepared(folder: str, *changes: str, seed: int = 0) -> Dataset:
    return prepared_dataset(small(f"data.name={folder}", "data.self_loops=keep", *changes).data, seed)


def test_rows_sum_to_one_and_empty_rows_stay(stored: str) -> None:
    x = prepared(stored, "data.scaling=row").x
    assert torch.equal(x, torch.tensor([[0.25, 0.75], [0.0, 0.0], [0.5, 0.5], [1.0, 0.0]]))


def test_edges_and_their_weights_go_together(stored: str) -> None:
    loops = prepared(stored, "data.self_loops=add")
    assert loops.graph.edge_index[:, -4:].tolist() == [[0, 1, 2, 3], [0, 1, 2, 3]]
    assert loops.edge_weight.tolist() == [2, 3, 4, 5, 1, 1, 1, 1]
    assert prepared(stored, "data.self_loops=remove").edge_weight.tolist() == [2, 3, 4, 5]
    assert prepared(stored, "data.reverse_edges=append").graph.num_edges == 9
    assert prepared(stored, "data.reverse_edges=merge").graph.num_edges == 5


def test_a_diffusion_takes_the_place_of_the_edges(stored: str) -> None:
    seen = prepared(stored, "data.self_loops=add", "data.diffusion={name: PPR, alpha: 0.2, top_k: 1}")
    plain = prepared(stored, "data.self_loops=add")
    graph, weight = diffusion_graph(plain.graph, plain.edge_weight, alpha=0.2, top_k=1)
    assert torch.equal(seen.graph.edge_index, graph.edge_index)
    assert torch.equal(seen.edge_weight, weight)
    heat = prepared(stored, "data.diffusion={name: heat, epsilon: 0.01}")
    assert heat.graph.num_edges == 8
    assert preparation(small("data.diffusion={name: heat, top_k: 3}").data)[-1] == (
        "the edges are those of a diffusion over them (heat), with its weights"
    )


def test_what_a_diffusion_cannot_do_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="say which edges stay"):
        prepared_dataset(small("data.diffusion=PPR").data, 0)
    with pytest.raises(ValueError, match=r"leave these out with data\.edge_features=drop"):
        prepared_dataset(small("data.name=edge-task", "data.options={}", "data.diffusion={top_k: 3}").data, 0)
    with pytest.raises(ValueError, match=r"links nodes through those that task\.setting=inductive hides"):
        small("data.diffusion={top_k: 3}", "task.setting=inductive")
    trained = agdn.load(Experiment(small("training.epochs=1", "data.diffusion={top_k: 3}"), 0, tmp_path / "run").run())
    with pytest.raises(ValueError, match="a file could not make them"):
        portable(trained)


def test_nodes_can_have_the_means_of_their_edges() -> None:
    whole = prepared_dataset(small("data.name=edge-task", "data.options={}").data, 0)
    means = prepared_dataset(small("data.name=edge-task", "data.options={}", "data.edge_features=mean").data, 0)
    plain = prepared_dataset(small("data.name=edge-task", "data.options={}", "data.self_loops=keep").data, 0)
    into = plain.graph.edge_index[1] == 7
    assert means.edge_attr is None
    width = plain.edge_attr.size(1)
    torch.testing.assert_close(means.x[7, -width:], plain.edge_attr[into].mean(0))
    assert means.x.size(1) == width + (0 if whole.x is None else whole.x.size(1))
    with pytest.raises(ValueError, match="the edges of csbm have no features"):
        prepared_dataset(small("data.edge_features=mean").data, 0)


def test_published_splits_by_number_or_by_seed(stored: str) -> None:
    assert prepared(stored, seed=2).split.train.tolist() == [0]
    assert prepared(stored, "data.split.index=1", seed=2).split.train.tolist() == [1]
    assert [prepared(stored, "data.split.index=seed", seed=s).split.train.tolist() for s in (1, 2, 4)] == [
        [1],
        [2],
        [1],
    ]
    with pytest.raises(ValueError, match=r"splits 0\.\.2, not 7"):
        prepared(stored, "data.split.index=7")


@pytest.mark.parametrize("split", ["random", "stratified", "{name: per_class, train_per_class: 3, valid: 20}"])
def test_drawn_splits_follow_the_seed(split: str) -> None:
    config = small(f"data.split={split}").data
    first, again, other = (prepared_dataset(config, seed).split for seed in (0, 0, 1))
    assert torch.equal(first.train, again.train)
    assert not torch.equal(first.train, other.train)
    fixed = small(f"data.split={split}", "data.seed=5").data
    assert torch.equal(prepared_dataset(fixed, 0).split.train, prepared_dataset(fixed, 1).split.train)


def test_a_set_without_a_split_or_classes_is_named(tmp_path: Path) -> None:
    edges = Graph(torch.tensor([[0], [1]]), 2)
    store.save(Dataset("bare", edges, "class", "accuracy", x=torch.ones(2, 1)), tmp_path / "bare", key="")
    with pytest.raises(ValueError, match=r"bare comes without a split; set data\.split"):
        prepared(str(tmp_path / "bare"))
    with pytest.raises(ValueError, match="bare has no class a node"):
        prepared(str(tmp_path / "bare"), "data.split=stratified")


def test_edge_features_can_be_left_out_and_degrees_put_in() -> None:
    config = small("data.name=edge-task", "data.options={num_nodes: 60}", "data.edge_features=drop", "data.degree=true")
    dataset = prepared_dataset(config.data, 0)
    assert dataset.edge_attr is None
    assert torch.equal(dataset.x, dataset.graph.in_degree.float().log1p().unsqueeze(1))
    kept = prepared_dataset(small("data.name=edge-task", "data.options={num_nodes: 60}").data, 0)
    assert kept.edge_attr is not None
    assert kept.x is None


def test_degrees_stand_beside_other_features(stored: str) -> None:
    x = prepared(stored, "data.degree=true").x
    assert x[:, :2].tolist() == [[1.0, 3.0], [0.0, 0.0], [2.0, 2.0], [5.0, 0.0]]
    assert x[:, 2].exp().tolist() == pytest.approx([2, 2, 2, 3])


def test_node_ids_stand_beside_other_features(stored: str, monkeypatch) -> None:
    x = prepared(stored, "data.node_ids=join").x
    assert x[:, :2].tolist() == [[1.0, 3.0], [0.0, 0.0], [2.0, 2.0], [5.0, 0.0]]
    assert torch.equal(x[:, 2:], torch.eye(4))
    assert torch.equal(prepared(stored, "data.node_ids=only").x, torch.eye(4))
    monkeypatch.setattr(prepare, "MOST_NODE_IDS", 3)
    with pytest.raises(ValueError, match=r"each of the 4 nodes of .* for up to 3 nodes"):
        prepared(stored, "data.node_ids=join")


def test_walks_see_the_edges_of_the_split_alone() -> None:
    changes = ("data.name=csbm", "data.split={name: edges}", "data.walks={channels: 8, walk_length: 10, window: 5}")
    dataset = prepared_dataset(small(*changes).data, 3)
    assert dataset.x is not None
    own = walk_embedding(dataset.graph, dim=8, walk_length=10, window=5, seed=3)
    assert torch.equal(dataset.x[:, -8:], own)
    assert dataset.x.size(1) > 8
