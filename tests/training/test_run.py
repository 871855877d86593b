import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from agdn.training import memory_estimate
from agdn.training.epoch import Epoch
from agdn.training.errors import TrainingError
from agdn.training.run import Trained, train
from toy_run import built, settings

pytestmark = pytest.mark.usefixtures("plain_operators")


def run(folder: Path | None = None, **options: object) -> tuple[Trained, dict[str, torch.Tensor]]:
    chosen = options.pop("settings", settings(epochs=8))
    model, task, inputs = built()
    trained = train(model, task, inputs, chosen, folder=folder, check_memory=False, **options)
    return trained, {name: tensor.clone() for name, tensor in model.state_dict().items()}


def test_a_run_ends_with_the_best_weights(tmp_path: Path) -> None:
    model, task, inputs = built()
    trained = train(model, task, inputs, settings(epochs=8), folder=tmp_path)
    assert not model.training
    with torch.no_grad():
        scores = task.evaluate(model, inputs).scores
    assert scores["valid"] == trained.best["valid"]
    assert scores["test"] == trained.best["test"]
    rows = [json.loads(row) for row in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert rows[trained.best["epoch"] - 1] == trained.best
    assert trained.epochs == len(rows) == 8
    assert trained.seconds == pytest.approx(sum(row["seconds"] for row in rows))


def test_a_folder_changes_nothing_about_the_result(tmp_path: Path) -> None:
    (_, with_folder), (_, without) = run(tmp_path, checkpoint_seconds=0), run()
    assert all(torch.equal(with_folder[name], without[name]) for name in without)


def test_a_watch_sees_every_epoch_and_may_end_the_run() -> None:
    seen: list[int] = []

    def watch(epochs: Iterator[Epoch]) -> Iterator[Epoch]:
        for epoch in epochs:
            seen.append(epoch.epoch)
            if epoch.epoch == 3:
                raise TrainingError("enough")
            yield epoch

    with pytest.raises(TrainingError, match="enough"):
        run(watch=watch)
    assert seen == [1, 2, 3]


def test_neither_does_the_memory_check(tmp_path: Path) -> None:
    model, task, inputs = built()
    train(model, task, inputs, settings(epochs=8))
    _, unchecked = run()
    assert all(torch.equal(tensor, unchecked[name]) for name, tensor in model.state_dict().items())


def test_a_finished_run_resumed_trains_no_further(tmp_path: Path) -> None:
    first, weights = run(tmp_path)
    log = (tmp_path / "metrics.jsonl").read_bytes()
    again, other = run(tmp_path, resume=True)
    assert again == first
    assert all(torch.equal(weights[name], other[name]) for name in weights)
    assert (tmp_path / "metrics.jsonl").read_bytes() == log


def test_a_run_that_patience_ended_stays_ended(tmp_path: Path) -> None:
    chosen = settings(epochs=200, patience=3)
    first, weights = run(tmp_path, settings=chosen)
    assert first.stopped_early
    assert first.epochs == first.best["epoch"] + 3
    again, other = run(tmp_path, settings=chosen, resume=True)
    assert again == first
    assert all(torch.equal(weights[name], other[name]) for name in weights)


def test_resume_begins_where_there_is_nothing_yet(tmp_path: Path) -> None:
    assert run(tmp_path / "new", resume=True)[0].epochs == 8


def test_a_run_is_never_overwritten(tmp_path: Path) -> None:
    run(tmp_path)
    with pytest.raises(TrainingError, match="holds a run already"):
        run(tmp_path)


def test_resume_and_curves_need_a_folder() -> None:
    for option in ("resume", "tensorboard"):
        with pytest.raises(ValueError, match="need a folder"):
            run(None, **{option: True})


def test_signals_are_the_callers_again_afterwards(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    run(tmp_path)
    assert signal.getsignal(signal.SIGINT) == before


def test_what_does_not_fit_is_refused_before_anything_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_estimate, "available", lambda device: 1000)
    model, task, inputs = built()
    with pytest.raises(TrainingError, match="GB are free: use sampling=auto, memory=recompute"):
        train(model, task, inputs, settings(epochs=8), folder=tmp_path)
    assert not (tmp_path / "metrics.jsonl").exists()


def test_progress_under_a_label(capsys: pytest.CaptureFixture[str]) -> None:
    run(label="toy seed 0")
    assert "toy seed 0  epoch 8/8" in capsys.readouterr().err
