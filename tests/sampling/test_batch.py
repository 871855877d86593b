import torch

from agdn import Graph
from agdn.sampling import Batch
from graphs import random_edges


def test_a_batch_moves_whole() -> None:
    graph = Graph(random_edges(6, 20), 6)
    batch = Batch(graph, torch.arange(6), 2, node_weight=torch.ones(6), edge_weight=torch.ones(20))
    assert batch.seeds.tolist() == [0, 1]
    moved = batch.to("meta")
    for tensor in (moved.graph.indices, moved.nodes, moved.node_weight, moved.edge_weight):
        assert tensor.device.type == "meta"
    assert moved.num_seeds == 2
    plain = Batch(graph, torch.arange(6), 6).to("meta")
    assert plain.node_weight is None
    assert plain.edge_weight is None
