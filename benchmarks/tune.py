"""Equal effort for every model on a data set: as many random settings each, judged on validation nodes alone.

    python benchmarks/tune.py --data digits --trials 16 --out docs/results/digits-tuning.json
    python benchmarks/tune.py --data cora --models AGDN --trials 24 --out docs/results/cora-tuning.json

The seeds used here are others than those that results are reported on (0, 1, 2, ...); on the digits they draw other
labelled and validation nodes too. Test scores are neither read nor written.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from pathlib import Path
from typing import Any

import torch

from agdn.experiments.checking import checked
from agdn.experiments.experiment import Experiment
from agdn.training.run import train

SHARED: dict[str, list[Any]] = {
    "model.hidden_channels": [32, 64, 128],
    "model.dropout": [0.2, 0.5, 0.7],
    "model.input_dropout": [0.0, 0.2, 0.5],
    "model.norm": ["none", "batch"],
    "training.optimizer.lr": [0.003, 0.01, 0.03],
    "training.optimizer.weight_decay": [0.0, 5e-4, 5e-3],
}
SPACES: dict[str, dict[str, list[Any]]] = {
    "AGDN": {
        "model.num_layers": [1, 2],
        "model.hops": [4, 8, 12],
        "model.transition": ["gat", "gat_sym", "sym", "row"],
        "model.weighting": ["HA", {"name": "HA", "init": "zeros"}],
        "model.residual": [True, False],
        "model.encoder_channels": [None, 64],
    },
    "GAT": {
        "model.num_layers": [1, 2, 3],
        "model.heads": [1, 4, 8],
        "model.attn_dropout": [0.0, 0.3, 0.6],
        "model.residual": [True, False],
    },
    "GCN": {"model.num_layers": [1, 2, 3, 4], "model.edge_dropout": [0.0, 0.2, 0.5]},
    "GraphSAGE": {"model.num_layers": [1, 2, 3, 4], "model.edge_dropout": [0.0, 0.2, 0.5]},
    "MLP": {"model.num_layers": [1, 2, 3]},
}
PLANETOID: dict[str, list[Any]] = {  # many features, few labels: what is published for them uses much regularisation
    "model.dropout": [0.5, 0.65, 0.8],
    "model.input_dropout": [0.2, 0.5, 0.8],
    "model.norm": ["none"],
    "training.optimizer.lr": [0.005, 0.01, 0.02],
    "training.optimizer.weight_decay": [5e-4, 2e-3, 5e-3, 1e-2, 2e-2],
}
DIFFUSION: dict[str, list[Any]] = {
    "model.num_layers": [1],
    "model.hops": [8, 10, 14, 20],
    "model.transition": ["sym", "gat", "gat_sym", "row"],
    "model.weighting": [
        {"name": "HA", "init": "zeros"},
        {"name": "HA", "init": "zeros", "activation": "sigmoid"},
        "PPR",
    ],
    "model.residual": [False],
    "model.encoder_channels": [64, 128],
}
DATA: dict[str, dict[str, Any]] = {"digits": {"name": "digits", "self_loops": "add"}} | {
    name: {"name": name, "scaling": "row", "self_loops": "add"} for name in ("cora", "citeseer", "pubmed")
}


def drawn(name: str, data: str, rng: random.Random) -> dict[str, Any]:
    """One random setting of a model."""
    space = {**SHARED, **SPACES[name]}
    if data != "digits":
        space |= PLANETOID | (DIFFUSION if name == "AGDN" else {})
    return {key: rng.choice(values) for key, values in space.items()}


def content(name: str, data: str, setting: dict[str, Any], epochs: int) -> dict[str, Any]:
    """The recipe that a setting describes."""
    recipe: dict[str, Any] = {
        "name": name,
        "data": DATA[data],
        "model": {"name": name},
        "training": {"epochs": epochs, "patience": 50, "optimizer": {"name": "adam"}},
    }
    for key, value in setting.items():
        place = recipe
        *path, last = key.split(".")
        for step in path:
            place = place[step]
        place[last] = value
    return recipe


def validation_score(recipe: dict[str, Any], seed: int) -> float:
    built = Experiment(checked(recipe, recipe["name"]), seed, Path()).assemble()
    trained = train(built.model, built.task, built.inputs, checked(recipe, "").training, check_memory=False)
    return float(trained.best["valid"]["accuracy"])


def searched(name: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Random settings on few seeds, the best first."""
    rng, trials = random.Random(0), []
    for setting in [drawn(name, options.data, rng) for _ in range(options.trials)]:
        recipe = content(name, options.data, setting, options.epochs)
        valid = statistics.fmean(validation_score(recipe, seed) for seed in options.seeds)
        trials.append({"valid": valid, "setting": setting})
        sys.stdout.write(f"{name} {trials[-1]}\n")
        sys.stdout.flush()
    return sorted(trials, key=lambda trial: -trial["valid"])


def decided(name: str, trials: list[dict[str, Any]], options: argparse.Namespace) -> list[dict[str, Any]]:
    """The best settings again, on more seeds: what one lucky seed put first does not stay there."""
    finalists = []
    for trial in trials[: options.finalists]:
        recipe = content(name, options.data, trial["setting"], options.epochs)
        valid = statistics.fmean(validation_score(recipe, seed) for seed in options.final_seeds)
        finalists.append({"valid": valid, "setting": trial["setting"]})
        sys.stdout.write(f"{name} final {finalists[-1]}\n")
        sys.stdout.flush()
    return sorted(finalists, key=lambda trial: -trial["valid"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=list(DATA), required=True)
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--finalists", type=int, default=3)
    parser.add_argument("--models", nargs="+", default=list(SPACES), choices=list(SPACES))
    parser.add_argument("--seeds", nargs="+", type=int, default=[100, 101])
    parser.add_argument("--final-seeds", nargs="+", type=int, default=[102, 103, 104, 105])
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--out", type=Path, required=True, help="What it holds already is not searched again.")
    options = parser.parse_args()
    torch.set_num_threads(1)
    record: dict[str, Any] = {"trials": {}, "finals": {}}
    if options.out.exists():
        record |= json.loads(options.out.read_text())
    effort = {name: getattr(options, name) for name in ("data", "seeds", "final_seeds", "epochs")}
    for name in options.models:
        if len(record["trials"].get(name, ())) != options.trials:
            record["trials"][name] = searched(name, options)
        record["finals"][name] = decided(name, record["trials"][name], options)
        record = {"trials_each": options.trials, **effort, "finals": record["finals"], "trials": record["trials"]}
        options.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
