import pytest
import torch

from agdn.models import SAGN
from fixed_systems import C, F, features, graph, hops, linear, restless


def attended(model: SAGN, states: list[torch.Tensor]) -> torch.Tensor:
    """The hops by the softmax of leaky_relu(q . h_0 + k . h_k)."""
    asked = states[0] @ model.weighting.query[0]
    logits = torch.stack([asked + state @ model.weighting.key[0] for state in states], 1)
    theta = torch.nn.functional.leaky_relu(logits, 0.2).softmax(1)
    return (theta.unsqueeze(2) * torch.stack(states, 1)).sum(1)


@pytest.mark.parametrize("transition", ["sym", "row"])
def test_hops_are_mapped_weighed_and_deepened(transition: str) -> None:
    model = restless(SAGN(F, 5, C, hops=2, num_layers=2, transition=transition, norm="none"))
    seen = hops(features(), 2, transition)
    state = attended(model, [linear(each, hop) for each, hop in zip(model.hop_maps, seen, strict=True)])
    state = (state + linear(model.residual, seen[0])).clamp(min=0)
    for layer in model.layers:
        state = state + linear(layer, state).clamp(min=0)
    torch.testing.assert_close(model(features(), graph()), linear(model.output, state))


def test_norms_are_those_of_every_hop_and_activation() -> None:
    model = SAGN(F, 5, C, hops=2, num_layers=1, weighting="sum", residual=False, dropout=0, input_dropout=0).double()
    normal = [(hop - hop.mean(0)) / (hop.var(0, unbiased=False) + 1e-5).sqrt() for hop in hops(features(), 2, "row")]

    def activated(state: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.batch_norm(state, None, None, training=True).clamp(min=0)

    state = activated(sum(linear(each, hop) for each, hop in zip(model.hop_maps, normal, strict=True)))
    state = state + activated(linear(model.layers[0], state))
    torch.testing.assert_close(model(features(), graph()), linear(model.output, state))


def test_some_rows_are_those_of_all() -> None:
    model, rows = restless(SAGN(F, 5, C)), torch.tensor([7, 2, 9])
    x, whole = features(), graph()
    torch.testing.assert_close(model(x, whole, rows=rows), model(x, whole)[rows])


def test_layers_are_not_negative() -> None:
    with pytest.raises(ValueError, match="num_layers must not be negative, got -1"):
        SAGN(F, 5, C, num_layers=-1)
