import torch

import reference
from agdn import Graph
from agdn.models import MAGNA
from graphs import random_edges, symmetric

N, HEADS, WIDTH, ALPHA, HOPS = 10, 2, 8, 0.15, 4


def test_the_recursion_and_the_block() -> None:
    graph = Graph(symmetric(random_edges(N, 25)), N).coalesced().with_self_loops()
    model = MAGNA(5, WIDTH // HEADS, 3, num_layers=2, heads=HEADS, hops=HOPS, alpha=ALPHA).double().eval()
    x = torch.randn(N, 5).double()
    h = model.input(x)
    source, target = graph.edge_index
    for block in model.blocks:
        z0 = block.conv.transform(block.norm(h)).view(N, HEADS, -1)
        heads = []
        for head in range(HEADS):
            transition, squashed = block.conv.transition, torch.tanh(z0[:, head])
            scores = (squashed @ transition.source_query[head])[source] + (squashed @ transition.target_query[head])[
                target
            ]
            a = reference.attention_transition("gat", graph.edge_index, scores, N)
            z = z0[:, head]
            for _ in range(HOPS):
                z = (1 - ALPHA) * a @ z + ALPHA * z0[:, head]
            heads.append(z)
        h = h + block.project(torch.cat(heads, dim=1))
        h = h + block.narrow(torch.relu(block.widen(block.inner_norm(h))))
    torch.testing.assert_close(model(x, graph), model.output(model.norm(h)))
    assert model.blocks[0].widen.out_features == 4 * WIDTH
