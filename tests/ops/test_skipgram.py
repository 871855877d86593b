import numba
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from agdn.ops import SkipGram
from agdn.ops.kernels import jit

WALKS = torch.tensor([[0, 1, 2, 1, 3, 4, 5], [6, 0, 6, 5, 2, 7, 3], [1, 0, 2, 4, 5, 6, 7]], dtype=torch.int32)


def model(*, dim: int = 10, window: int = 4, negatives: int = 2, noise: Tensor | None = None) -> SkipGram:
    noise = torch.arange(9) if noise is None else noise
    made = SkipGram(9, dim, noise=noise, window=window, negatives=negatives)
    made.table.copy_(torch.randn(9, dim))
    return made


def loss(table: Tensor, walks: Tensor, noise: Tensor, window: int) -> Tensor:
    """The equation, window by window; a node is no pair with itself."""
    total = table.new_zeros(())
    for walk, negatives in zip(walks.tolist(), noise.tolist(), strict=True):
        for first in range(len(walk) - window + 1):
            centre, *contexts = walk[first : first + window]
            for sign, others in ((1, contexts), (-1, negatives)):
                for other in others:
                    if other != centre:
                        total = total - F.logsigmoid(sign * table[centre] @ table[other])
    return total


@pytest.mark.parametrize(("window", "negatives", "dim"), [(4, 2, 10), (7, 1, 3), (2, 5, 33)])
def test_a_step_is_adagrad_on_the_loss(window: int, negatives: int, dim: int) -> None:
    """With one node of noise the negatives are known; a row's rate is lr over the root of its mean squares."""
    trained = model(window=window, negatives=negatives, dim=dim, noise=torch.tensor([8]))
    noise = torch.full((3, negatives * (window - 1)), 8)
    expected, squares = trained.table.double(), torch.zeros(9, dtype=torch.float64)
    for lr in (0.3, 0.2):
        table = expected.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(loss(table, WALKS, noise, window), table)
        squares += gradient.square().mean(1)
        expected = expected - lr * gradient / (squares + 1e-10).sqrt().unsqueeze(1)
        trained.step(WALKS, lr=lr, seed=0)
    torch.testing.assert_close(trained.table, expected.float(), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(trained.squares, squares.float(), rtol=1e-4, atol=1e-5)


def test_negatives_come_from_the_noise_and_differ_with_the_seed() -> None:
    tables = []
    for seed in (0, 1):
        torch.manual_seed(3)
        trained = model(noise=torch.tensor([7, 8]))
        before = trained.table.clone()
        trained.step(torch.tensor([[0, 1, 2, 3]] * 5, dtype=torch.int32), lr=0.1, seed=seed)
        changed = (trained.table != before).any(1)
        assert changed.tolist() == [True] * 4 + [False] * 3 + [True] * 2
        tables.append(trained.table)
    assert not torch.equal(*tables)


def test_pairs_that_walk_together_are_told_from_noise() -> None:
    trained = SkipGram(9, 16, noise=torch.arange(9), window=2, negatives=2)
    walks = torch.tensor([[0, 1], [1, 0], [2, 3], [3, 2], [4, 5], [5, 4]], dtype=torch.int32).repeat(4, 1)
    for seed in range(200):
        trained.step(walks, lr=0.1, seed=seed)
    scores = trained.table[:6] @ trained.table[:6].T
    assert (scores.fill_diagonal_(-9).argmax(1) == torch.tensor([1, 0, 3, 2, 5, 4])).all()


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    walks, tables = torch.randint(100, (300, 12), dtype=torch.int32), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        trained = SkipGram(
            100, 32, noise=torch.arange(100), window=5, negatives=2, generator=torch.Generator().manual_seed(1)
        )
        for seed in range(5):
            trained.step(walks, lr=0.1, seed=seed)
        tables.append(trained.table)
    torch.set_num_threads(1)
    assert torch.equal(*tables)
