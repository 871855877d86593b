import pytest
import torch

from agdn import AGDN, Graph
from agdn.models import DAGNN, GAT, GCN, MLP, SGC, SIGN, TAGCN, LabelPropagation
from agdn.models.layers import chosen_layer, hidden_states
from graphs import random_edges

X, GRAPH = torch.randn(9, 5), Graph(random_edges(9, 30), 9)


def test_the_layer_before_the_output_is_what_the_output_is_made_of() -> None:
    linear = AGDN(5, 4, 3, num_layers=2, output="linear").eval()
    states = hidden_states(linear, chosen_layer(linear, None), lambda: linear(X, GRAPH))
    torch.testing.assert_close(linear.output_linear(states), linear(X, GRAPH))
    conv = AGDN(5, 4, 3, num_layers=3, heads=2, encoder_channels=6).eval()
    states = hidden_states(conv, chosen_layer(conv, None), lambda: conv(X, GRAPH))
    torch.testing.assert_close(conv.convs[-1](states, GRAPH), conv(X, GRAPH))


def test_every_layer_in_order() -> None:
    model = AGDN(5, 4, 3, num_layers=3, heads=2, encoder_channels=6).eval()
    states = [hidden_states(model, layer, lambda: model(X, GRAPH)) for layer in range(3)]
    assert [tuple(state.shape) for state in states] == [(9, 6), (9, 8), (9, 8)]
    torch.testing.assert_close(states[0], torch.relu(model.encoder(X)))
    torch.testing.assert_close(states[1], torch.relu(model.norms[0](model.convs[0](states[0], GRAPH))))


OTHERS = [GCN(5, 4, 3), GAT(5, 4, 3, heads=1), MLP(5, 4, 3), DAGNN(5, 4, 3), TAGCN(5, 4, 3)]


@pytest.mark.parametrize("model", OTHERS, ids=lambda m: type(m).__name__)
def test_other_models_have_layers_too(model) -> None:
    model.eval()
    assert hidden_states(model, chosen_layer(model, None), lambda: model(X, GRAPH)).shape == (9, 4)
    assert torch.equal(hidden_states(model, 0, lambda: model(X, GRAPH)), X)


def test_what_is_propagated_first_is_the_embedding() -> None:
    linear, deep = SGC(5, 3).eval(), SIGN(5, 4, 3, hops=1, num_layers=2).eval()
    states = hidden_states(linear, chosen_layer(linear, None), lambda: linear(X, GRAPH))
    torch.testing.assert_close(linear.linear(states), linear(X, GRAPH))
    assert hidden_states(deep, 0, lambda: deep(X, GRAPH)).shape == (9, 8)
    assert hidden_states(deep, chosen_layer(deep, None), lambda: deep(X, GRAPH)).shape == (9, 4)


def test_layers_that_are_not_there_are_named() -> None:
    with pytest.raises(ValueError, match=r"layer 0..1; the layer after 1 makes the output; there is none of layer 2"):
        chosen_layer(GCN(5, 4, 3), 2)
    with pytest.raises(ValueError, match="what its only layer is given; there is none of layer 1"):
        chosen_layer(AGDN(5, 4, 3, num_layers=1), 1)
    with pytest.raises(ValueError, match="LabelPropagation has no layers"):
        chosen_layer(LabelPropagation(5, 3), None)
