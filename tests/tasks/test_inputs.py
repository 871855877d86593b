import pytest
import torch
from torch import Tensor, nn

from agdn.data.dataset import Dataset, NodeSplit
from agdn.graph import Graph
from agdn.tasks.inputs import Inputs, Signals


def ring(**changes: object) -> Dataset:
    """Six nodes in a ring: 0-3 train, 4 valid, 5 test."""
    ids = torch.arange(6)
    fields: dict[str, object] = {
        "name": "ring",
        "graph": Graph(torch.stack([ids, (ids + 1) % 6]), 6),
        "target": "class",
        "metric": "accuracy",
        "splits": (NodeSplit(torch.tensor([3, 0, 1, 2]), torch.tensor([4]), torch.tensor([5])),),
        "x": torch.arange(6.0).unsqueeze(1),
        "y": ids % 2,
        "edge_attr": torch.arange(6.0).unsqueeze(1),
    }
    return Dataset(**{**fields, **changes})  # type: ignore[arg-type]


class Given(nn.Module):
    """Remembers what it was called with."""

    def forward(self, x: Tensor, graph: Graph, **edges: Tensor) -> Tensor:
        self.edges = edges
        return x


def test_transductive_training_sees_everything() -> None:
    inputs = Inputs.of(ring())
    assert inputs.train is inputs.whole
    nodes = torch.tensor([2, 5])
    assert inputs.train.rows(nodes) is nodes


def test_inductive_training_sees_no_held_out_node_and_none_of_its_edges() -> None:
    inputs = Inputs.of(ring(), setting="inductive")
    assert inputs.train.graph.edge_index.tolist() == [[0, 1, 2], [1, 2, 3]]
    assert inputs.train.x is not None
    assert inputs.train.x.flatten().tolist() == [0, 1, 2, 3]
    assert inputs.train.edge_attr is not None
    assert inputs.train.edge_attr.flatten().tolist() == [0, 1, 2]
    assert inputs.whole.graph.num_nodes == 6


def test_rows_follow_the_global_ids() -> None:
    split = NodeSplit(torch.tensor([5, 3]), torch.tensor([0]), torch.tensor([1]))
    train = Inputs.of(ring(splits=(split,)), setting="inductive").train
    assert train.nodes is not None
    assert train.nodes.tolist() == [2, 3, 4, 5]
    assert train.x is not None
    assert train.x[train.rows(split.train)].flatten().tolist() == [5, 3]


def test_edge_signals_are_passed_on_where_there_are_any() -> None:
    model, dataset = Given(), ring()
    Inputs.of(dataset).whole.outputs(model)
    assert set(model.edges) == {"edge_attr"}
    Signals(dataset.x, dataset.graph).outputs(model)
    assert not model.edges


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_bad_features_name_the_row(bad: float) -> None:
    x = torch.ones(6, 2)
    x[3, 1] = bad
    with pytest.raises(ValueError, match="node 3"):
        Inputs.of(ring(x=x))


def test_infinities_that_cancel_are_found() -> None:
    x = torch.ones(6, 2)
    x[1, 0], x[4, 0] = torch.inf, -torch.inf
    with pytest.raises(ValueError, match="node 1"):
        Inputs.of(ring(x=x))


def test_no_features_at_all() -> None:
    with pytest.raises(ValueError, match="neither node nor edge features"):
        Inputs.of(ring(x=None, edge_attr=None))


def test_unknown_setting() -> None:
    with pytest.raises(ValueError, match="inductive"):
        Inputs.of(ring(), setting="deductive")  # type: ignore[arg-type]
