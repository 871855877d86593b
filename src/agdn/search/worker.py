"""A process that runs trials: ``python -m agdn.search.worker``, see :mod:`agdn.experiments.serving`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from agdn.experiments.config import Config
from agdn.experiments.experiment import Experiment
from agdn.experiments.serving import Exchange, serve
from agdn.search.trial import SEEN, Pruned, validation_scores


def work(order: dict[str, Any], exchange: Exchange) -> dict[str, Any]:
    """Score a configuration, or tell by what it would be scored."""
    config = Config.model_validate_json(json.dumps(order["config"]))
    if config.threads is not None:
        torch.set_num_threads(config.threads)
    if order["what"] == "describe":
        return _described(config, order["seeds"][0])

    def report(step: int, score: float) -> None:
        if not exchange.ask({"step": step, "score": score})["go"]:
            raise Pruned

    try:
        return {"scores": validation_scores(config, order["seeds"], report if order["prune"] else None)}
    except Pruned:
        return {"pruned": True}


def _described(config: Config, seed: int) -> dict[str, Any]:
    task = Experiment(config, seed, Path()).assemble(parts=SEEN).task
    return {"metric": task.metric, "higher_is_better": task.higher_is_better}


if __name__ == "__main__":
    serve(work)
