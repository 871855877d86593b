"""What a network knows about the nodes on its way from one layer to the next."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn

from agdn.models.agdn import AGDN
from agdn.models.dcnn import DCNN
from agdn.models.linear_filter import LinearFilter
from agdn.models.mlp import MLP
from agdn.models.predicted_first import PredictedFirst
from agdn.models.sign import SIGN
from agdn.models.stack import Stack


def layers(model: nn.Module) -> list[nn.Module]:
    """In the order of the forward pass, the one that makes the output last."""
    if isinstance(model, AGDN):
        return [*model.convs, *([] if model.output_linear is None else [model.output_linear])]
    if isinstance(model, Stack):
        return list(model.convs)
    if isinstance(model, PredictedFirst):
        return list(model.mlp.layers)
    if isinstance(model, SIGN):
        return list(model.output.layers)
    if isinstance(model, LinearFilter | DCNN):
        return [model.linear]
    if isinstance(model, MLP):
        return list(model.layers)
    if isinstance(output := getattr(model, "output", None), nn.Module):
        return [output]
    raise ValueError(f"{type(model).__name__} has no layers, and so no embeddings of nodes")


def chosen_layer(model: nn.Module, layer: int | None) -> int:
    """By default the last layer in front of the output; 0 is what the first layer is given."""
    last = len(layers(model)) - 1
    if layer is None:
        return last
    if not 0 <= layer <= last:
        what = "what its only layer is given" if last == 0 else f"0..{last}; the layer after {last} makes the output"
        raise ValueError(f"this {type(model).__name__} has embeddings of layer {what}; there is none of layer {layer}")
    return layer


def hidden_states(model: nn.Module, layer: int, forward: Callable[[], object]) -> Tensor:
    """(N, C) what ``layer`` (0 for the input) hands on, with its norm and activation, while ``forward`` runs."""
    seen: list[Tensor] = []
    follower = layers(model)[layer]
    hook = follower.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    try:
        forward()
    finally:
        hook.remove()
    return seen[-1]
