"""Forms of the transition that the dense oracle of the layer does not cover."""

from __future__ import annotations

import pytest
import torch

from agdn import Graph
from agdn.nn.transition import AttentionTransition
from graphs import random_edges


def test_scaled_scores_see_features_divided_by_the_root_of_the_degree() -> None:
    graph, z = Graph(random_edges(12, 50), 12).with_self_loops(), torch.randn(12, 2, 3)
    adjusted = AttentionTransition("gat_adj", (3, 3), 2, 3, scaled_scores=True)
    plain = AttentionTransition("gat_adj", (3, 3), 2, 3)
    plain.load_state_dict(adjusted.state_dict())
    shrunk = z / graph.out_degree.sqrt().view(-1, 1, 1)
    x = torch.empty(12, 3)
    both = (x, x)
    # the target's part of a score still sees the features as they are
    torch.testing.assert_close(adjusted(graph, both, (z, z)), plain(graph, both, (shrunk, z)))


def test_scaled_scores_are_a_form_of_gat_adj_alone() -> None:
    with pytest.raises(ValueError, match="a form of gat_adj"):
        AttentionTransition("gat", (3, 3), 2, 3, scaled_scores=True)
