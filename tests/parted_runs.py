"""Whole runs on several ranks, as a test sees them."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

import agdn.experiments.together as together
from agdn.distributed.peers import BatchPeers, GraphPeers
from agdn.distributed.world import World
from agdn.experiments.config import Config
from agdn.experiments.experiment import Experiment
from agdn.graph import Graph
from agdn.training.errors import LostRank
from agdn.training.signals import Interrupted


def losses(folder: Path | str) -> list[float]:
    lines = (Path(folder) / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line)["loss"] for line in lines]


def run_all_of(world: World, configs: dict[str, str], out: str, first_has_all: list[str]) -> dict[str, Any]:
    """Every configuration (JSON) in a folder of its own; in some, rank 0 owns all nodes but the last few."""
    answers: dict[str, Any] = {}
    for name, content in configs.items():
        config = Config.model_validate_json(content)
        with patch.object(together, "owners", _lopsided) if name in first_has_all else nullcontext():
            run = Experiment(config, 0, Path(out) / name).run(checkpoint_seconds=0.0)
        answers[name] = {"scores": run.scores, "ranks": run.ranks, "nodes": run.dataset["nodes"]}
    return answers


def _lopsided(graph: Graph, *_: Any, **__: Any) -> Tensor:
    return (torch.arange(graph.num_nodes) >= graph.num_nodes - 9).long()


def stopped(world: World, content: str, out: str, epoch: int, step: int = 0) -> list[int]:
    """A run of which rank 1 is asked to stop in a certain step; where all of them stopped."""
    with ExitStack() as patches:
        for kind in (GraphPeers, BatchPeers):

            def asked(self: Any, at: int, number: int, begin: Any = kind.begin_step) -> None:
                if (at, number) == (epoch, step) and world.rank == 1:
                    os.kill(os.getpid(), signal.SIGTERM)
                begin(self, at, number)

            patches.enter_context(patch.object(kind, "begin_step", asked))
        try:
            Experiment(Config.model_validate_json(content), 0, Path(out)).run(checkpoint_seconds=1e9)
        except Interrupted as interrupted:
            return [int(interrupted.signal), interrupted.epoch, interrupted.step]
    return []


def resumed(world: World, content: str, out: str) -> dict[str, Any]:
    run = Experiment(Config.model_validate_json(content), 0, Path(out)).run(resume=True)
    return {"scores": run.scores, "ranks": run.ranks}


def late(world: World) -> str:
    """Rank 1 does not come; what rank 0 says about it."""
    if world.rank == 1:
        time.sleep(14)
        return ""
    try:
        world.sum(torch.ones(1), "a test")
    except LostRank as lost:
        return str(lost)
    return "nothing was noticed"


def first_mistake(world: World) -> list[str]:
    said = []
    for action in (lambda: _mistaken(world, 0), lambda: _mistaken(world, 1)):
        try:
            world.all_do(action)
        except ValueError as error:
            said.append(str(error))
    try:
        world.first_does(lambda: _mistaken(world, 0))
    except ValueError as error:
        said.append(str(error))
    said.append(str(world.first_does(lambda: {"rank": world.rank})["rank"]))
    rows = world.collected(torch.full((world.rank + 1, 2), float(world.rank)))
    said.append("none" if rows is None else str(rows.tolist()))
    return said


def _mistaken(world: World, rank: int) -> None:
    if world.rank == rank:
        raise ValueError(f"a mistake of rank {rank}")
