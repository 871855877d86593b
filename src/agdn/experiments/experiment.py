"""One seed of one recipe: built from its configuration, trained in its folder."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

import torch
from torch import nn

from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.store import is_stored
from agdn.data.tables import ImportRecord
from agdn.distributed.world import World, current
from agdn.experiments.auto_sampling import Choice, choose, keep, kept, settled
from agdn.experiments.config import Config
from agdn.experiments.device import usable_device
from agdn.experiments.link_assembly import (
    begin_embedding,
    build_link_model,
    feature_width,
    link_inputs,
    link_pieces,
    link_task,
)
from agdn.experiments.link_options import Link
from agdn.experiments.prepare import prepared_dataset
from agdn.experiments.result import Run, read_run
from agdn.experiments.run_folder import CHECKPOINT, RESULT, TRANSFORMS, WEIGHTS, alone, claim, is_finished, write_json
from agdn.experiments.sampling import Auto, in_pieces
from agdn.experiments.teachers import teacher_outputs
from agdn.experiments.together import Sharing, opened_part, sizes
from agdn.models import build_model
from agdn.ops.storage import Storage
from agdn.tasks.inputs import Inputs
from agdn.tasks.link import LinkTask
from agdn.tasks.node import PARTS, NodeTask
from agdn.training import checkpoint
from agdn.training.peak_memory import PeakMemory
from agdn.training.peers import ALONE
from agdn.training.run import train
from agdn.training.seeds import seed_everything

SIGNALS = ("x", "edge_attr", "edge_weight")


@dataclass(frozen=True)
class Assembled:
    """All that training needs, made from a configuration and a seed; ``choice`` is that of ``sampling: auto``."""

    dataset: Dataset
    task: NodeTask | LinkTask
    inputs: Inputs
    model: nn.Module
    in_channels: int
    choice: Choice | None = None


@dataclass(frozen=True)
class Experiment:
    """One seed of one recipe and the folder that it is run in."""

    config: Config
    seed: int
    folder: Path

    def assemble(self, *, parts: Sequence[str] = PARTS, sharing: Sharing | None = None) -> Assembled:
        """Dataset, task, inputs and the model with its first weights: the same bits for the same seed.

        The task scores ``parts`` alone; what chooses between models leaves ``test`` out. ``sharing``: with other ranks.
        """
        device = usable_device(self.config.device)
        of_graph = sharing if sharing is not None and sharing.mode == "graph" else None
        dataset = opened_part(self.config, self.seed, of_graph) or prepared_dataset(self.config.data, self.seed)
        if self.config.link is not None:
            return self._assembled_links(self.config.link, dataset, device, parts)
        options = {**self.config.task.options(), "teacher": teacher_outputs(self.config, self.seed), "parts": parts}
        task = NodeTask(dataset, **options) if of_graph is None else of_graph.node_task(dataset, **options)
        bare, setting = task.labels is not None, self.config.task.setting
        inputs = Inputs.of(dataset, setting=setting, device=device, bare=bare)
        seed_everything(self.seed)
        width = input_width(dataset, added=task.input_columns)
        model = build_model(self.config.model, in_channels=width, out_channels=task.out_channels).to(device)
        built = Assembled(dataset, task, inputs, model, width)
        if of_graph is not None:
            return built
        choice = self._automatic(built)
        sampling, limit = settled(self.config, choice)
        inputs = inputs if limit is None else inputs.stored(Storage(limit))
        return replace(built, inputs=in_pieces(inputs, sampling, task.split.train, self.seed), choice=choice)

    def _assembled_links(self, link: Link, dataset: Dataset, device: torch.device, parts: Sequence[str]) -> Assembled:
        task = link_task(self.config, link, dataset, self.seed, parts=parts)
        inputs = link_inputs(self.config, link, dataset, device)
        seed_everything(self.seed)
        width = feature_width(link, dataset)
        nodes = dataset.graph.num_nodes
        model = build_link_model(self.config.model, link, features=width, num_nodes=nodes)
        begin_embedding(model, link, dataset)
        model = model.to(device)
        limit = self.config.inference_memory
        inputs = inputs if limit is None else inputs.stored(Storage(limit))
        return Assembled(dataset, task, link_pieces(link, inputs, self.config.sampling, self.seed), model, width)

    def _automatic(self, built: Assembled) -> Choice | None:
        """What ``sampling: auto`` chose when the run began, or chooses now."""
        if not isinstance(self.config.sampling, Auto) or self.config.training.epochs == 0:
            return None
        columns = built.task.input_columns
        return kept(self.folder) or choose(built.model, built.inputs, self.config.training, added_columns=columns)

    def run(self, *, resume: bool = False, label: str | None = None, checkpoint_seconds: float = 30.0) -> Run:
        """Train to the end, unless that was done before; with ``resume``, go on where a stopped run was saved.

        In a process that is one of several, all of them do so together.
        """
        if (world := current()) is not None:
            return self._run_together(world, resume, label, checkpoint_seconds)
        config = claim(self.folder, self.config)
        with alone(self.folder):
            if is_finished(self.folder):
                checkpoint.clear(self.folder / CHECKPOINT)
                return read_run(self.folder)
            return replace(self, config=config)._trained(resume, label, checkpoint_seconds)

    def _run_together(self, world: World, resume: bool, label: str | None, checkpoint_seconds: float) -> Run:
        sharing = Sharing.of(self.config, world)
        with sharing.claimed(self.folder, self.config) as (config, finished):
            if finished is not None:
                return finished
            resume = resume or sharing.is_restart(self.folder)
            label = label if sharing.peers.is_first else None
            return replace(self, config=config)._trained(resume, label, checkpoint_seconds, sharing)

    def _trained(
        self, resume: bool, label: str | None, checkpoint_seconds: float, sharing: Sharing | None = None
    ) -> Run:
        if self.config.threads is not None:
            torch.set_num_threads(self.config.threads)
        peak = PeakMemory(usable_device(self.config.device))
        built, peers = self.assemble() if sharing is None else sharing.assembled(self), ALONE
        if sharing is not None:
            peers, built = sharing.peers_of(self.seed), sharing.dealt_out(built)
        if built.choice is not None:
            keep(self.folder, built.choice)
            if label is not None:
                sys.stderr.write(f"{label}: sampling auto: {built.choice.said}\n")
        trained = train(
            built.model,
            built.task,
            built.inputs,
            self.config.training,
            folder=self.folder if peers.is_first else None,
            resume=resume,
            label=label,
            checkpoint_seconds=checkpoint_seconds,
            check_memory=sharing is None,
            peers=peers,
        )
        best, dataset = trained.best, built.dataset
        scores = {part: dict(best[part]) for part in PARTS}
        finished = scores
        if built.task.finishes:
            with torch.no_grad():
                finished = built.task.evaluate(built.model, built.inputs, finished=True).scores
        changed = any(scores[part].items() - finished[part].items() for part in PARTS)
        nodes, edges = sizes(dataset.graph)
        run = Run(
            folder=self.folder,
            name=self.config.name,
            seed=self.seed,
            metric=built.task.metric,
            higher_is_better=built.task.higher_is_better,
            scores=finished,
            unfinished_scores=scores if changed else None,
            best_epoch=best["epoch"],
            epochs=trained.epochs,
            stopped_early=trained.stopped_early,
            seconds=trained.seconds,
            peak_memory=peak.bytes() if sharing is None else sharing.world.highest(peak.bytes() or 0) or None,
            parameters=sum(parameter.numel() for parameter in built.model.parameters()),
            dataset={
                "name": dataset.name,
                "nodes": nodes,
                "edges": edges,
                "in_channels": built.in_channels,
                "out_channels": built.task.out_channels,
                "signals": [name for name in SIGNALS if getattr(dataset, name) is not None],
                "parts": {part: getattr(dataset.split, part).size(-1) for part in PARTS},
            },
            output=built.task.output.to_json(),
            notes=dataset.notes
            + built.task.notes
            + (() if built.choice is None else (f"Sampling auto: {built.choice.said}.",)),
            published=self.config.published,
            versions={"agdn": metadata.version("agdn"), "torch": str(torch.__version__)},
            threads=torch.get_num_threads(),
            ranks=peers.size,
            **({} if sharing is None else sharing.facts(dataset.graph)),
        )
        peers.first_does(lambda: self._keep(run, built.model))
        return run

    def _keep(self, run: Run, model: nn.Module) -> None:
        """The end of a run on disk, the result last."""
        self._keep_transforms()
        checkpoint.save_weights(self.folder / WEIGHTS, model)
        write_json(self.folder / RESULT, run.model_dump(mode="json"))
        checkpoint.clear(self.folder / CHECKPOINT)

    def _keep_transforms(self) -> None:
        """The run's own copy of what made features of the user's tables, so that it predicts for new rows."""
        if not is_stored(self.config.data.name):
            return
        try:
            record = ImportRecord.open(self.config.data.name)
        except DataError:  # stored, but not from tables
            return
        folder = self.folder / TRANSFORMS
        folder.mkdir(exist_ok=True)
        record.save(folder)


def input_width(dataset: Dataset, *, added: int = 0) -> int:
    """Channels of a model's input: of the node features, or of the edge features that stand in for them, and added."""
    signal = dataset.x if dataset.x is not None else dataset.edge_attr
    return added + (0 if signal is None else signal.size(-1))
