"""One run on several ranks: how they share it, what each is given, and that one of them writes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor

from agdn.data.atomic import write_bytes
from agdn.data.dataset import Dataset
from agdn.distributed.exchange import GRADIENTS, ROWS
from agdn.distributed.inputs import part_inputs
from agdn.distributed.node_task import PartNodeTask
from agdn.distributed.norms import over_all_ranks
from agdn.distributed.part_graph import PartGraph
from agdn.distributed.part_store import is_in_parts, open_part, read_partition
from agdn.distributed.partition import owners
from agdn.distributed.peers import BatchPeers, GraphPeers, WorldPeers
from agdn.distributed.world import World, local_size, restarts
from agdn.experiments.config import Config, Data, PublishedSplit
from agdn.experiments.result import Run, read_run
from agdn.experiments.run_folder import CHECKPOINT, alone, claim, first_difference, is_finished
from agdn.experiments.sampling import Auto
from agdn.graph import Graph
from agdn.models.registry import IN_PARTS
from agdn.training import checkpoint, memory_estimate
from agdn.training.shared_steps import SharedSteps

if TYPE_CHECKING:
    from agdn.experiments.experiment import Assembled, Experiment

LAUNCH = ".launch"  # which launch began the run in a folder
UNBOUND: dict[str, Any] = {"name": True, "root": True, "seed": True, "options": True, "split": {"index"}}
"""Keys of ``data:`` that may be others than when the dataset was partitioned."""


@dataclass(frozen=True)
class Sharing:
    """What the ranks of a run have between them: the graph, or the batches."""

    world: World
    mode: Literal["graph", "parts"]

    @classmethod
    def of(cls, config: Config, world: World) -> Sharing:
        """As the recipe says, or as it must be."""
        dealt, asked = config.link is not None or config.sampling is not None, config.distributed.mode
        mode: Literal["graph", "parts"] = "parts" if asked == "parts" or (asked == "auto" and dealt) else "graph"
        if isinstance(config.sampling, Auto):
            raise ValueError("sampling=auto chooses by the memory of one process; name a sampler, or leave it out")
        if mode == "graph" and config.link is not None:
            raise ValueError("distributed.mode=graph is for node tasks; links are dealt out: use mode=parts")
        if mode == "graph" and config.link is None and (name := config.model.get("name")) not in IN_PARTS:
            raise ValueError(
                f"{name} does not train on a graph in parts; name a sampler in sampling, or take one of "
                f"{', '.join(IN_PARTS)}"
            )
        if mode == "graph" and config.sampling is not None:
            raise ValueError(
                "distributed.mode=graph takes all of the graph in a step; leave sampling out, or mode=parts"
            )
        if mode == "graph" and config.inference_memory is not None:
            raise ValueError("inference_memory is for one process; with distributed.mode=graph leave it out")
        if mode == "parts" and not dealt:
            raise ValueError("distributed.mode=parts deals out batches; name a sampler in sampling, or use mode=graph")
        if mode == "parts" and is_in_parts(config.data.name):
            raise ValueError(f"{config.data.name} is stored in parts, which distributed.mode=graph trains on")
        return cls(world, mode)

    @property
    def peers(self) -> WorldPeers:
        return WorldPeers(self.world)

    def peers_of(self, seed: int) -> GraphPeers | BatchPeers:
        return GraphPeers(self.world) if self.mode == "graph" else BatchPeers(self.world, seed)

    def node_task(self, dataset: Dataset, **options: Any) -> PartNodeTask:
        return PartNodeTask(dataset, world=self.world, **options)

    def assembled(self, experiment: Experiment) -> Assembled:
        """What this rank trains on; a mistake that any rank finds is raised on all."""
        built = self.world.all_do(lambda: experiment.assemble(sharing=self))
        first = next(iter(built.model.parameters()), torch.zeros(1)).detach().double()
        told = [experiment.config.model_dump(mode="json", exclude={"threads", "data"}), float(first.sum())]
        for rank, other in enumerate(self.world.told_by_all(told, "a comparison of configurations")):
            if other != json.loads(json.dumps(told)):
                raise ValueError(f"rank {rank} has another configuration or other first weights than rank 0")
        if self.mode == "graph":
            built = self._spread(built, experiment.config, experiment.seed)
        if experiment.config.training.epochs > 0:
            self.world.all_do(lambda: self._check_memory(built, experiment.config))
        return built if self.mode == "parts" else replace(built, model=over_all_ranks(built.model, self.world))

    def _spread(self, built: Assembled, config: Config, seed: int) -> Assembled:
        """What was assembled for the whole graph, or for a stored part, as this rank's own."""
        inputs, graph = built.inputs, built.dataset.graph
        if isinstance(graph, PartGraph):
            graph.join(self.world)
        else:
            inputs = part_inputs(inputs, self._owners(graph, config, seed), self.world)
        whole = inputs.whole
        thin = replace(
            built.dataset,
            graph=whole.graph,
            x=whole.x,
            edge_attr=whole.edge_attr,
            edge_weight=whole.edge_weight,
            extra={},
        )
        return replace(built, dataset=thin, inputs=inputs)

    def _owners(self, graph: Graph, config: Config, seed: int) -> Tensor:
        found: list[Tensor] = []
        how = config.distributed.partition
        self.world.first_does(lambda: found.append(owners(graph, self.world.size, how, seed=seed)))
        content = self.world.from_first(found[0].int().numpy().tobytes() if found else None, "the partition")
        return torch.frombuffer(bytearray(content), dtype=torch.int32).long()

    def _check_memory(self, built: Assembled, config: Config) -> None:
        memory_estimate.check(
            built.model,
            built.inputs,
            config.training,
            added_columns=built.task.input_columns,
            pairs_of_step=built.task.pairs_of_step,
            at_once=local_size(),
        )

    def dealt_out(self, built: Assembled) -> Assembled:
        """In mode ``parts`` the task takes this rank's steps alone."""
        if self.mode == "graph":
            return built
        return replace(built, task=SharedSteps(built.task, self.peers, self.world.rank))  # type: ignore[arg-type]

    def facts(self, graph: Graph) -> dict[str, Any]:
        """What a result says about parts and their traffic."""
        if not isinstance(graph, PartGraph):
            return {}
        sent = self.world.highest(self.world.sent[ROWS] + self.world.sent[GRADIENTS], "traffic")
        own = {
            "nodes": graph.num_nodes,
            "edges": graph.num_edges,
            "halo": graph.halo.size,
            "given": len(graph.halo.sent),
        }
        return {"sent": sent, "parts": tuple(self.world.told_by_all(own, "sizes of parts"))}

    @contextmanager
    def claimed(self, folder: Path, config: Config) -> Iterator[tuple[Config, Run | None]]:
        """Rank 0 holds the run's folder; the configuration to run and, where that was done before, its result."""
        with ExitStack() as held:

            def claim_folder() -> dict[str, Any]:
                own = claim(folder, config)
                held.enter_context(alone(folder))
                if restarts() == 0:
                    write_bytes(folder / LAUNCH, _launch().encode())
                run = None
                if is_finished(folder):
                    checkpoint.clear(folder / CHECKPOINT)
                    run = read_run(folder).model_dump(mode="json")
                return {"config": own.model_dump(mode="json"), "run": run}

            told = self.world.first_does(claim_folder)
            threads = {"threads": config.threads} if self.world.rank else {}
            own = Config.model_validate_json(json.dumps({**told["config"], **threads}))
            yield own, None if told["run"] is None else Run.model_validate({**told["run"], "folder": folder})

    def is_restart(self, folder: Path) -> bool:
        """Whether the same launch has begun this run before, and lost a rank."""

        def same() -> bool:
            path = folder / LAUNCH
            return restarts() > 0 and path.is_file() and path.read_text() == _launch()

        return bool(self.world.first_does(same))


def _launch() -> str:
    return os.environ.get("TORCHELASTIC_RUN_ID", "")


def sizes(graph: Graph) -> tuple[int, int]:
    """Nodes and edges, of a part those of the whole graph."""
    nodes, edges = (graph.__dict__.get(f"total_{name}") for name in ("nodes", "edges"))
    return (graph.num_nodes, graph.num_edges) if nodes is None or edges is None else (nodes, edges)


def opened_part(config: Config, seed: int, sharing: Sharing | None) -> Dataset | None:
    """The rank's own part of a dataset that is stored in parts; None for one that is not."""
    folder, data = Path(config.data.name), config.data
    if not is_in_parts(folder):
        return None
    if sharing is None:
        raise ValueError(f"{folder} is stored in parts; train on it with as many processes as it has parts (--nproc)")
    if config.task.setting == "inductive":
        raise ValueError(f"{folder} is stored in parts of its whole graph; task.setting must be transductive")
    made = Data.model_validate_json(json.dumps(read_partition(folder).data))
    there, here = (each.model_dump(mode="json", exclude=UNBOUND) for each in (made, data))
    if difference := first_difference(there, here):
        key, then, now = difference
        raise ValueError(
            f"{folder} was made with data.{key} = {then!r}, but the recipe says {now!r}; partition the dataset again "
            f"with --set {key}={now}, or change the recipe"
        )
    dataset = open_part(folder, sharing.world.rank, sharing.world.size)
    index = data.split.index if isinstance(data.split, PublishedSplit) else 0
    return dataset.with_split(seed % len(dataset.splits) if index == "seed" else index)
