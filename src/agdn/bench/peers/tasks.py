"""What is measured, whoever's parts do it: a layer, an epoch, dropout, what is asked of node pairs, walks, batches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

Answers = dict[str, np.ndarray[Any, Any]]
Phases = dict[str, Callable[[], object]]


class Layer:
    """One layer of ``peer.layer``, inference and training."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        self.x = load(folder, "x").requires_grad_()
        self.upstream, self.sample = load(folder, "upstream"), load(folder, "sample")
        self.graph = peer.graph(load(folder, "edge_index"), self.x.size(0))
        self.layer: nn.Module = peer.layer(self.x.size(1), spec)
        if peer.TAKES_WEIGHTS:
            load_weights(self.layer, folder)
        self.phases: Phases = {"inference": self.inference, "forward + backward": self.forward_backward}

    def reset(self) -> None:
        self.x.grad = None
        self.layer.zero_grad(set_to_none=True)

    def inference(self) -> Tensor:
        with torch.no_grad():
            out: Tensor = self.layer(self.x, self.graph)
        return out

    def forward_backward(self) -> Tensor:
        out: Tensor = self.layer(self.x, self.graph)
        out.backward(self.upstream)
        return out.detach()

    def answers(self) -> Answers:
        out = self.forward_backward()
        return {
            "output": out[self.sample].numpy(),
            "gradient of x": gradient(self.x)[self.sample].numpy(),
            **gradients(self.layer),
        }


class Model:
    """``peer.model``, one training epoch: forward, loss, backward, a step of RMSprop."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        self.x, self.labels, self.train = load(folder, "x"), load(folder, "labels"), load(folder, "train")
        self.graph = peer.graph(load(folder, "edge_index"), self.x.size(0))
        self.model: nn.Module = peer.model(self.x.size(1), spec)
        load_weights(self.model, folder)
        self.optimiser = torch.optim.RMSprop(self.model.parameters(), lr=0.002)
        self.phases: Phases = {"epoch": self.epoch}

    def reset(self) -> None:
        self.optimiser.zero_grad(set_to_none=True)

    def epoch(self) -> None:
        self.model.train()
        self.optimiser.zero_grad()
        self._loss(self.model(self.x, self.graph)).backward()
        self.optimiser.step()

    def _loss(self, out: Tensor) -> Tensor:
        return F.cross_entropy(out[self.train], self.labels[self.train])

    def answers(self) -> Answers:
        """Without dropout; asked before the first epoch, while the weights are those that were handed over."""
        self.model.eval()
        out = self.model(self.x, self.graph)
        self._loss(out).backward()
        return {"output": out.detach().numpy(), **gradients(self.model)}


class LinkStep:
    """``peer.link_model``, one training step: pairs scored, squared ranking loss, each part clipped, a step of Adam."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        self.pairs, self.positives = load(folder, "pairs"), spec["positives"]
        self.graph = peer.graph(load(folder, "edge_index"), spec["nodes"])
        self.model: nn.Module = peer.link_model(spec)
        load_weights(self.model, folder)
        self.optimiser = torch.optim.Adam(self.model.parameters(), lr=0.001)
        self.phases: Phases = {"step": self.step}

    def reset(self) -> None:
        self.optimiser.zero_grad(set_to_none=True)

    def step(self) -> None:
        self.model.train()
        self.optimiser.zero_grad()
        self._loss(self.model(None, self.graph, self.pairs)).backward()
        for part in self.model.children():
            nn.utils.clip_grad_norm_(part.parameters(), 1.0)
        self.optimiser.step()

    def _loss(self, scores: Tensor) -> Tensor:
        positive, negative = scores[: self.positives], scores[self.positives :].view(self.positives, -1)
        return (1 - (positive[:, None] - negative)).square().sum()

    def answers(self) -> Answers:
        """Without dropout; asked before the first step, while the weights are those that were handed over."""
        self.model.eval()
        scores = self.model(None, self.graph, self.pairs)
        self._loss(scores).backward()
        return {"scores": scores.detach().numpy(), **gradients(self.model)}


class Baselines:
    """``peer.baseline`` by name, one training epoch each: forward, loss, backward, a step of Adam."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        self.x, self.labels, self.train = load(folder, "x"), load(folder, "labels"), load(folder, "train")
        self.graph = peer.prepared(load(folder, "edge_index"), self.x.size(0), spec)
        self.models: dict[str, nn.Module] = {}
        with np.load(folder / "weights.npz", allow_pickle=False) as weights:
            for name in weights.files:
                self.models[name] = peer.baseline(name, self.x.size(1), spec["classes"])
                nn.utils.vector_to_parameters(torch.from_numpy(weights[name]), self.models[name].parameters())
        self.optimisers = {name: torch.optim.Adam(model.parameters()) for name, model in self.models.items()}
        self.phases: Phases = {name: partial(self.epoch, name) for name in self.models}

    def reset(self) -> None:
        for model in self.models.values():
            model.zero_grad(set_to_none=True)

    def epoch(self, name: str) -> None:
        self.models[name].train()
        self.optimisers[name].zero_grad()
        self._loss(name).backward()
        self.optimisers[name].step()

    def _loss(self, name: str) -> Tensor:
        return F.cross_entropy(self.models[name](self.x, self.graph)[self.train], self.labels[self.train])

    def answers(self) -> Answers:
        """Without dropout; asked before the first epoch, while the weights are those that were handed over."""
        found = {}
        for name, model in self.models.items():
            model.eval()
            loss = self._loss(name)
            loss.backward()
            found[f"loss of {name}"] = loss.detach().numpy().reshape(1)
            slopes = [gradient(parameter).flatten() for parameter in model.parameters()]
            found[f"gradients of {name}"] = torch.cat(slopes).numpy()
        return found


class Precomputing:
    """``peer.precomputed`` by name: features that are propagated before anything is learnt."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        x = load(folder, "x")
        graph = peer.prepared(load(folder, "edge_index"), x.size(0), spec)
        self.sample = load(folder, "sample")
        self.phases: Phases = {name: partial(peer.precomputed, name, x, graph) for name in spec["names"]}

    def reset(self) -> None:
        pass

    def answers(self) -> Answers:
        return {name: phase()[self.sample].numpy() for name, phase in self.phases.items()}  # type: ignore[index]


class ReluDropout:
    """``peer.relu_dropout`` of a table of rows."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        self.peer, self.p = peer, spec["p"]
        shape = spec["rows"], spec["channels"]
        self.x, self.upstream = torch.randn(shape).requires_grad_(), torch.randn(shape)
        self.phases: Phases = {"forward": self.forward, "forward + backward": self.forward_backward}

    def reset(self) -> None:
        self.x.grad = None

    def forward(self) -> Tensor:
        out: Tensor = self.peer.relu_dropout(self.x, self.p)
        return out

    def forward_backward(self) -> None:
        self.forward().backward(self.upstream)

    def answers(self) -> Answers:
        return {}  # random: nothing to compare


class PairProduct:
    """``peer.pair_product`` of node states."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        self.peer, self.h = peer, load(folder, "h").requires_grad_()
        self.pairs, self.upstream = load(folder, "pairs"), load(folder, "upstream")
        self.phases: Phases = {"forward": self.forward, "forward + backward": self.forward_backward}

    def reset(self) -> None:
        self.h.grad = None

    def forward(self) -> Tensor:
        out: Tensor = self.peer.pair_product(self.h, self.pairs)
        return out

    def forward_backward(self) -> Tensor:
        out = self.forward()
        out.backward(self.upstream)
        return out.detach()

    def answers(self) -> Answers:
        return {"output": self.forward_backward().numpy(), "gradient of h": gradient(self.h).numpy()}


class PairScores:
    """``peer.PAIR_SCORES`` of many node pairs."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        graph, pairs = peer.graph(load(folder, "edge_index"), spec["nodes"]), load(folder, "pairs")
        self.phases: Phases = {name: partial(score, graph, pairs) for name, score in peer.PAIR_SCORES.items()}

    def reset(self) -> None:
        pass

    def answers(self) -> Answers:
        return {name: np.asarray(score()) for name, score in self.phases.items()}


class Enclosing:
    """``peer.enclosing``, the subgraph around each of many node pairs."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        graph, pairs = peer.graph(load(folder, "edge_index"), spec["nodes"]), load(folder, "pairs")
        self.phases: Phases = {"subgraphs": partial(peer.enclosing, graph, pairs, spec)}

    def reset(self) -> None:
        pass

    def answers(self) -> Answers:
        """Nodes and edges of each."""
        return {"sizes": np.asarray(self.phases["subgraphs"](), dtype=np.float64)}


class Walks:
    """``peer.random_walks`` from every node."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        self.peer, self.steps = peer, spec["steps"]
        self.graph = peer.graph(load(folder, "edge_index"), spec["nodes"])
        self.starts = torch.arange(spec["nodes"])
        self.phases: Phases = {"uniform": self.uniform, "p = 0.5, q = 2": self.second_order}

    def reset(self) -> None:
        pass

    def uniform(self) -> Tensor:
        walks: Tensor = self.peer.random_walks(self.graph, self.starts, self.steps)
        return walks

    def second_order(self) -> Tensor:
        walks: Tensor = self.peer.random_walks(self.graph, self.starts, self.steps, p=0.5, q=2.0)
        return walks

    def answers(self) -> Answers:
        return {}


class WalkEmbedding:
    """``peer.walk_embedding``, one epoch."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        graph = peer.graph(load(folder, "edge_index"), spec["nodes"])
        self.phases: Phases = {"epoch": lambda: peer.walk_embedding(graph, spec)}

    def reset(self) -> None:
        pass

    def answers(self) -> Answers:
        return {}


class Batches:
    """An epoch of the batches of ``peer.SAMPLERS[spec["sampler"]]``, another one each time."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        graph = peer.graph(load(folder, "edge_index"), spec["nodes"])
        self.sizes, self.epochs = peer.SAMPLERS[spec["sampler"]](graph, spec), count()
        self.phases: Phases = {"epoch": self.epoch}

    def reset(self) -> None:
        pass

    def epoch(self) -> list[tuple[int, int]]:
        """Nodes and edges of each batch."""
        return list(self.sizes(next(self.epochs)))

    def answers(self) -> Answers:
        return {}


def load(folder: Path, name: str) -> Tensor:
    """An input, mapped and not copied: all systems that are alive share one."""
    return torch.from_numpy(np.load(folder / f"{name}.npy", mmap_mode="c", allow_pickle=False))


def load_weights(module: nn.Module, folder: Path) -> None:
    with np.load(folder / "weights.npz", allow_pickle=False) as weights:
        module.load_state_dict({name: torch.from_numpy(weights[name]) for name in weights.files})


def gradient(tensor: Tensor) -> Tensor:
    assert tensor.grad is not None
    return tensor.grad


def gradients(module: nn.Module) -> Answers:
    return {f"gradient of {name}": gradient(parameter).numpy() for name, parameter in module.named_parameters()}


TASKS: dict[str, Callable[[ModuleType, dict[str, Any], Path], Any]] = {
    "layer": Layer,
    "model": Model,
    "link step": LinkStep,
    "baselines": Baselines,
    "precomputing": Precomputing,
    "dropout": ReluDropout,
    "pairs": PairProduct,
    "pair scores": PairScores,
    "enclosing": Enclosing,
    "walks": Walks,
    "walk embedding": WalkEmbedding,
    "batches": Batches,
}


def build(peer: ModuleType, spec: dict[str, Any]) -> Any:
    """The program of ``spec["task"]``: one of the tasks here, or one that the peer brings along."""
    torch.set_num_threads(spec["threads"])
    torch.manual_seed(0)
    return getattr(peer, "TASKS", TASKS)[spec["task"]](peer, spec, Path(spec["folder"]))
