import errno
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
import torch
from torch import nn

from agdn.data import atomic
from agdn.training import checkpoint
from agdn.training.errors import CheckpointError, ResumeWarning
from agdn.training.loop import fit
from agdn.training.settings import Settings
from agdn.training.state import State
from agdn.training.wrappers import keep_best
from toy_run import built, settings

pytestmark = pytest.mark.usefixtures("plain_operators")


def trained(epochs: int, *, total: int = 12, **changes: object) -> tuple[State, object]:
    """A state after some epochs of a run, and the rest of the run."""
    model, task, inputs = built()
    state = State(model, settings(epochs=total, **changes))
    rest = keep_best(fit(model, task, inputs, state.settings, state), state)
    list(islice(rest, epochs))
    return state, rest


def fresh(*, total: int = 12, seed: int = 9, **changes: object) -> tuple[State, object]:
    model, task, inputs = built(seed)
    state = State(model, settings(epochs=total, **changes))
    return state, keep_best(fit(model, task, inputs, state.settings, state), state)


def same(one: dict[str, torch.Tensor], two: dict[str, torch.Tensor]) -> bool:
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


VARIANTS = {
    "adam-plateau-ema": {},
    "rmsprop-cosine": {
        "optimizer": {"name": "rmsprop", "momentum": 0.9},
        "schedule": {"name": "cosine"},
        "ema_decay": None,
    },
    "sgd-momentum": {"optimizer": {"name": "sgd", "momentum": 0.9, "nesterov": True}, "select": "loss"},
    "sgd-plain": {"optimizer": {"name": "sgd"}, "schedule": {"name": "none"}, "evaluate_every": 4},
    "adamw": {"optimizer": {"name": "adamw", "weight_decay": 0.1}, "schedule": {"name": "none"}},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_resumed_run_ends_with_the_same_bits(tmp_path: Path, variant: str) -> None:
    state, rest = trained(5, **VARIANTS[variant])
    checkpoint.save(tmp_path, state)
    expected = [(epoch.loss, epoch.lr, epoch.valid, epoch.is_best) for epoch in rest]

    other, again = fresh(**VARIANTS[variant])
    assert checkpoint.load(tmp_path, other) == 5
    assert [(epoch.loss, epoch.lr, epoch.valid, epoch.is_best) for epoch in again] == expected
    assert same(other.weights(), state.weights())
    assert same(other.model.state_dict(), state.model.state_dict())
    assert other.best is not None
    assert state.best is not None
    assert other.best.epoch == state.best.epoch
    assert same(other.best.weights, state.best.weights)


def test_two_checkpoints_and_the_best_are_kept(tmp_path: Path) -> None:
    state, rest = trained(0)
    for _ in rest:
        checkpoint.save(tmp_path, state)
    names = {path.name for path in tmp_path.iterdir()}
    best = {name for name in names if name.startswith("best-")}
    assert names - best == {f"epoch-{n:08d}.{kind}" for n in (11, 12) for kind in ("json", "safetensors")}
    assert f"best-{state.best_epoch:08d}.safetensors" in best
    assert len(best) <= 2


def damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


@pytest.mark.parametrize("which", ["json", "safetensors", "best", "missing", "half"])
def test_a_damaged_checkpoint_gives_way_to_the_one_before(tmp_path: Path, which: str) -> None:
    state, rest = trained(1)
    checkpoint.save(tmp_path, state)
    while not next(rest).is_best:
        pass
    checkpoint.save(tmp_path, state)
    newest = tmp_path / f"epoch-{state.epoch:08d}.safetensors"
    expected = {epoch.epoch: epoch.loss for epoch in rest}
    if which == "missing":
        newest.unlink()
    elif which == "half":
        newest.write_bytes(newest.read_bytes()[:1000])
    elif which == "best":
        damaged(newest.with_name(newest.name.replace("epoch", "best")))
    else:
        damaged(newest.with_suffix(f".{which}"))
    other, again = fresh()
    assert checkpoint.load(tmp_path, other) == 1
    losses = {epoch.epoch: epoch.loss for epoch in again}
    assert {number: losses[number] for number in expected} == expected
    checkpoint.save(tmp_path, other)
    assert [path.stem for path in checkpoint.saved(tmp_path)] == ["epoch-00000012", "epoch-00000001"]
    assert not newest.exists()


def test_checkpoints_of_another_run_are_not_replaced(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, trained(2)[0])
    before = snapshot(tmp_path)
    with pytest.raises(CheckpointError, match="checkpoints of another run"):
        checkpoint.save(tmp_path, trained(1)[0])
    assert snapshot(tmp_path) == before


def test_nothing_whole_is_an_error_and_nothing_at_all_is_none(tmp_path: Path) -> None:
    state, _ = trained(2)
    assert checkpoint.load(tmp_path, state) is None
    assert checkpoint.load(tmp_path / "nowhere", state) is None
    checkpoint.save(tmp_path, state)
    damaged(tmp_path / "epoch-00000002.safetensors")
    with pytest.raises(CheckpointError, match=r"no checkpoint that is whole: .*epoch-00000002.safetensors is damaged"):
        checkpoint.load(tmp_path, fresh()[0])


def test_other_settings_name_the_key(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, trained(1)[0])
    with pytest.raises(CheckpointError, match=r"saved with clip_norm = 1.0, but now it is 2.0"):
        checkpoint.load(tmp_path, fresh(clip_norm=2.0)[0])
    assert checkpoint.load(tmp_path, fresh(total=50)[0]) == 1


def test_a_cosine_cannot_be_stretched(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, trained(1, schedule={"name": "cosine"})[0])
    with pytest.raises(CheckpointError, match="epochs = 12, but now it is 50"):
        checkpoint.load(tmp_path, fresh(total=50, schedule={"name": "cosine"})[0])


def test_another_model_is_refused(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, trained(1)[0])
    with pytest.raises(CheckpointError, match="of another model"):
        checkpoint.load(tmp_path, State(nn.Linear(2, 2), settings(epochs=12)))


def test_another_number_of_threads_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint.save(tmp_path, trained(1)[0])
    monkeypatch.setattr(torch, "get_num_threads", lambda: 64)
    with pytest.warns(ResumeWarning, match="threads = 64"):
        checkpoint.load(tmp_path, fresh()[0])


def test_other_operators_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint.save(tmp_path, trained(1)[0])
    monkeypatch.setenv("AGDN_KERNELS", "auto")
    with pytest.warns(ResumeWarning, match="saved with kernels = False, resumed with kernels = True"):
        checkpoint.load(tmp_path, fresh()[0])


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(("code", "fails_at"), [(errno.ENOSPC, 1), (errno.EROFS, 2), (errno.ENOSPC, 3)])
def test_a_write_that_fails_names_the_file_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, fails_at: int
) -> None:
    """Each of the three files of a checkpoint in turn cannot be written: best weights, state, record."""
    state, rest = trained(1)
    checkpoint.save(tmp_path, state)
    before, calls = snapshot(tmp_path), iter(range(1, 100))
    while not next(rest).is_best:
        pass
    real = os.fsync

    def full(descriptor: int) -> None:
        if next(calls) == 2 * fails_at - 1:  # each file is synced, then its folder
            raise OSError(code, os.strerror(code))
        real(descriptor)

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(OSError, match=os.strerror(code)) as caught:
        checkpoint.save(tmp_path, state)
    monkeypatch.undo()
    assert caught.value.errno == code
    assert str(caught.value.filename).startswith(str(tmp_path))
    after = snapshot(tmp_path)
    assert {name: after[name] for name in before} == before
    assert not [name for name in after if name.endswith(".tmp")]
    assert checkpoint.load(tmp_path, fresh()[0]) == 1


LIMITED = """
import resource, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from agdn.training import checkpoint
from agdn.training.loop import fit
from agdn.training.state import State
from toy_run import built, settings
model, task, inputs = built()
state = State(model, settings(epochs=12))
epochs = fit(model, task, inputs, state.settings, state)
next(epochs)
checkpoint.save(Path({folder!r}), state)
next(epochs)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
checkpoint.save(Path({folder!r}), state)
"""


def test_a_file_that_the_system_cuts_short(tmp_path: Path) -> None:
    """A real failing write, in a process whose files may not grow past 5,000 bytes."""
    code = LIMITED.format(tests=str(Path(__file__).parent.parent), folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert checkpoint.load(tmp_path, fresh()[0]) == 1


def test_leftovers_of_a_killed_writer_go_and_foreign_files_stay(tmp_path: Path) -> None:
    state, _ = trained(1)
    (tmp_path / ".epoch-00000001.json.0a1b2c3d.tmp").write_bytes(b"half")
    (tmp_path / "notes.txt").write_text("mine")
    checkpoint.save(tmp_path, state)
    assert (tmp_path / "notes.txt").exists()
    assert not list(tmp_path.glob(".*.tmp"))
    checkpoint.clear(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    (tmp_path / "notes.txt").unlink()
    checkpoint.clear(tmp_path)
    assert not tmp_path.exists()


def test_weights_of_a_model(tmp_path: Path) -> None:
    model, other = nn.Linear(3, 2), nn.Linear(3, 2)
    checkpoint.save_weights(tmp_path / "model.safetensors", model)
    checkpoint.load_weights(tmp_path / "model.safetensors", other)
    assert torch.equal(model.weight, other.weight)
    with pytest.raises(CheckpointError, match="another model"):
        checkpoint.load_weights(tmp_path / "model.safetensors", nn.Linear(4, 2))


def test_a_state_without_kept_weights_is_saved_too(tmp_path: Path) -> None:
    model, task, inputs = built()
    state = State(model, Settings(epochs=2))
    next(fit(model, task, inputs, state.settings, state))
    checkpoint.save(tmp_path, state)
    other = State(built(1)[0], Settings(epochs=2))
    assert checkpoint.load(tmp_path, other) == 1
    assert other.best is not None
    assert other.best.weights is None
