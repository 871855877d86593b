import io
import json
import signal
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from torch import nn

from agdn.training import checkpoint, wrappers
from agdn.training.epoch import Epoch
from agdn.training.errors import TrainingError
from agdn.training.settings import Settings
from agdn.training.signals import Interrupted, Stop
from agdn.training.state import Best, State


def state_of(model: nn.Module | None = None) -> State:
    return State(model or nn.Linear(1, 1, bias=False), Settings(epochs=100))


def scripted(state: State, scores: list[float]) -> Iterator[Epoch]:
    """Epochs as the loop hands them out, with a weight that tells their number."""
    for score in scores:
        state.epoch += 1
        nn.init.constant_(state.model.weight, float(state.epoch))
        is_best = state.is_better(score, higher_is_better=True)
        if is_best:
            state.best = Best(state.epoch, score, {"epoch": state.epoch})
        valid = {"accuracy": score}
        yield Epoch(state.epoch, 1.0, 0.1, 0.01, 0.5, valid, valid, valid, is_best, state.best_epoch)


def test_the_weights_of_the_best_epoch_are_kept() -> None:
    state = state_of()
    list(wrappers.keep_best(scripted(state, [0.1, 0.3, 0.2]), state))
    assert state.model.weight.item() == 3
    state.restore_best()
    assert state.model.weight.item() == 2


def test_patience_ends_the_run() -> None:
    state = state_of()
    epochs = wrappers.patience(scripted(state, [0.1, 0.3, 0.2, 0.3, 0.2, 0.9]), state, 3)
    assert [epoch.epoch for epoch in epochs] == [1, 2, 3, 4, 5]


def test_patience_that_has_run_out_before_asks_for_no_epoch() -> None:
    state = state_of()
    state.epoch, state.best = 5, Best(2, 0.3, {})
    assert list(wrappers.patience(scripted(state, [0.9]), state, 3)) == []
    assert state.epoch == 5


def test_patience_lets_a_run_end_by_itself() -> None:
    state = state_of()
    assert len(list(wrappers.patience(scripted(state, [0.1, 0.2]), state, 3))) == 2


def test_the_log_is_cut_where_the_run_goes_on(tmp_path: Path) -> None:
    log, state = tmp_path / "metrics.jsonl", state_of()
    list(wrappers.log_jsonl(scripted(state, [0.1, 0.2, 0.3]), log, state))
    with log.open("a") as file:
        file.write('{"epoch": 4, "lo')
    state = state_of()
    state.epoch = 2
    list(wrappers.log_jsonl(scripted(state, [0.7, 0.8]), log, state))
    rows = [json.loads(row) for row in log.read_text().splitlines()]
    assert [(row["epoch"], row["valid"]["accuracy"]) for row in rows] == [(1, 0.1), (2, 0.2), (3, 0.7), (4, 0.8)]


def test_every_row_is_on_disk_when_its_epoch_is_handed_out(tmp_path: Path) -> None:
    state = state_of()
    for epoch in wrappers.log_jsonl(scripted(state, [0.1, 0.2]), tmp_path / "log", state):
        assert len((tmp_path / "log").read_text().splitlines()) == epoch.epoch


def test_a_log_on_a_full_disk_names_itself() -> None:
    with Path("/dev/full").open("wb", buffering=0) as full, pytest.raises(OSError, match="No space left") as caught:
        wrappers._write_row(full, Path("metrics.jsonl"), b"{}")
    assert caught.value.filename == "metrics.jsonl"


def test_half_a_row_is_an_error_too() -> None:
    class Half(io.RawIOBase):
        def write(self, row: object) -> int:
            return 1

    with pytest.raises(OSError, match="No space left"):
        wrappers._write_row(Half(), Path("metrics.jsonl"), b"{}")


def test_checkpoints_by_time_and_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    monkeypatch.setattr(checkpoint, "save", lambda folder, state: saved.append(state.epoch))
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr(wrappers.time, "monotonic", lambda: float(next(clock)))
    state = state_of()
    list(wrappers.Checkpoints(state, tmp_path, seconds=30).around(scripted(state, [0.1] * 7)))
    assert saved == [3, 6, 7]


def test_a_signal_saves_and_ends(tmp_path: Path) -> None:
    state, stop = state_of(), Stop()
    saver = wrappers.Checkpoints(state, tmp_path, seconds=1000, stop=stop)
    epochs = saver.around(scripted(state, [0.1] * 9))
    next(epochs)
    assert not checkpoint.saved(tmp_path)
    stop.signal = signal.SIGTERM
    with pytest.raises(Interrupted) as caught:
        next(epochs)
    assert (caught.value.epoch, caught.value.exit_code) == (2, 143)
    assert checkpoint.load(tmp_path, state_of()) == 2


def test_tensorboard_gets_every_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written: list[tuple[str, float, int]] = []

    class Writer:
        def __init__(self, folder: str) -> None:
            assert folder == str(tmp_path)

        def add_scalar(self, name: str, value: float, step: int) -> None:
            written.append((name, value, step))

        def close(self) -> None:
            written.append(("closed", 0.0, 0))

    module = types.ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = Writer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    state = state_of()
    list(wrappers.tensorboard(scripted(state, [0.1]), tmp_path))
    assert ("loss/train", 1.0, 1) in written
    assert ("accuracy/valid", 0.1, 1) in written
    assert written[-1][0] == "closed"


def test_without_tensorboard_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(TrainingError, match="need the package tensorboard"):
        next(wrappers.tensorboard(iter(()), tmp_path))
