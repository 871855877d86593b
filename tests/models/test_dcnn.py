import torch

from agdn.models import DCNN
from fixed_systems import C, F, features, graph, hops, linear, restless


def test_every_hop_of_every_feature_has_its_number() -> None:
    model = restless(DCNN(F, C, hops=2))
    seen = [torch.tanh(model.kernel[k] * hop) for k, hop in enumerate(hops(features(), 2, "row"))]
    torch.testing.assert_close(model(features(), graph()), linear(model.linear, torch.cat(seen, 1)))
