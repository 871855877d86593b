"""PairNorm as its paper writes it."""

from __future__ import annotations

import torch

from agdn.nn.norm import NORMS
from agdn.part import build


def test_pair_norm_is_its_equation_and_keeps_the_pairs_apart() -> None:
    torch.manual_seed(0)
    x = torch.randn(12, 5, dtype=torch.float64, requires_grad=True)
    norm = build("norm", NORMS, "pair", channels=5)
    centred = x - x.mean(0)
    expected = centred / (centred.square().sum() / 12).sqrt()
    torch.testing.assert_close(norm(x), expected, rtol=1e-4, atol=1e-6)
    total = torch.cdist(norm(x), norm(x)).square().sum()
    torch.testing.assert_close(total, torch.tensor(2.0 * 12 * 12, dtype=torch.float64), rtol=1e-4, atol=0)
    assert torch.autograd.gradcheck(norm, (x,))
