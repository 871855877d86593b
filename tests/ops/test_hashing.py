"""The hashes in torch's operators are those of the compiled kernels, bit for bit."""

from __future__ import annotations

import torch

from agdn.ops.dropout import draw_seed, dropout_op, edge_keys_op
from agdn.ops.hashing import hash64, kept_entries


def test_edge_keys_are_the_same_on_both_paths(monkeypatch) -> None:
    ids = torch.tensor([0, 1, 5, 2**31, 2**40 + 3])
    seed = draw_seed()
    compiled = edge_keys_op(ids, seed)
    assert torch.equal(hash64(int(seed), ids), compiled)
    monkeypatch.setenv("AGDN_KERNELS", "torch")
    assert torch.equal(edge_keys_op(ids, seed), compiled)


def test_dropout_by_ids_is_the_same_on_both_paths() -> None:
    x, ids, seed = torch.randn(50, 33, dtype=torch.float64), torch.randperm(10**6)[:50], draw_seed()
    for p in (0.1, 0.5, 0.93):
        torch.testing.assert_close(x * kept_entries(x, p, seed, ids), dropout_op(x, p, seed, ids))
