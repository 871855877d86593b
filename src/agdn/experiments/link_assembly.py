"""Link prediction, assembled from a configuration: model and decoder, the task, and what the model is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from agdn.data.dataset import Dataset
from agdn.embedding import spectral_embedding
from agdn.experiments.config import Config
from agdn.experiments.link_options import Link
from agdn.experiments.sampling import TRAINING, Auto, Egos, InPieces, Neighbours
from agdn.models import DECODERS, HEURISTICS, PAIR_MODELS, LinkModel, build_model
from agdn.models.registry import option_types
from agdn.part import build
from agdn.sampling import Neighbourhood
from agdn.sampling.streams import derived
from agdn.tasks.inputs import Inputs
from agdn.tasks.link import LinkTask
from agdn.tasks.pair_scores import Watch

MANY = 1 << 24
TASK = 2  # what the seed of a run is used for, beside training and evaluation in pieces


def link_task(
    config: Config, link: Link, dataset: Dataset, seed: int, *, parts: Sequence[str], watch: Watch | None = None
) -> LinkTask:
    """The task of a configuration's ``link`` section."""
    around = isinstance(config.sampling, Neighbours)
    heuristic = config.model["name"] in HEURISTICS  # which begins anew for the same source in another batch
    return LinkTask(
        dataset,
        loss=link.loss,
        negatives=link.negatives.name,
        per_edge=link.negatives.per_edge,
        fixed_negatives=link.negatives.fixed,
        train_share=link.train_share,
        batch_size=link.batch_size,
        leave_out_targets=around if link.leave_out_targets is None else link.leave_out_targets,
        valid_edges=link.valid_edges,
        leaks=link.leaks,
        eval_batch_size=max(link.eval_batch_size, MANY) if heuristic else link.eval_batch_size,
        hard_negatives=link.hard_negatives,
        seed=derived(seed, TASK),
        parts=parts,
        watch=watch,
    )


def feature_width(link: Link, dataset: Dataset) -> int:
    """Columns of node features that the model is given."""
    return 0 if dataset.x is None or link.features == "drop" else dataset.x.size(1)


def build_link_model(options: Mapping[str, Any], link: Link, *, features: int, num_nodes: int) -> nn.Module:
    """The encoder that ``options`` describe with decoder and embeddings of ``link``, or what needs none of these."""
    name = str(options.get("name"))
    if name in PAIR_MODELS:
        if link.embedding_channels is not None:
            raise ValueError(f"{name} has no use for learned embeddings; leave link.embedding_channels out")
        own = {key: value for key, value in options.items() if key != "name"}
        return PAIR_MODELS[name](**own, **({} if name in HEURISTICS else {"features": features}))
    width = features + (link.embedding_channels or 0)
    if not width:
        raise ValueError(
            "nodes have no features here; let the model learn some (link.embedding_channels) or give a file of them"
        )
    hidden = options.get("hidden_channels") if "hidden_channels" in option_types(name) else width
    channels = link.channels or hidden or width
    encoder = build_model(options, in_channels=width, out_channels=channels)
    decoder = build("decoder", DECODERS, link.decoder, in_channels=channels)
    embedded = {"num_nodes": num_nodes, "embedding_channels": link.embedding_channels}
    return LinkModel(encoder, decoder, state_channels=channels, **(embedded if link.embedding_channels else {}))


def begin_embedding(model: nn.Module, link: Link, dataset: Dataset) -> None:
    """The first values of learned embeddings, where the link section does not leave them to chance."""
    if link.embedding_init == "random":
        return
    if not isinstance(model, LinkModel) or model.embedding is None or link.embedding_channels is None:
        raise ValueError("link.embedding_init is about learned embeddings; set link.embedding_channels")
    model.embedding.begin_with(spectral_embedding(dataset.graph, dim=link.embedding_channels))


def link_inputs(config: Config, link: Link, dataset: Dataset, device: torch.device | str) -> Inputs:
    """What the model is given of a dataset."""
    kept = dataset if link.features == "keep" else replace(dataset, x=None)
    bare = link.embedding_channels is not None or config.model["name"] in PAIR_MODELS
    return Inputs.of(kept, device=device, bare=bare, sparse=not bare)


def link_pieces(link: Link, inputs: Inputs, sampling: InPieces | Auto | None, seed: int) -> Inputs:
    """The inputs, cut into pieces as ``sampling`` wants them."""
    if sampling is None:
        return inputs
    if isinstance(sampling, Auto | Egos):
        raise ValueError(f"sampling={sampling.name} is for nodes; links are learnt on the whole graph or with another")
    if sampling.evaluation_parts > 1:
        raise ValueError(
            "links join parts of the graph; evaluate them on the whole graph (sampling.evaluation_parts=1)"
        )
    if link.train_share < 1 and not isinstance(sampling, Neighbours):
        raise ValueError("pieces of the graph teach all edges that they have; leave link.train_share out")
    if link.negatives.fixed and not isinstance(sampling, Neighbours):
        raise ValueError("pieces of the graph have negatives of their own each time; leave link.negatives.fixed out")
    if isinstance(sampling, Neighbours):
        graph = inputs.train.graph
        around = Neighbourhood(graph, sampling.fanouts, hops=sampling.hops, replace=sampling.replace)
        return replace(inputs, neighbourhood=around)
    sampler = sampling.sampler(inputs.train.graph, torch.empty(0, dtype=torch.int64), derived(seed, TRAINING))
    return replace(inputs, sampler=sampler)
