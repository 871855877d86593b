"""The state of a run on disk: the last two that were saved, and the best weights of each.

A checkpoint is ``epoch-N.safetensors``, or ``epoch-N-step-S.safetensors`` in the middle of the epoch after N, the best
weights at that time as ``best-M.safetensors``, and a ``.json`` of the first one's name, which is written last and holds
the digests of the others: a checkpoint is there when its record is, and whole when the digests agree. Nothing is
removed before its successor is complete.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from agdn.training import generators
from agdn.training.checkpoint_file import (
    FORMAT,
    FORMAT_VERSION,
    BestRecord,
    CheckpointRecord,
    RateRecord,
    environment,
    read_record,
    read_tensors,
    require_same_tensors,
    write_record,
    write_tensors,
)
from agdn.training.errors import CheckpointError, ResumeWarning
from agdn.training.state import Best, State

OURS = re.compile(r"\.?(epoch|best)-(\d{8})(-step-\d{8})?\.(json|safetensors)(\.[0-9a-f]+\.tmp)?")
PLACE = re.compile(r"epoch-(\d{8})(?:-step-(\d{8}))?")
MODEL, OPTIMIZER, EMA = "model.", "optimizer.", "ema."


def save(folder: Path, state: State) -> None:
    """Write the state down. When it fails, what was saved before is as it was."""
    if state.saved_at is None and saved(folder):
        raise CheckpointError(f"{folder} holds the checkpoints of another run; choose another folder, or load them")
    folder.mkdir(parents=True, exist_ok=True)
    record, tensors = captured(state)
    if record.best is not None and state.best is not None and state.best.weights is not None:
        record.best.file = f"best-{state.best.epoch:08d}.safetensors"
        record.digests[record.best.file] = write_tensors(folder / record.best.file, state.best.weights)
    name = f"epoch-{state.epoch:08d}" + (f"-step-{state.step:08d}" if state.step else "")
    record.digests[f"{name}.safetensors"] = write_tensors(folder / f"{name}.safetensors", tensors)
    write_record(folder / f"{name}.json", record)
    _remove_others(folder, {state.place, state.saved_at})
    state.saved_at = state.place


def captured(state: State) -> tuple[CheckpointRecord, dict[str, Tensor]]:
    """The state as a record and tensors; the weights of its best epoch are not among these."""
    random, tensors = generators.capture()
    best = None
    if state.best is not None:
        best = BestRecord(epoch=state.best.epoch, value=state.best.value, record=state.best.record, file=None)
    moments, scalars = _optimizer_parts(state)
    tensors |= {f"{MODEL}{name}": tensor for name, tensor in state.model.state_dict().items()}
    tensors |= {f"{OPTIMIZER}{name}": tensor for name, tensor in moments.items()}
    if state.ema is not None:
        tensors |= {f"{EMA}{name}": tensor for name, tensor in state.ema.averages.items()}
    record = CheckpointRecord(
        format=FORMAT,
        format_version=FORMAT_VERSION,
        epoch=state.epoch,
        step=state.step,
        losses=state.losses,
        seconds=state.seconds,
        settings=state.settings.model_dump(mode="json"),
        rate=RateRecord(**state.rate.state()),
        best=best,
        optimizer=scalars,
        ema_steps=0 if state.ema is None else state.ema.steps,
        generators=random,
        ranks=state.ranks,
        steps_at_once=state.steps_at_once,
        digests={},
        **environment(),
    )
    return record, tensors


def load(folder: Path, state: State) -> int | None:
    """Bring ``state`` to the newest checkpoint that is whole; its epoch, or None where nothing was ever saved."""
    problems: list[CheckpointError] = []
    for path in saved(folder):
        try:
            record = read_record(path)
            tensors = read_tensors(path.with_suffix(".safetensors"), record.digests.get(f"{path.stem}.safetensors", ""))
            best = None if record.best is None else _best(folder, record.best, record.digests)
        except CheckpointError as error:
            problems.append(error)
            continue
        _require_same_settings(path, record.settings, state)
        _warn_of_differences(record, state)
        restore(path, state, record, tensors, best)
        return record.epoch
    if problems:
        raise CheckpointError(f"{folder} holds no checkpoint that is whole: {problems[0]}")
    return None


def saved(folder: Path) -> list[Path]:
    """The records in a checkpoint folder, newest first."""
    records = [path for path in folder.glob("epoch-*.json") if PLACE.fullmatch(path.stem)]
    return sorted(records, key=_place, reverse=True)


def _place(record: Path) -> tuple[int, int]:
    """Epoch and step of a checkpoint, by its name."""
    epoch, step = PLACE.fullmatch(record.stem).groups()  # type: ignore[union-attr]
    return int(epoch), int(step or 0)


def clear(folder: Path) -> None:
    """Remove the checkpoints of a run that has ended, and the folder where nothing else is in it."""
    if not folder.is_dir():
        return
    _remove(_ours(folder))
    if not any(folder.iterdir()):
        folder.rmdir()


def save_weights(path: Path, model: nn.Module) -> None:
    """The weights and buffers of a model; the same weights give the same bytes."""
    write_tensors(path, model.state_dict())


def load_weights(path: Path, model: nn.Module) -> None:
    """Give a model the weights that ``save_weights`` wrote."""
    tensors = read_tensors(path)
    require_same_tensors(path, tensors, model.state_dict())
    model.load_state_dict(tensors)


def _optimizer_parts(state: State) -> tuple[dict[str, Tensor], dict[str, dict[str, Any]]]:
    """The optimiser's memory by parameter: tensors under ``index.name``, and plain numbers."""
    moments: dict[str, Tensor] = {}
    scalars: dict[str, dict[str, Any]] = {}
    for index, memory in state.optimizer.state_dict()["state"].items():
        scalars[str(index)] = {}
        for name, value in memory.items():
            if isinstance(value, Tensor):
                moments[f"{index}.{name}"] = value
            else:
                scalars[str(index)][name] = value
    return moments, scalars


def restore(path: Path, state: State, record: CheckpointRecord, tensors: dict[str, Tensor], best: Best | None) -> None:
    """Bring ``state`` to what was captured; ``path`` names it in errors."""
    weights = _under(MODEL, tensors)
    require_same_tensors(path, weights, state.model.state_dict())
    state.model.load_state_dict(weights)
    memory: dict[int, dict[str, Any]] = {int(index): dict(scalars) for index, scalars in record.optimizer.items()}
    for name, tensor in _under(OPTIMIZER, tensors).items():
        index, _, key = name.partition(".")
        memory[int(index)][key] = tensor
    state.optimizer.load_state_dict({**state.optimizer.state_dict(), "state": memory})
    if state.ema is not None:
        averages = _under(EMA, tensors)
        require_same_tensors(path, averages, state.ema.averages)
        state.ema.averages = {name: averages[name].to(own.device) for name, own in state.ema.averages.items()}
        state.ema.steps = record.ema_steps
    state.rate.restore(record.rate.model_dump())
    step = record.step * record.steps_at_once // state.steps_at_once
    state.epoch, state.step, state.losses = record.epoch, step, list(record.losses)
    state.seconds, state.best, state.saved_at = record.seconds, best, state.place
    generators.restore(record.generators, tensors)


def _best(folder: Path, record: BestRecord, digests: dict[str, str]) -> Best:
    weights = None if record.file is None else read_tensors(folder / record.file, digests.get(record.file, ""))
    return Best(record.epoch, record.value, record.record, weights)


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _require_same_settings(path: Path, stored: dict[str, Any], state: State) -> None:
    """Only the number of epochs may differ, and that only where no schedule is stretched over it."""
    own = state.settings.model_dump(mode="json")
    free = set() if state.settings.schedule.name == "cosine" else {"epochs"}
    for key in sorted((stored.keys() | own.keys()) - free):
        if stored.get(key) != own.get(key):
            raise CheckpointError(
                f"{path} was saved with {key} = {stored.get(key)!r}, but now it is {own.get(key)!r}; "
                "resume with the same settings, or start in a new folder"
            )


def _warn_of_differences(record: CheckpointRecord, state: State) -> None:
    for name, now in {**environment(), "ranks": state.ranks}.items():
        before = getattr(record, name)
        if before != now:
            warnings.warn(
                f"saved with {name} = {before}, resumed with {name} = {now}: "
                "the end will be as good, but not bit for bit that of an uninterrupted run",
                ResumeWarning,
                stacklevel=4,
            )


def _ours(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if OURS.fullmatch(path.name)]


def _remove_others(folder: Path, places: set[tuple[int, int] | None]) -> None:
    """Keep the checkpoint just written, the whole one before it, and the best weights of both."""
    records = [path for path in saved(folder) if _place(path) in places]
    kept = {path.name for path in records} | {f"{path.stem}.safetensors" for path in records}
    kept |= {name for path in records for name in read_record(path).digests}
    _remove(path for path in _ours(folder) if path.name not in kept)


def _remove(paths: Iterable[Path]) -> None:
    """Records go before their tensors, so that what is left of a checkpoint never looks like one."""
    for path in sorted(paths, key=lambda path: path.suffix != ".json"):
        path.unlink(missing_ok=True)
