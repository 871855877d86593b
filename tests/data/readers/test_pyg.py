"""PyG objects in and out."""

from pathlib import Path

import pytest
import torch

from agdn.data.dataset import EdgeSplit
from agdn.data.errors import DataError
from agdn.data.readers.planetoid import read_planetoid
from agdn.data.readers.pyg import from_pyg, to_pyg

pytest.importorskip("torch_geometric")
from torch_geometric.data import Data, HeteroData, InMemoryDataset
from torch_geometric.transforms import RandomLinkSplit

EDGES = torch.tensor([[2, 0, 1, 0], [0, 1, 2, 2]])


def example(**fields: object) -> Data:
    masks = torch.eye(3, dtype=torch.bool)
    defaults = {"x": torch.rand(3, 2), "y": torch.tensor([0, 1, 2]), "edge_attr": torch.rand(4)}
    named = {"train_mask": masks[0], "val_mask": masks[1], "test_mask": masks[2]}
    return Data(edge_index=EDGES, **{**defaults, **named, **fields})


def test_there_and_back_again() -> None:
    data = example(edge_weight=torch.rand(4))
    dataset = from_pyg(data, name="tiny")
    back = to_pyg(dataset)
    assert torch.equal(back.edge_index, data.edge_index)
    assert torch.equal(back.x, data.x)
    assert torch.equal(back.y, data.y)
    assert torch.equal(back.edge_attr.squeeze(1), data.edge_attr)
    assert torch.equal(back.edge_weight, data.edge_weight)
    for mask in ("train_mask", "val_mask", "test_mask"):
        assert torch.equal(back[mask], data[mask])
    assert (dataset.name, dataset.target, dataset.metric) == ("tiny", "class", "accuracy")


def test_several_masks_are_several_splits() -> None:
    masks = torch.tensor([[True, False], [False, True], [False, False]])
    dataset = from_pyg(example(train_mask=masks, val_mask=masks.flip(1)))
    assert [split.train.tolist() for split in dataset.splits] == [[0], [1]]
    assert [split.test.tolist() for split in dataset.splits] == [[2], [2]]
    assert torch.equal(to_pyg(dataset).train_mask, masks)


def test_a_data_set_of_one_graph_is_taken() -> None:
    class Single(InMemoryDataset):
        name = "single"

        def __init__(self) -> None:
            super().__init__()
            self.data, self.slices = self.collate([example()])

    dataset = from_pyg(Single())
    assert (dataset.name, dataset.graph.num_edges) == ("single", 4)


def test_a_link_split_is_taken(data_root: Path) -> None:
    data = to_pyg(read_planetoid(data_root / "planetoid", "cora"))
    torch.manual_seed(0)
    parts = RandomLinkSplit(num_val=0.1, num_test=0.2, is_undirected=True, add_negative_train_samples=False)(data)
    dataset = from_pyg(parts, name="cora")
    split = dataset.split
    assert isinstance(split, EdgeSplit)
    assert [pairs.size(1) for pairs in (split.valid, split.test, split.valid_negative)] == [527, 1055, 527]
    assert dataset.graph.num_edges == 2 * (5278 - 527 - 1055)
    assert torch.equal(to_pyg(dataset).test_negative_edge, split.test_negative)


def test_a_sparse_adjacency_is_taken() -> None:
    adjacency = torch.sparse_coo_tensor(EDGES.flip(0), torch.ones(4), (3, 3)).to_sparse_csr()
    data = Data(adj_t=adjacency, y=torch.tensor([0, 1, 2]), num_nodes=3)
    edges = from_pyg(data).graph.edge_index
    assert sorted(edges.t().tolist()) == sorted(EDGES.t().tolist())


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (HeteroData(a={"x": torch.ones(2, 1)}), "to_homogeneous"),
        ([example(), example()], "holds 2 graphs"),
        (3, "takes a Data or a PyG dataset, not int"),
        (Data(x=torch.ones(3, 1)), "neither edge_index nor"),
        (example(y=torch.tensor([1])), "y has 1 rows for 3 nodes"),
    ],
)
def test_what_cannot_be_taken_is_said(source: object, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        from_pyg(source)


def test_an_edge_out_of_range_is_named() -> None:
    with pytest.raises(ValueError, match="only 2 nodes"):
        from_pyg(Data(edge_index=EDGES, num_nodes=2))
