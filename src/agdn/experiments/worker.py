"""A process that runs seeds: ``python -m agdn.experiments.worker``, see :mod:`agdn.experiments.serving`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agdn.experiments.config import Config
from agdn.experiments.experiment import Experiment
from agdn.experiments.serving import Exchange, serve


def run_seed(order: dict[str, Any], exchange: Exchange) -> dict[str, Any]:
    """Train one seed in its folder; the folder is the answer."""
    config = Config.model_validate_json(json.dumps(order["config"]))
    experiment = Experiment(config, order["seed"], Path(order["folder"]))
    experiment.run(resume=order["resume"], checkpoint_seconds=order["checkpoint_seconds"])
    return {"done": order["folder"]}


if __name__ == "__main__":
    serve(run_seed)
