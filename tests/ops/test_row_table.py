import numba
import pytest
import torch
from torch import Tensor

from agdn.ops.kernels import jit
from agdn.ops.row_table import RowTable

ROWS = torch.tensor([4, 0, 4, 2, 0], dtype=torch.int32)
OWNERS = torch.tensor([0, 0, 1, 2, 2], dtype=torch.int32)
VALUES = torch.tensor([0.5, -1.0, 2.0, 1.0, 0.25])
INDPTR = torch.tensor([0, 2, 3, 5])


def entries(num_rows: int) -> Tensor:
    """(3, num_rows) the same entries as a dense matrix."""
    dense = torch.zeros(3, num_rows, dtype=torch.float64)
    return dense.index_put((OWNERS.long(), ROWS.long()), VALUES.double(), accumulate=True)


def test_sums_are_a_product() -> None:
    table = torch.randn(6, 20)
    torch.testing.assert_close(RowTable(table).sums(INDPTR, ROWS, VALUES).double(), entries(6) @ table.double())


def test_two_steps_are_adagrads_with_one_rate_a_row() -> None:
    table = torch.randn(6, 20)
    trained, expected, squares = RowTable(table.clone()), table.double(), torch.zeros(6, dtype=torch.float64)
    for lr in (0.1, 0.05):
        gradients = torch.randn(3, 20)
        total = entries(6).T @ gradients.double()
        squares += total.square().mean(1)
        expected = expected + lr * total / (squares + 1e-10).sqrt().unsqueeze(1)
        trained.step(ROWS, OWNERS, VALUES, gradients, lr=lr)
        torch.testing.assert_close(trained.table.double(), expected, rtol=1e-5, atol=1e-6)
    untouched = [1, 3, 5]
    assert torch.equal(trained.table[untouched], table[untouched])


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    generator, tables = torch.Generator().manual_seed(0), []
    rows, owners = (torch.randint(40, (500,), generator=generator).int() for _ in range(2))
    values, gradients = torch.randn(500, generator=generator), torch.randn(40, 20, generator=generator)
    for threads in (1, 2):
        torch.set_num_threads(threads)
        trained = RowTable(torch.zeros(40, 20))
        trained.step(rows, owners, values, gradients, lr=0.1)
        tables.append(trained.table)
    torch.set_num_threads(1)
    assert torch.equal(*tables)
