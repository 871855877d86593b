"""The edge task: edge features tell the labels, the structure does not."""

import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from agdn.data.checks import check_dataset
from agdn.data.embedded.edge_task import edge_task
from agdn.data.errors import DataError


def mean_auc(features: torch.Tensor) -> float:
    dataset = edge_task()
    train, test = dataset.split.train, dataset.split.test
    scores = []
    for task in range(dataset.num_classes):
        model = LogisticRegression(max_iter=1000).fit(features[train], dataset.y[train, task])
        scores.append(roc_auc_score(dataset.y[test, task], model.predict_proba(features[test])[:, 1]))
    return float(sum(scores) / len(scores))


def test_incoming_edge_features_tell_the_labels_and_degrees_do_not() -> None:
    dataset = edge_task()
    graph = dataset.graph
    degree = graph.in_degree.unsqueeze(1).float()
    total = torch.zeros(graph.num_nodes, 8).index_add_(0, graph.edge_index[1], dataset.edge_attr)
    neighbours = torch.zeros(graph.num_nodes, 1).index_add_(0, graph.edge_index[1], degree[graph.edge_index[0]])
    assert mean_auc(total / degree) > 0.97
    assert mean_auc(torch.cat([degree, neighbours, degree.log()], dim=1)) == pytest.approx(0.5, abs=0.08)


def test_the_form_of_proteins() -> None:
    dataset = edge_task(num_nodes=200, num_tasks=3)
    assert dataset.x is None
    assert torch.equal(dataset.edge_attr[::2], dataset.edge_attr[1::2])
    assert torch.equal(dataset.graph.edge_index[:, ::2], dataset.graph.edge_index[:, 1::2].flip(0))
    assert dataset.y.mean(0).tolist() == pytest.approx([0.5] * 3, abs=0.01)
    assert int(dataset.graph.in_degree.min()) >= 1
    assert check_dataset(dataset).ok


def test_nonsense_is_said() -> None:
    with pytest.raises(DataError, match="edge_task needs"):
        edge_task(degree=0)
