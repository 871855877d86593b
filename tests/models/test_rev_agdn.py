import torch

from agdn import Graph
from agdn.models import RevAGDN
from agdn.models.layers import chosen_layer, hidden_states
from graphs import random_edges, symmetric

N = 12


def graph() -> Graph:
    return Graph(symmetric(random_edges(N, 30)), N).coalesced().with_self_loops()


def test_blocks_between_a_first_and_a_last_layer() -> None:
    model, x, g = RevAGDN(5, 6, 3, num_layers=4, heads=2, hops=2, out_bias=True).eval(), torch.randn(N, 5), graph()
    torch.nn.init.normal_(model.out_bias)
    one, two = model.first(x, g).chunk(2, dim=1)
    for first, second in model.blocks.blocks:
        one = one + first.conv(torch.relu(first.norm(two)), g)
        two = two + second.conv(torch.relu(second.norm(one)), g)
    last = torch.relu(model.norm(torch.cat([one, two], dim=1)))
    torch.testing.assert_close(model(x, g), model.output(last, g) + model.out_bias)
    assert len(model.blocks.blocks) == 2
    torch.testing.assert_close(hidden_states(model, chosen_layer(model, None), lambda: model(x, g)), last)


def test_a_step_of_single_precision_has_the_plain_gradients() -> None:
    found = []
    for reversible in (True, False):
        torch.manual_seed(0)
        model = RevAGDN(5, 16, 3, num_layers=6, heads=2, dropout=0.3, edge_dropout=0.2, reversible=reversible)
        torch.manual_seed(1)
        out = model(torch.linspace(-1, 1, N * 5).view(N, 5), graph())
        out.log_softmax(1)[:, 0].sum().neg().backward()
        found.append(torch.cat([p.grad.flatten() for p in model.parameters()]))
    assert float((found[0] - found[1]).norm()) < 1e-4 * float(found[1].norm())
