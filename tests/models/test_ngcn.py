import pytest
import torch

from agdn.models import NGCN
from fixed_systems import C, F, features, graph, hops, linear, restless


@pytest.mark.parametrize("combine", ["concat", "attention"])
def test_networks_on_powers_of_the_adjacency(combine: str) -> None:
    model = restless(NGCN(F, 5, C, hops=2, replicas=2, combine=combine))
    outputs = []
    for number, gcn in enumerate(model.gcns):
        power = number // 2
        first, second = gcn.convs
        h = hops(features() @ first.transform.weight.t(), power)[-1] + first.bias
        outputs.append(hops(h.clamp(min=0) @ second.transform.weight.t(), power)[-1] + second.bias)
    if combine == "concat":
        expected = linear(model.linear, torch.cat(outputs, 1))
    else:
        expected = sum(share * out for share, out in zip(model.share.softmax(0), outputs, strict=True))
    torch.testing.assert_close(model(features(), graph()), expected)


def test_wrong_options_are_named() -> None:
    with pytest.raises(ValueError, match="combine must be concat or attention, got 'mean'"):
        NGCN(F, 5, C, combine="mean")
    with pytest.raises(ValueError, match="hops >= 0 and replicas >= 1, got 3 and 0"):
        NGCN(F, 5, C, replicas=0)
