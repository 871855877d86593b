"""``sampling: auto``: what fits into memory. Chosen once, when a run begins, and kept in its folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch
from torch import nn

from agdn.experiments.config import Config
from agdn.experiments.run_folder import write_json
from agdn.experiments.sampling import Auto, InPieces, RandomParts
from agdn.experiments.section import Section
from agdn.sampling import RandomPartition
from agdn.tasks.inputs import Inputs
from agdn.training import memory_estimate
from agdn.training.settings import Settings

FILE_NAME = "sampling.json"
STATES_SHARE = 0.3  # of the free memory for hidden states, where these go to files
MOST_PARTS = 4096


class Choice(Section):
    """What was chosen, and why in a sentence."""

    sampling: RandomParts | None = None
    inference_memory: int | None = None
    said: str = ""


def settled(config: Config, choice: Choice | None) -> tuple[InPieces | None, int | None]:
    """Sampling and the memory of inference as they are used, where ``auto`` has led to ``choice``."""
    if not isinstance(config.sampling, Auto):
        return config.sampling, config.inference_memory
    choice = choice or Choice()
    return choice.sampling, config.inference_memory or choice.inference_memory


def kept(folder: Path) -> Choice | None:
    """What the run in a folder began with."""
    path = folder / FILE_NAME
    return Choice.model_validate_json(path.read_bytes()) if path.is_file() else None


def keep(folder: Path, choice: Choice) -> None:
    write_json(folder / FILE_NAME, choice.model_dump(mode="json"))


def choose(model: nn.Module, inputs: Inputs, settings: Settings, *, added_columns: int = 0) -> Choice:
    """By the memory that is free now."""
    free = memory_estimate.available(next(model.parameters(), torch.empty(0)).device)
    if free is None:
        return Choice(said="takes the whole graph: the system does not tell how much memory is free")
    budget = int(memory_estimate.USABLE_SHARE * free)
    step = memory_estimate.estimate(model, inputs, settings, added_columns=added_columns)
    evaluation = memory_estimate.estimate_inference(model, inputs.whole, added_columns=added_columns)
    parts = 1
    needed = step
    while needed > budget and parts < MOST_PARTS:
        parts *= 2
        piece = replace(inputs, sampler=RandomPartition(inputs.train.graph, parts))
        needed = memory_estimate.estimate(model, piece, settings, added_columns=added_columns)
    words = [f"a step on the whole graph needs about {_gb(step)} of {_gb(free)}"]
    words.append("it is taken" if parts == 1 else f"trains in {parts} random parts of about {_gb(needed)}")
    states = None if evaluation <= budget else int(STATES_SHARE * free)
    how = "at once" if states is None else f"layer by layer with {_gb(states)} of states in memory"
    words.append(f"evaluates {how} (about {_gb(evaluation)})")
    sampling = None if parts == 1 else RandomParts(name="random_partition", parts=parts)
    return Choice(sampling=sampling, inference_memory=states, said="; ".join(words))


def _gb(size: int) -> str:
    return f"{size / 1e9:.2g} GB" if size < 1e10 else f"{size / 1e9:.0f} GB"
