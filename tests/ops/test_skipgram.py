import numba
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from agdn.ops import SkipGram
from agdn.ops.kernels import jit
from agdn.ops.kernels.skipgram import gradients

WALKS = torch.tensor([[0, 1, 2, 1, 3, 4, 5], [6, 0, 6, 5, 2, 7, 3], [1, 0, 2, 4, 5, 6, 7]], dtype=torch.int32)


def model(*, dim: int = 10, window: int = 4, negatives: int = 1, noise: Tensor | None = None) -> SkipGram:
    noise = torch.arange(9) if noise is None else noise
    made = SkipGram(9, dim, noise=noise, window=window, negatives=negatives)
    made.table.copy_(torch.randn(9, dim))
    return made


def drawn(trained: SkipGram, walks: Tensor, seed: int) -> Tensor:
    """(B (1 + negatives), L) the walks and the random nodes of a step."""
    nodes = torch.empty(len(walks) * (1 + trained.negatives), walks.size(1), dtype=torch.int32)
    grads = torch.empty(*nodes.shape, trained.table.size(1))
    gradients(jit.row_chunks(len(nodes)), walks.numpy(), trained.noise.numpy(), trained.table.numpy(), trained.window,
              seed, nodes.numpy(), grads.numpy())  # fmt: skip
    return nodes


def loss(table: Tensor, blocks: Tensor, num_walks: int, window: int) -> Tensor:
    """The equation, window by window; a node is no pair with itself."""
    total = table.new_zeros(())
    for number, block in enumerate(blocks.tolist()):
        sign, weight = (1, 1.0) if number < num_walks else (-1, num_walks / (len(blocks) - num_walks))
        for first in range(len(block) - window + 1):
            centre, *contexts = block[first : first + window]
            for other in contexts:
                if other != centre:
                    total = total - weight * F.logsigmoid(sign * table[centre] @ table[other])
    return total


@pytest.mark.parametrize(("window", "negatives", "dim"), [(4, 2, 10), (7, 1, 3), (2, 5, 33)])
def test_a_step_is_adagrad_on_the_loss(window: int, negatives: int, dim: int) -> None:
    """A row's rate is lr over the root of its mean squares so far."""
    trained = model(window=window, negatives=negatives, dim=dim)
    expected, squares = trained.table.double(), torch.zeros(9, dtype=torch.float64)
    for seed, lr in enumerate((0.3, 0.2)):
        blocks = drawn(trained, WALKS, seed)
        assert torch.equal(blocks[:3], WALKS)
        table = expected.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(loss(table, blocks, 3, window), table)
        squares += gradient.square().mean(1)
        expected = expected - lr * gradient / (squares + 1e-10).sqrt().unsqueeze(1)
        trained.step(WALKS, lr=lr, seed=seed)
    torch.testing.assert_close(trained.table, expected.float(), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(trained.squares, squares.float(), rtol=1e-4, atol=1e-5)


def test_random_nodes_come_from_the_noise_as_often_as_they_stand_there() -> None:
    trained = model(noise=torch.tensor([7, 8, 8, 8]), negatives=3)
    noise = drawn(trained, WALKS.repeat(200, 1), seed=4)[600:]
    assert set(noise.unique().tolist()) == {7, 8}
    assert abs(float((noise == 8).float().mean()) - 0.75) < 0.01
    assert not torch.equal(noise, drawn(trained, WALKS.repeat(200, 1), seed=5)[600:])


def test_rows_that_nothing_visits_stay_as_they_are() -> None:
    trained = model(noise=torch.tensor([7, 8]))
    before = trained.table.clone()
    trained.step(torch.tensor([[0, 1, 2, 3]] * 5, dtype=torch.int32), lr=0.1, seed=0)
    changed = (trained.table != before).any(1)
    assert changed.tolist() == [True] * 4 + [False] * 3 + [True] * 2


def test_pairs_that_walk_together_are_told_from_noise() -> None:
    trained = SkipGram(9, 16, noise=torch.arange(9), window=2)
    pairs = [[0, 1], [1, 0], [2, 3], [3, 2], [4, 5], [5, 4]]
    walks = torch.tensor(pairs, dtype=torch.int32).repeat(8, 1)
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
        generator = torch.Generator().manual_seed(1)
        trained = SkipGram(100, 32, noise=torch.arange(100), window=5, generator=generator)
        for seed in range(5):
            trained.step(walks, lr=0.1, seed=seed)
        tables.append(trained.table)
    torch.set_num_threads(1)
    assert torch.equal(*tables)
