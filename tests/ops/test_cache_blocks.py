import numpy as np
import pytest
import torch

from agdn import AGDNConv, Graph
from agdn.ops import cache_blocks
from graphs import random_edges


def step(conv, x, graph) -> list[torch.Tensor]:
    conv.zero_grad()
    leaf = x.clone().requires_grad_()
    out = conv(leaf, graph)
    (out * torch.arange(out.numel()).view_as(out).cos()).sum().backward()
    return [out.detach(), leaf.grad, *(parameter.grad for parameter in conv.parameters())]


@pytest.mark.parametrize("memory", ["store", "recompute"])
@pytest.mark.parametrize("options", [{"heads": 1}, {"heads": 2}, {"heads": 2, "transition": "sym"}, {"hop_norm": "l2"}])
def test_blocks_change_nothing(options: dict, memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph(random_edges(30, 30 * 40), 30)
    x = torch.randn(30, 12)
    conv = AGDNConv(12, 100, hops=3, memory=memory, **options)
    whole = step(conv, x, graph)
    used = []
    monkeypatch.setattr(cache_blocks, "CORE_CACHE", 30 * 32 * 4)
    blocks = cache_blocks._blocks
    monkeypatch.setattr(cache_blocks, "_blocks", lambda table: used.append(table.shape) or blocks(table))
    in_blocks = step(conv, x, graph)
    assert used
    assert torch.equal(whole[0], in_blocks[0])
    for a, b in zip(whole, in_blocks, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("rows", "channels", "reads", "expected"),
    [
        (4267, 512, 500, True),
        (4267, 64, 500, False),  # one block
        (4267, 512, 31, False),  # too few reads of a row
        (20_000, 512, 500, False),  # blocks would be too narrow
    ],
)
def test_where_it_is_worthwhile(rows: int, channels: int, reads: int, expected: bool) -> None:
    table = np.empty((rows, 1, channels), np.float32)
    assert cache_blocks.worthwhile(table, reads * rows) is expected
