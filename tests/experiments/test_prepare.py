from pathlib import Path

import pytest
import torch

from agdn.data import store
from agdn.data.dataset import Dataset, NodeSplit
from agdn.embedding import walk_embedding
from agdn.experiments.prepare import prepared_dataset
from agdn.graph import Graph
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


def test_walks_see_the_edges_of_the_split_alone() -> None:
    changes = ("data.name=csbm", "data.split={name: edges}", "data.walks={channels: 8, walk_length: 10, window: 5}")
    dataset = prepared_dataset(small(*changes).data, 3)
    assert dataset.x is not None
    own = walk_embedding(dataset.graph, dim=8, walk_length=10, window=5, seed=3)
    assert torch.equal(dataset.x[:, -8:], own)
    assert dataset.x.size(1) > 8
