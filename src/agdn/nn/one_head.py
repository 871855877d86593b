"""A layer seen head by head: heads share the input alone, so each can be computed by itself."""

from __future__ import annotations

import copy

from torch import nn

from agdn.nn.conv import AGDNConv
from agdn.nn.linear import Linear
from agdn.nn.transition import AttentionTransition, FixedTransition
from agdn.nn.weighting import HopWeighting

HEAD_AXIS = {
    "source_query": 0, "target_query": 0, "edge_query": 0, "edge_transform": 0,
    "query": 0, "key": 0, "log_scale": 0, "kernel": 1, "scale": 1, "offset": 1, "position": 1,
}  # fmt: skip
"""Of the parameters that have a slice a head."""


def can_be_divided(conv: AGDNConv) -> bool:
    """Whether all parts of the layer are this library's own; what a user's part does with heads is not known."""
    return isinstance(conv.weighting, HopWeighting) and isinstance(
        conv.transition, AttentionTransition | FixedTransition
    )


def one_head(conv: AGDNConv, head: int) -> AGDNConv:
    """The layer with this head alone, without residual and bias."""
    single = copy.copy(conv)
    single._modules = dict(conv._modules)
    single._parameters = {**conv._parameters, "bias": None}
    single.heads, single.concat = 1, True
    single.transform = Linear(conv.transform.in_features, conv.out_channels, bias=False)
    rows = slice(head * conv.out_channels, (head + 1) * conv.out_channels)
    single.transform.weight = nn.Parameter(conv.transform.weight[rows], requires_grad=False)
    single.residual = None
    for name in ("transition", "weighting", "hop_transform"):
        setattr(single, name, _sliced(getattr(conv, name), head))
    return single.eval()


def _sliced(part: nn.Module, head: int) -> nn.Module:
    part = copy.deepcopy(part)
    for module in part.modules():
        for name, parameter in module.named_parameters(recurse=False):
            if name in HEAD_AXIS:
                own = parameter.detach().narrow(HEAD_AXIS[name], head, 1).contiguous()
                setattr(module, name, nn.Parameter(own, requires_grad=False))
    return part
