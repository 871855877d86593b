"""Inside ``plain_operators`` results are the same, and torch's operators are all that is used."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from agdn import AGDN, Graph
from agdn.models import PRESETS
from agdn.ops import plain_operators, propagate, softmax_over_sources, softmax_over_targets
from graphs import AWKWARD


class Namespaces(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.add(func.namespace)
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", AWKWARD)
def test_a_hop_and_a_softmax_agree_with_the_kernels(name: str, dtype: torch.dtype) -> None:
    graph = Graph(*AWKWARD[name])
    x = torch.randn(graph.num_src, 3, 4, dtype=dtype)
    scores = torch.randn(graph.num_edges, 3, dtype=dtype)
    for call in (
        lambda: propagate(x, scores, graph),
        lambda: propagate(x, scores[:, :1], graph),
        lambda: softmax_over_targets(scores, graph),
        lambda: softmax_over_sources(scores, graph),
    ):
        expected = call()
        with plain_operators():
            torch.testing.assert_close(call(), expected)


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "proteins"])
def test_a_network_of_torchs_operators_alone(preset: str) -> None:
    model = AGDN.preset(preset, 8, 5, hidden_channels=6).eval()
    graph = Graph(*AWKWARD["repeated edges"])
    x = torch.randn(graph.num_nodes, 8)
    with torch.no_grad():
        with Namespaces() as ours:
            expected = model(x, graph)
        with plain_operators(), Namespaces() as plain:
            torch.testing.assert_close(model(x, graph), expected)
    assert "agdn" in ours.seen
    assert "agdn" not in plain.seen
