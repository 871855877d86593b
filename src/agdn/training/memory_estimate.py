"""Will it fit? A training step is measured on two small random graphs, as dense as the real one, and scaled to it."""

from __future__ import annotations

import copy
import os
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from agdn.graph import Graph
from agdn.ops.sparse_rows import is_sparse
from agdn.tasks.inputs import Inputs, Signals
from agdn.tasks.link import states_of
from agdn.training.errors import TrainingError
from agdn.training.settings import Settings

TRIALS = (256, 512)  # nodes
PAIRS = 1024
USABLE_SHARE = 0.8  # of the free memory, where something is chosen by what fits
ALLOWANCE = 1.25  # buffers that live inside an operator are not seen
MOMENTS = {"adam": 2, "adamw": 2, "rmsprop": 1, "sgd": 0}


def estimate(
    model: nn.Module, inputs: Inputs, settings: Settings, *, added_columns: int = 0, pairs_of_step: int = 0
) -> int:
    """Bytes that training will need beyond those that hold the data and the model already.

    ``added_columns``: of node features that the task joins to those of ``inputs`` in every step; ``pairs_of_step``:
    node pairs that it scores in one.
    """
    signals = inputs.train if inputs.sampler is None else inputs.train.piece(inputs.sampler.batch(0, 0))
    tried = copy.deepcopy(model).cpu().train()
    encodes = not hasattr(model, "encode") or hasattr(model, "encoder")  # else a pair's subgraph tells what it needs
    if signals.asked is not None:  # everything is propagated, and some rows of it are learnt from
        step = _scaled(_peak_of_propagation, tried, signals, added_columns)
        step += _scaled(_peak_of_rows, tried, signals, added_columns, nodes=len(signals.asked))
    else:
        step = _scaled(_peak_of_step, tried, signals, added_columns) if encodes else 0.0
    if pairs_of_step and encodes:
        step += ALLOWANCE * _peak_of_pairs(tried) * pairs_of_step / PAIRS
    weights = sum(p.nbytes for p in model.parameters())
    momentum = getattr(settings.optimizer, "momentum", 0) > 0
    copies = MOMENTS[settings.optimizer.name] + momentum + (settings.ema_decay is not None) + 1  # 1: the best
    return int(step + copies * weights)


def estimate_inference(model: nn.Module, signals: Signals, *, added_columns: int = 0) -> int:
    """The same for an evaluation of all nodes at once."""
    return int(_scaled(_peak_of_inference, copy.deepcopy(model).cpu().eval(), signals, added_columns))


def _scaled(
    peak: Callable[[nn.Module, Signals], int],
    model: nn.Module,
    signals: Signals,
    added_columns: int,
    *,
    nodes: int | None = None,
) -> float:
    """What two small random graphs need, carried on to ``nodes``, by default all that ``signals`` have."""
    density = signals.graph.num_edges / max(1, signals.graph.num_nodes)
    nodes = signals.graph.num_nodes if nodes is None else nodes
    with torch.random.fork_rng(devices=[]):
        warm_up, *trials = (
            _random_signals(signals, n, round(n * density), added_columns) for n in (TRIALS[0], *TRIALS)
        )
        peak(model, warm_up)  # while kernels are compiled, tensors live longer
        small, large = (peak(model, trial) for trial in trials)
    by_node = (large - small) / (TRIALS[1] - TRIALS[0])
    return ALLOWANCE * max(0.0, small + by_node * (nodes - TRIALS[0]))


def check(
    model: nn.Module,
    inputs: Inputs,
    settings: Settings,
    *,
    added_columns: int = 0,
    pairs_of_step: int = 0,
    at_once: int = 1,
) -> None:
    """Refuse a run that will not fit, before its first step; ``at_once`` such processes share what is free."""
    free = available(next(model.parameters()).device)
    if free is None:
        return
    free //= at_once
    needed = estimate(model, inputs, settings, added_columns=added_columns, pairs_of_step=pairs_of_step)
    if needed > free:
        smaller = "a smaller link.batch_size" if pairs_of_step else "sampling=auto"
        raise TrainingError(
            f"training needs about {needed / 1e9:.1f} GB, but {free / 1e9:.1f} GB are free: "
            f"use {smaller}, memory=recompute, fewer hidden channels, heads, hops or layers, or a larger machine"
        )


def available(device: torch.device) -> int | None:
    """Bytes that this process can still get; None where the system does not tell."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if device.type != "cpu":
        return None
    known = [free for free in (_system_free(), _group_free()) if free is not None]
    return min(known) if known else None


class _Peak(TorchDispatchMode):
    """Follows every tensor that operators return, and remembers how much was alive at once."""

    def __init__(self) -> None:
        super().__init__()
        self.alive: int = 0
        self.peak: int = 0
        self._known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(out):
            if isinstance(leaf, Tensor) and leaf.layout == torch.strided:  # a sparse one has parts that are followed
                self._follow(leaf.untyped_storage())
        return out

    def _follow(self, storage: Any) -> None:
        key, size = storage._cdata, storage.nbytes()
        if key in self._known:
            return
        self._known.add(key)
        self.alive += size
        self.peak = max(self.peak, self.alive)
        weakref.finalize(storage, self._gone, key, size)

    def _gone(self, key: int, size: int) -> None:
        self._known.discard(key)
        self.alive -= size


def _peak_of_step(model: nn.Module, signals: Signals) -> int:
    model.zero_grad(set_to_none=True)
    followed = _Peak()
    with followed:
        loss = _states(model, signals).float().log_softmax(1).square().mean()
        if loss.requires_grad:  # not where the features themselves are the states
            loss.backward()
    return followed.peak


@torch.no_grad()
def _peak_of_propagation(model: nn.Module, signals: Signals) -> int:
    followed = _Peak()
    with followed:
        _states(model, replace(signals, asked=torch.arange(2)))
    return followed.peak


def _peak_of_rows(model: nn.Module, signals: Signals) -> int:
    """A step on all rows, when they have been propagated."""
    asked = replace(signals, asked=torch.arange(signals.graph.num_nodes))
    with torch.no_grad():
        _states(model, asked)
    return _peak_of_step(model, asked)


def _states(model: nn.Module, signals: Signals) -> Tensor:
    """What a model makes of every node; one for links has embeddings of its own for the nodes that it knows."""
    if not hasattr(model, "encode"):
        return signals.outputs(model)
    embedding = getattr(model, "embedding", None)
    known = None if embedding is None else torch.arange(signals.graph.num_nodes) % len(embedding.weight)
    states: Tensor = states_of(model, replace(signals, nodes=known))
    return states


def _peak_of_pairs(model: nn.Module) -> int:
    """What the decoder of a model for links needs for PAIRS pairs."""
    width = int(model.state_channels)  # type: ignore[arg-type]
    followed = _Peak()
    with torch.random.fork_rng(devices=[]):
        states, pairs = torch.rand(TRIALS[0], width, requires_grad=True), torch.randint(TRIALS[0], (2, PAIRS))
        with followed:
            model.decode(states, pairs).square().mean().backward()  # type: ignore[operator]
    return followed.peak


@torch.no_grad()
def _peak_of_inference(model: nn.Module, signals: Signals) -> int:
    followed = _Peak()
    with followed:
        _states(model, signals)
    return followed.peak


def _random_signals(real: Signals, nodes: int, edges: int, added_columns: int) -> Signals:
    """A random graph of the given size with signals as wide as the real ones."""

    def like(tensor: Tensor | None, rows: int) -> Tensor | None:
        return None if tensor is None else torch.rand(rows, *tensor.shape[1:], dtype=tensor.dtype)

    graph = Graph(torch.randint(nodes, (2, edges)), nodes)
    x = like(real.x, nodes)
    if x is not None and real.x is not None and is_sparse(real.x):
        x = (x * (torch.rand(x.shape) < real.x.values().numel() / real.x.numel())).to_sparse_csr()
    trial = Signals(x, graph, like(real.edge_attr, edges), like(real.edge_weight, edges))
    return trial.joined(torch.rand(nodes, added_columns)) if added_columns else trial


def _system_free() -> int | None:
    try:
        fields = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return int(os.sysconf("SC_AVPHYS_PAGES")) * int(os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return None


def _group_free() -> int | None:
    """What the control group of a container leaves."""
    group = Path("/sys/fs/cgroup")
    try:
        limit, used = ((group / f"memory.{name}").read_text().strip() for name in ("max", "current"))
        cache = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        return None if limit == "max" else max(0, int(limit) - int(used) + int(cache["inactive_file"]))
    except (OSError, ValueError, KeyError):
        return None
