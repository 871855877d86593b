import torch

from agdn.ops.draws import uniform_draws, weighted_draws


def test_uniform_draws_are_uniform_and_repeatable() -> None:
    draws = uniform_draws(60_000, 6, seed=3)
    expected = 10_000
    counts = torch.bincount(draws, minlength=6)
    assert len(counts) == 6
    assert float(((counts - expected) ** 2 / expected).sum()) < 20.5  # the 0.999 quantile of 5 degrees of freedom
    assert torch.equal(draws, uniform_draws(60_000, 6, seed=3))
    assert torch.equal(draws[:100], uniform_draws(100, 6, seed=3))
    assert not torch.equal(draws, uniform_draws(60_000, 6, seed=4))
    assert uniform_draws(4, 6, seed=0, dtype=torch.int32).dtype == torch.int32


def test_limits_beyond_32_bits() -> None:
    limit = 10**13
    draws = uniform_draws(10_000, limit, seed=0)
    assert 0 <= int(draws.min()) < limit / 1000
    assert limit * 0.999 < int(draws.max()) < limit
    assert abs(draws.double().mean() / limit - 0.5) < 0.02


def test_weighted_draws_follow_the_weights() -> None:
    weights = torch.tensor([1.0, 0.0, 3.0, 4.0], dtype=torch.float64)
    draws = weighted_draws(80_000, weights.cumsum(0), seed=5)
    counts = torch.bincount(draws, minlength=4)
    assert counts[1] == 0
    expected = weights * 10_000
    assert float(((counts - expected) ** 2 / expected)[weights > 0].sum()) < 13.8  # 0.999 quantile, 2 degrees
    assert torch.equal(draws[:10], weighted_draws(10, weights.cumsum(0), seed=5))


def test_nothing_to_draw_from() -> None:
    assert len(uniform_draws(5, 0, seed=0)) == 0
    assert len(weighted_draws(5, torch.zeros(0, dtype=torch.float64), seed=0)) == 0
