import pytest
import torch

from agdn import AGDN, Graph
from agdn.models import Dot, LinkModel
from graphs import random_edges, symmetric

GRAPH = Graph(symmetric(random_edges(12, 40)), 12)
PAIRS = torch.tensor([[0, 2], [1, 5]])


def test_it_decodes_what_it_encodes() -> None:
    model, x = LinkModel(AGDN(4, 8, 8, 2), Dot(), state_channels=8).eval(), torch.randn(12, 4)
    states = model.encoder(x, GRAPH)
    torch.testing.assert_close(model(x, GRAPH, PAIRS), (states[PAIRS[0]] * states[PAIRS[1]]).sum(1))


def test_embeddings_stand_in_for_features_or_beside_them() -> None:
    alone = LinkModel(AGDN(3, 8, 8, 2), Dot(), state_channels=8, num_nodes=12, embedding_channels=3)
    assert alone.embedding is not None
    assert torch.equal(alone.given(None), alone.embedding.weight)
    beside = LinkModel(AGDN(7, 8, 8, 2), Dot(), state_channels=8, num_nodes=12, embedding_channels=3)
    x = torch.randn(12, 4)
    assert beside.embedding is not None
    assert torch.equal(beside.given(x), torch.cat([x, beside.embedding.weight], dim=1))
    rows = torch.tensor([3, 1])
    assert torch.equal(beside.given(x[rows], rows), beside.given(x)[rows])
    sparse = beside.given(x.to_sparse_csr())
    assert torch.equal(sparse, beside.given(x))


def test_sizes_come_together_and_something_must_be_given() -> None:
    with pytest.raises(ValueError, match="need both num_nodes and embedding_channels"):
        LinkModel(AGDN(3, 8, 8, 2), Dot(), state_channels=8, num_nodes=12)
    with pytest.raises(ValueError, match="has no learned embeddings"):
        LinkModel(AGDN(3, 8, 8, 2), Dot(), state_channels=8).encode(None, GRAPH)


def test_reset_draws_every_part_anew() -> None:
    model = LinkModel(AGDN(3, 8, 8, 2), Dot(), state_channels=8, num_nodes=12, embedding_channels=3)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    model.reset_parameters()
    assert any(not torch.equal(before[name], value) for name, value in model.state_dict().items() if "embed" in name)
    assert any(not torch.equal(before[name], value) for name, value in model.state_dict().items() if "encoder" in name)
