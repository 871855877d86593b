import pytest
import torch

from agdn import Graph
from agdn.models import RevGNN
from graphs import random_edges, symmetric

N = 12


@pytest.mark.parametrize("conv", ["gen", "sage"])
def test_every_group_sees_the_sum_of_the_others_or_the_one_before(conv: str) -> None:
    graph = Graph(symmetric(random_edges(N, 30)), N).coalesced().with_self_loops()
    model, x = RevGNN(5, 6, 3, num_layers=3, groups=3, conv=conv).eval(), torch.randn(N, 5)
    groups = list(model.input(x).chunk(3, dim=1))
    for block in model.blocks.blocks:
        given = groups[1] + groups[2]
        for g, layer in enumerate(block):
            given = groups[g] + layer.conv(torch.relu(layer.norm(given)), graph)
            groups[g] = given
    expected = model.output(torch.relu(model.norm(torch.cat(groups, dim=1))))
    torch.testing.assert_close(model(x, graph), expected)
