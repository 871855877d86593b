import io

import pytest

from agdn.training import progress as module
from agdn.training.epoch import Epoch
from agdn.training.progress import progress


def epochs(count: int, *, evaluated: bool = True) -> list[Epoch]:
    scores = {"accuracy": 0.5} if evaluated else None
    return [Epoch(n, 1.0 / n, 0.1, 0.01, None, scores, scores, scores, n == 1, 1) for n in range(1, count + 1)]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_plain_lines_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(float(n) for n in range(10_000))
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    stream = io.StringIO()
    given = epochs(100)
    assert list(progress(iter(given), 100, "accuracy", label="digits", stream=stream)) == given
    lines = stream.getvalue().splitlines()
    assert lines[0] == "digits  epoch 1/100  loss 1.0000  validation accuracy 0.5000  best epoch 1"
    assert lines[-1].startswith("digits  epoch 100/100  loss 0.0100")
    assert len(lines) < 20


def test_before_the_first_evaluation_there_are_no_scores() -> None:
    stream = io.StringIO()
    list(progress(iter(epochs(1, evaluated=False)), 1, "accuracy", stream=stream))
    assert "accuracy" not in stream.getvalue()


def test_a_terminal_gets_one_live_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = Terminal()
    given = epochs(5)
    assert list(progress(iter(given), 5, "accuracy", label="[digits]", stream=stream)) == given
    assert "[digits]" in stream.getvalue()
    assert "loss 0.2000" in stream.getvalue()
