"""A small run with everything on, in a process of its own where it is to be stopped: toy_run.py FOLDER EPOCHS."""

import sys
from pathlib import Path

import torch

from agdn.data.embedded.csbm import csbm
from agdn.models.agdn import AGDN
from agdn.tasks.inputs import Inputs
from agdn.tasks.node import NodeTask
from agdn.training.checkpoint import save_weights
from agdn.training.run import train
from agdn.training.seeds import seed_everything
from agdn.training.settings import Settings
from agdn.training.signals import Interrupted

SETTINGS = {
    "optimizer": {"name": "adam", "lr": 0.01, "weight_decay": 1e-4},
    "schedule": {"name": "plateau", "patience": 3},
    "warmup_epochs": 5,
    "clip_norm": 1.0,
    "ema_decay": 0.9,
}


def settings(**changes: object) -> Settings:
    return Settings.model_validate({**SETTINGS, **changes})


def built(seed: int = 0) -> tuple[AGDN, NodeTask, Inputs]:
    """A model with batch norm and three kinds of dropout on a graph of 120 nodes."""
    dataset = csbm(num_nodes=120, seed=0)
    seed_everything(seed)
    assert dataset.x is not None
    task = NodeTask(dataset)
    model = AGDN(
        dataset.x.size(1), 8, task.out_channels, 2, heads=2, hops=2, dropout=0.4, input_dropout=0.1, edge_dropout=0.2
    )
    return model, task, Inputs.of(dataset)


def main(folder: Path, epochs: int) -> int:
    torch.set_num_threads(1)
    model, task, inputs = built()
    try:
        train(
            model, task, inputs, settings(epochs=epochs), folder=folder, resume=True, checkpoint_seconds=0, label="toy"
        )
    except Interrupted as interruption:
        sys.stderr.write(f"{interruption}\n")
        return interruption.exit_code
    save_weights(folder / "model.safetensors", model)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
