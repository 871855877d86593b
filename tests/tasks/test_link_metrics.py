import pytest
import torch
from sklearn.metrics import average_precision_score, roc_auc_score

from agdn.tasks import link_metrics


@pytest.fixture(scope="module")
def evaluator():
    from ogb.linkproppred import Evaluator

    return Evaluator


def drawn(seed: int, levels: int, *shape: int) -> torch.Tensor:
    """Scores of few levels, so that many are tied."""
    return torch.randint(levels, shape, generator=torch.Generator().manual_seed(seed)).float() / levels


@pytest.mark.parametrize("levels", [3, 40, 10_000])
@pytest.mark.parametrize(("name", "k"), [("ogbl-ddi", 20), ("ogbl-collab", 50), ("ogbl-ppa", 100)])
def test_hits_are_ogbs(evaluator, name: str, k: int, levels: int) -> None:
    for negatives in (5, k - 1, k, 300):
        positive, negative = drawn(0, levels, 200), drawn(1, levels, negatives)
        expected = evaluator(name).eval({"y_pred_pos": positive, "y_pred_neg": negative})[f"hits@{k}"]
        assert link_metrics.hits(positive, negative, k) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("levels", [3, 40, 10_000])
def test_mrr_is_ogbs(evaluator, levels: int, monkeypatch) -> None:
    monkeypatch.setattr(link_metrics, "ROWS", 7)
    positive, negative = drawn(0, levels, 50), drawn(1, levels, 50, 30)
    answer = evaluator("ogbl-citation2").eval({"y_pred_pos": positive, "y_pred_neg": negative})
    ranks = link_metrics.reciprocal_ranks(positive, negative)
    torch.testing.assert_close(ranks.float(), answer["mrr_list"])
    for k in (1, 3, 10):
        assert link_metrics.hits_of(ranks, k) == pytest.approx(float(answer[f"hits@{k}_list"].mean()))


def test_shared_negatives_rank_as_own_ones_would() -> None:
    positive, negative = drawn(0, 9, 50), drawn(1, 9, 30)
    expected = link_metrics.reciprocal_ranks(positive, negative.expand(50, -1))
    torch.testing.assert_close(link_metrics.shared_reciprocal_ranks(positive, negative), expected)


@pytest.mark.parametrize("levels", [1, 3, 40, 10_000])
def test_areas_are_scikit_learns(levels: int) -> None:
    positive, negative = drawn(0, levels, 60), drawn(1, levels, 90)
    scores, truth = torch.cat([positive, negative]), [1] * 60 + [0] * 90
    assert link_metrics.link_rocauc(positive, negative) == pytest.approx(roc_auc_score(truth, scores))
    assert link_metrics.average_precision(positive, negative) == pytest.approx(average_precision_score(truth, scores))


def test_a_constant_scorer_does_not_score() -> None:
    positive, negative = torch.zeros(100), torch.zeros(1000)
    assert link_metrics.hits(positive, negative, 20) == 0
    assert float(link_metrics.shared_reciprocal_ranks(positive, negative).mean()) == pytest.approx(1 / 501)
    assert link_metrics.link_rocauc(positive, negative) == 0.5


@pytest.mark.parametrize("metric", ["link_rocauc", "average_precision", "shared_reciprocal_ranks"])
def test_what_is_no_number_is_refused(metric: str) -> None:
    bad = torch.tensor([0.1, float("nan")])
    with pytest.raises(ValueError, match="1 scores of negative pairs are NaN"):
        getattr(link_metrics, metric)(torch.ones(3), bad)
    with pytest.raises(ValueError, match="1 scores of positive pairs are NaN"):
        link_metrics.hits(bad, torch.ones(30), 20)
    with pytest.raises(ValueError, match="none of one kind"):
        getattr(link_metrics, metric)(torch.ones(3), torch.ones(0))
