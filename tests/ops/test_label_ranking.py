import numba
import pytest
import torch
from torch import Tensor

from agdn.ops.kernels import jit
from agdn.ops.label_ranking import LabelRanking, TrueLabels

CHILDREN = torch.tensor([0, 3, 5, 9, 12])  # four clusters of a level above, twelve labels
LABELS = [[0, 4, 11], [7], [1, 2, 3], [], [5, 6]]
MATCHED = torch.tensor([[0, 2], [2, 3], [0, 1], [1, 3], [1, 2]], dtype=torch.int32)
SCALE = 5.0


def truth() -> TrueLabels:
    counts = torch.tensor([len(labels) for labels in LABELS])
    indptr = torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)])
    shares = torch.rand(int(counts.sum())) + 0.1
    for row, count in enumerate(counts.tolist()):
        part = slice(int(indptr[row]), int(indptr[row]) + count)
        shares[part] /= shares[part].sum()
    return TrueLabels(indptr, torch.tensor([label for labels in LABELS for label in labels], dtype=torch.int32), shares)


def ranking(width: int = 10) -> LabelRanking:
    return LabelRanking(torch.randn(12, width) / width**0.5, children=CHILDREN, truth=truth(), scale=SCALE)


def choices(row: int) -> list[int]:
    """The children of the matched clusters, and the true labels wherever they lie."""
    children = {c for p in MATCHED[row].tolist() for c in range(int(CHILDREN[p]), int(CHILDREN[p + 1]))}
    return sorted(children | set(LABELS[row]))


def loss(made: LabelRanking, rows: Tensor, h: Tensor, vectors: Tensor) -> Tensor:
    """The equation, row by row."""
    losses = []
    for at, row in enumerate(rows.tolist()):
        labels = choices(row)
        chances = (made.scale * vectors[labels] @ h[at]).log_softmax(0)
        begin, end = made.truth.indptr[row : row + 2].tolist()
        shares = dict(zip(LABELS[row], made.truth.shares[begin:end].tolist(), strict=True))
        losses.append(-sum(shares.get(label, 0.0) * chance for label, chance in zip(labels, chances, strict=True)))
    return torch.stack([torch.as_tensor(one) for one in losses])


def test_what_stands_for_choice_are_the_matched_clusters_children_and_the_truth() -> None:
    rows = torch.tensor([4, 0, 2, 1])
    pulls = ranking().pulls(rows, torch.randn(4, 10), MATCHED)
    for at, row in enumerate(rows.tolist()):
        part = slice(int(pulls.starts[at]), int(pulls.starts[at + 1]))
        assert pulls.labels[part].tolist() == choices(row)
        assert set(pulls.owners[part].tolist()) == {at}


@pytest.mark.parametrize("width", [3, 10, 70])
def test_losses_and_gradients_are_those_of_the_equation(width: int) -> None:
    made, rows = ranking(width), torch.tensor([0, 1, 2, 4])
    h = torch.nn.functional.normalize(torch.randn(4, width))
    exact, vectors = h.double().requires_grad_(), made.vectors.table.double().requires_grad_()
    expected = loss(made, rows, exact, vectors)
    expected.sum().backward()
    pulls = made.pulls(rows, h, MATCHED)
    torch.testing.assert_close(pulls.losses.double(), expected.detach(), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(-pulls.gradients.double(), exact.grad, rtol=1e-4, atol=1e-5)
    moved = torch.zeros(12, width, dtype=torch.float64)
    moved.index_add_(0, pulls.labels.long(), pulls.factors.double()[:, None] * h.double()[pulls.owners.long()])
    torch.testing.assert_close(-moved, vectors.grad, rtol=1e-4, atol=1e-5)


def test_steps_lower_the_loss() -> None:
    made, rows = ranking(), torch.tensor([0, 1, 2, 4])
    h = torch.nn.functional.normalize(torch.randn(4, 10))
    first, gradients = made.step(rows, h, MATCHED, lr=0.1)
    for _ in range(30):
        last, _ = made.step(rows, h, MATCHED, lr=0.1)
    assert (last < first).all()
    assert gradients.shape == h.shape


@pytest.mark.parametrize("count", [1, 3, 5])
def test_the_best_are_the_highest_scores_among_the_children(count: int) -> None:
    made, h = ranking(), torch.randn(5, 10)
    best = made.best(h, MATCHED, count)
    for row, labels in enumerate(best.tolist()):
        children = [c for p in MATCHED[row].tolist() for c in range(int(CHILDREN[p]), int(CHILDREN[p + 1]))]
        scores = (made.vectors.table[children] @ h[row]).tolist()
        ranked = sorted(zip(scores, children, strict=True), reverse=True)
        assert labels == sorted(label for _, label in ranked[:count])


def test_all_labels_are_best_where_there_are_no_more() -> None:
    every = torch.arange(4, dtype=torch.int32).repeat(5, 1)
    assert ranking().best(torch.randn(5, 10), every, 100).tolist() == [list(range(12))] * 5


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    made, h, seen = ranking(), torch.randn(5, 10), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        seen.append((made.pulls(torch.arange(5), h, MATCHED), made.best(h, MATCHED, 3)))
    torch.set_num_threads(1)
    assert all(torch.equal(*pair) for pair in zip(seen[0][0], seen[1][0], strict=True))
    assert torch.equal(seen[0][1], seen[1][1])
