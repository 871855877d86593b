from collections.abc import Iterator
from typing import Any

import pytest
import torch

from agdn.search import trial
from agdn.search.trial import REPORTS, Pruned, reported, validation_scores
from agdn.tasks.node import NodeTask
from agdn.training.epoch import Epoch
from agdn.training.errors import TrainingError
from small_runs import small


def epochs(scores: list[float | None]) -> Iterator[Epoch]:
    best = -1.0
    for number, score in enumerate(scores, start=1):
        valid = None if score is None else {"accuracy": score}
        is_best = score is not None and score > best
        best = max(best, -1.0 if score is None else score)
        yield Epoch(number, 1.0, 0.1, 0.01, 0.5, valid, valid, None, is_best, 1)


def curve(scores: list[float | None], total: int, before: tuple[float, ...] = ()) -> list[tuple[int, float]]:
    told: list[tuple[int, float]] = []
    passed = reported(epochs(scores), "accuracy", total=total, before=before, report=lambda *pair: told.append(pair))
    assert len(list(passed)) == len(scores)
    return told


def test_scores_are_those_of_a_run_and_test_nodes_are_never_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    from pathlib import Path

    from agdn.experiments.experiment import Experiment

    expected = []
    for seed in (3, 4):
        built = Experiment(small(), seed, Path()).assemble()
        expected.append(trial.train(built.model, built.task, built.inputs, small().training).best["valid"]["accuracy"])
        test = set(built.task.split.test.tolist())
    scored: list[set[int]] = []
    real = NodeTask.score
    monkeypatch.setattr(
        NodeTask, "score", lambda task, out, nodes: scored.append(set(nodes.tolist())) or real(task, out, nodes)
    )
    assert validation_scores(small(), (3, 4)) == expected
    assert scored
    assert not any(nodes & test for nodes in scored[len(scored) // 2 :])


def test_the_best_so_far_is_reported_at_shares_of_the_epochs() -> None:
    assert curve([0.1, 0.4, 0.3, 0.5], 4) == [
        *[(REPORTS * epoch // 4, best) for epoch, best in ((1, 0.1), (2, 0.4), (3, 0.4), (4, 0.5))]
    ]


def test_no_more_reports_than_there_are_steps() -> None:
    told = curve([0.1] * 1000, 1000)
    assert [step for step, _ in told] == list(range(1, REPORTS + 1))


def test_later_seeds_report_the_mean_with_those_before() -> None:
    told = curve([0.6], 1, before=(0.2, 0.4))
    assert told == [(3 * REPORTS, pytest.approx(0.4))]


def test_a_seed_that_ends_early_keeps_its_score() -> None:
    told = curve([0.5, 0.4], 10)
    assert told[0] == (REPORTS // 10, 0.5)
    assert told[-1] == (REPORTS, 0.5)
    assert [step for step, _ in told[2:]] == list(range(REPORTS // 5 + 1, REPORTS + 1))


def test_epochs_that_are_not_evaluated_report_nothing() -> None:
    assert curve([None, None, None, 0.3], 4) == [(REPORTS, 0.3)]


def test_pruning_ends_the_trial() -> None:
    steps: list[int] = []

    def report(step: int, score: float) -> None:
        steps.append(step)
        if len(steps) == 2:
            raise Pruned

    with pytest.raises(Pruned):
        validation_scores(small(), (0, 1), report)
    assert steps == [REPORTS // 4, REPORTS // 2]


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory")])
def test_too_little_memory_is_a_sentence(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: Any, **options: Any) -> None:
        raise error

    monkeypatch.setattr(trial, "train", failing)
    with pytest.raises(TrainingError, match="the memory did not suffice"):
        validation_scores(small(), (0,))


def test_another_error_stays_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: Any, **options: Any) -> None:
        raise RuntimeError("shapes")

    monkeypatch.setattr(trial, "train", failing)
    with pytest.raises(RuntimeError, match="shapes"):
        validation_scores(small(), (0,))


def test_divergence_is_a_sentence() -> None:
    torch.manual_seed(0)
    with pytest.raises(TrainingError, match="the loss became"):
        validation_scores(small("training.optimizer={name: sgd, lr: 1e30}", "training.epochs=20"), (0,))
