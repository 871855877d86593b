"""Link prediction: which pairs of nodes are joined, learnt from the edges that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal

import torch
from torch import Tensor, nn

from agdn.data.check_splits import split_findings
from agdn.data.dataset import Dataset, EdgeSplit
from agdn.data.pair_keys import ordered_keys
from agdn.data.unlinked import known_links
from agdn.graph import Graph
from agdn.sampling.streams import EachEpoch, derived
from agdn.tasks import link_metrics
from agdn.tasks.evaluation import Evaluation
from agdn.tasks.hard_negatives import hard_scores, hardest
from agdn.tasks.inputs import Inputs, Signals
from agdn.tasks.link_losses import LINK_LOSSES, cross_entropy, needs_weight
from agdn.tasks.message_edges import MessageEdges, with_pairs
from agdn.tasks.negatives import Kind, KnownPairs, draw_negatives
from agdn.tasks.pair_scores import Watch, score_pairs

PARTS = ("train", "valid", "test")
ORDER, NEGATIVES, SURROUNDINGS, SHARE = range(4)  # what the seed is used for
TRAIN_SEED = 12345  # of the training edges that are scored beside the others: the same ones in every run


@dataclass(frozen=True)
class LinkOutput:
    """How the model's outputs are read: as logits of a link."""

    target: Literal["link"] = "link"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class LinkTask:
    """What to learn about the node pairs of a dataset, by the split that it has chosen.

    Args:
        loss: One of :data:`agdn.tasks.link_losses.LINK_LOSSES`.
        negatives: How they are drawn, see :func:`agdn.tasks.negatives.draw_negatives`; ``per_edge`` so many for each
            positive; ``fixed_negatives`` are drawn once, on the whole graph or around pairs.
        train_share: Learn from this share of the training edges, drawn once; the message graph has all of them.
        batch_size: Positives of a step; None for all, or in pieces all edges of a piece.
        leave_out_targets: Take the positives of a step out of the message graph, so that none sees itself.
        valid_edges: ``input``: when test pairs are scored the validation edges are in the message graph too.
        leaks: ``refuse`` a split that lets an answer be seen, or ``report`` it in the notes of every result.
        eval_batch_size: Pairs that are scored at once in evaluation.
        hard_negatives: In the end, also rank every link of the validation and test parts among so many negatives of its
            own, see :mod:`agdn.tasks.hard_negatives`; None for no such ranks.
        seed: Fixes order and negatives.
        parts: Which parts are scored; what chooses between models leaves ``test`` out.
        watch: Told how far an evaluation is, see :mod:`agdn.tasks.pair_scores`.
    """

    input_columns = 0
    out_channels = 1
    output = LinkOutput()

    def __init__(
        self,
        dataset: Dataset,
        *,
        loss: str = "cross_entropy",
        negatives: Kind = "global",
        per_edge: int = 1,
        fixed_negatives: bool = False,
        train_share: float = 1.0,
        batch_size: int | None = 65_536,
        leave_out_targets: bool = False,
        valid_edges: Literal["hidden", "input"] = "hidden",
        leaks: Literal["refuse", "report"] = "refuse",
        eval_batch_size: int = 65_536,
        hard_negatives: int | None = None,
        seed: int = 0,
        parts: Sequence[str] = PARTS,
        watch: Watch | None = None,
    ) -> None:
        if dataset.target != "link" or not isinstance(dataset.split, EdgeSplit):
            raise ValueError(f"{dataset.name} asks for {dataset.target}; a link task needs a split of its edges")
        self._leaks = _leaks(dataset, refuse=leaks == "refuse")
        if loss not in LINK_LOSSES:
            raise ValueError(f"a link task has the losses {', '.join(LINK_LOSSES)}, not {loss!r}")
        self._dataset = dataset
        self.name, self.split, self.graph = dataset.name, dataset.split, dataset.graph.to("cpu")
        self.parts, self.seed, self.watch = tuple(parts), seed, watch
        self.learnt = self._share_of(dataset.split.train, train_share)
        self.score_names = _score_names(dataset)
        self.metric = self.score_names[0]
        self.higher_is_better = True
        self._loss, self._kind, self._per_edge = LINK_LOSSES[loss], negatives, per_edge
        self._fixed = fixed_negatives
        self.batch_size, self.eval_batch_size = batch_size, eval_batch_size
        self.leave_out_targets, self.valid_edges = leave_out_targets, valid_edges
        self.hard_negatives = hard_negatives
        self._weight = _weights_of(dataset, self.learnt) if needs_weight(loss) else None
        self._ordered = EachEpoch(self._order)
        self._widened: tuple[Signals, Signals] | None = None
        self._hard: tuple[Graph, Tensor, Tensor] | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What every result must say."""
        if self.valid_edges == "hidden":
            return self._leaks
        return (*self._leaks, "Validation edges are part of the message graph when test edges are scored.")

    # Training

    @property
    def pairs_of_step(self) -> int:
        """How many pairs a step scores at most."""
        return (1 + self._per_edge) * min(self._step_size, self.learnt.size(1))

    def steps(self, inputs: Inputs) -> int:
        """Steps of an epoch."""
        if inputs.sampler is not None:
            return len(inputs.sampler)
        return -(-self.learnt.size(1) // self._step_size)

    @property
    def _step_size(self) -> int:
        return self.learnt.size(1) if self.batch_size is None else self.batch_size

    def losses(
        self, model: nn.Module, inputs: Inputs, *, epoch: int = 0, start: int = 0, stride: int = 1
    ) -> Iterator[Tensor | None]:
        """The loss of every ``stride``-th step of an epoch from ``start`` on; None where a piece has no edge."""
        own = range(start, self.steps(inputs), stride)
        if inputs.sampler is not None:
            for step, piece in zip(own, inputs.pieces(epoch, start, stride), strict=True):
                yield self._loss_in_piece(model, piece, epoch, step)
            return
        order = self._ordered(epoch)
        for step in own:
            chosen = order[step * self._step_size : (step + 1) * self._step_size]
            positives = self.learnt[:, chosen]
            if self._fixed:
                negatives = self._all_negatives[:, chosen].flatten(1)
            else:
                negatives = self._negatives(positives, self._known, self._generator(NEGATIVES, epoch, step))
            pairs = torch.cat([positives, negatives], dim=1)
            if inputs.neighbourhood is not None:
                nodes, pairs = pairs.unique(return_inverse=True)
                surroundings = inputs.neighbourhood.around(nodes, derived(self.seed, SURROUNDINGS, epoch, step))
                given = inputs.train.piece(surroundings)
                edges = MessageEdges(given.graph) if self.leave_out_targets else None
            else:
                given, edges = inputs.train, self._message_edges if self.leave_out_targets else None
            if edges is not None:
                given = edges.without(given, pairs[:, : positives.size(1)])
            yield self._loss_on(model, given, pairs, None if self._weight is None else self._weight[chosen])

    def _loss_in_piece(self, model: nn.Module, piece: Signals, epoch: int, step: int) -> Tensor | None:
        """On the edges of a piece, self-loops aside, or as many of them as a step has positives."""
        edges = piece.graph.edge_index.cpu()
        positives = edges[:, edges[0] != edges[1]]
        if not positives.size(1):
            return None
        generator = self._generator(NEGATIVES, epoch, step)
        known = KnownPairs.of(edges, piece.graph.num_nodes)
        if self.batch_size is not None and positives.size(1) > self.batch_size:
            positives = positives[:, torch.randperm(positives.size(1), generator=generator)[: self.batch_size]]
        weight = None
        if self._weight is not None and piece.edge_weight is not None:
            weight = _looked_up(piece.graph, piece.edge_weight, positives)
        if self.leave_out_targets:
            piece = MessageEdges(piece.graph).without(piece, positives)
        negatives = self._negatives(positives, known, generator)
        return self._loss_on(model, piece, torch.cat([positives, negatives], dim=1), weight)

    @cached_property
    def _all_negatives(self) -> Tensor:
        """(2, E, n) those of every training edge, where they are fixed."""
        drawn = self._negatives(self.learnt, self._known, self._generator(NEGATIVES))
        return drawn.view(2, -1, self._per_edge)

    def _negatives(self, positives: Tensor, known: KnownPairs, generator: torch.Generator) -> Tensor:
        return draw_negatives(self._kind, positives, self._per_edge, known.num_nodes, generator, known)

    def _loss_on(self, model: nn.Module, given: Signals, pairs: Tensor, weight: Tensor | None) -> Tensor:
        """Of (2, B + B * n) pairs: positives, then the negatives of each."""
        count, device = pairs.size(1) // (1 + self._per_edge), given.graph.device
        scores: Tensor = model.decode(states_of(model, given), pairs.to(device)).float()  # type: ignore[operator]
        weight = None if weight is None else weight.to(device)
        return self._loss(scores[:count], scores[count:].view(count, self._per_edge), weight)

    def _share_of(self, edges: Tensor, share: float) -> Tensor:
        """The edges that are learnt, in the split's order."""
        if share == 1:
            return edges
        count = max(1, int(share * edges.size(1)))
        drawn = torch.randperm(edges.size(1), generator=self._generator(SHARE))[:count]
        return edges[:, drawn.sort().values]

    def _order(self, epoch: int) -> Tensor:
        return torch.randperm(self.learnt.size(1), generator=self._generator(ORDER, epoch))

    def _generator(self, *path: int) -> torch.Generator:
        return torch.Generator().manual_seed(derived(self.seed, *path))

    @cached_property
    def _known(self) -> KnownPairs:
        both = torch.cat([self.graph.edge_index, self.split.train], dim=1)
        return KnownPairs.of(both, self.graph.num_nodes)

    @cached_property
    def _message_edges(self) -> MessageEdges:
        return MessageEdges(self.graph)

    # Evaluation

    def evaluate(self, model: nn.Module, inputs: Inputs, *, finished: bool = False) -> Evaluation:
        """Scores of every part with the model as it is; ``finished``: those among hard negatives too."""
        states = states_of(model, inputs.whole)
        scores, valid = {}, self._pair_scores(model, states, "valid")
        for part in self.parts:
            if (given := self._given(inputs, part)) is not inputs.whole:
                states = states_of(model, given)
            pair_scores = valid if part == "valid" else self._pair_scores(model, states, part, valid[1])
            scores[part] = self.scores(*pair_scores)
            if finished and self.finishes and part != "train":
                scores[part] |= self._hard_scores(model, states, given.graph, part, pair_scores[0])
        return Evaluation(scores, float(cross_entropy(*valid)))

    @property
    def finishes(self) -> bool:
        """Whether there are scores that only a trained model is asked for."""
        return self.hard_negatives is not None

    def _hard_scores(
        self, model: nn.Module, states: Any, graph: Graph, part: str, of_links: Tensor
    ) -> dict[str, float]:
        def score(pairs: Tensor) -> Tensor:
            return score_pairs(model, states, pairs, self.eval_batch_size, f"{part} hard negatives", self.watch)

        return hard_scores(score, getattr(self.split, part), of_links, self._hardest_in(graph))

    def _hardest_in(self, graph: Graph) -> Callable[[Tensor], Tensor]:
        """The hard negatives of nodes by a message graph: half of a link's share its source, half its target."""
        if self._hard is None or self._hard[0] is not graph:
            nodes = torch.cat([self.split.valid, self.split.test], dim=1).unique()
            half, message = -(-(self.hard_negatives or 0) // 2), graph.to("cpu").undirected()
            found = hardest(message, known_links(self._dataset), nodes, half, seed=TRAIN_SEED, watch=self.watch)
            self._hard = (graph, nodes, found)
        _, nodes, found = self._hard
        return lambda asked: found[torch.searchsorted(nodes, asked)]

    def part_scores(self, model: nn.Module, inputs: Inputs, part: str) -> tuple[Tensor, Tensor]:
        """The scores of a part's positives (P,) and of its negatives (Q,)."""
        return self._pair_scores(model, states_of(model, self._given(inputs, part)), part)

    def _given(self, inputs: Inputs, part: str) -> Signals:
        """What the model sees when a part is scored; a graph that is larger for it is built once."""
        whole = inputs.whole
        if part != "test" or self.valid_edges == "hidden":
            return whole
        if self._widened is None or self._widened[0] is not whole:
            self._widened = (whole, with_pairs(whole, self.split.valid))
        return self._widened[1]

    def _pair_scores(
        self, model: nn.Module, states: Any, part: str, valid_negative: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Training edges are measured against the negatives of the validation part, whose scores may be at hand."""
        split = self.split

        def scored(pairs: Tensor, what: str) -> Tensor:
            return score_pairs(model, states, pairs, self.eval_batch_size, f"{part} {what}", self.watch)

        if part != "train":
            return scored(getattr(split, part), "edges"), scored(getattr(split, f"{part}_negative"), "negatives")
        generator = torch.Generator().manual_seed(TRAIN_SEED)
        shown = torch.randperm(split.train.size(1), generator=generator)[: split.valid.size(1)]
        negative = scored(split.valid_negative, "negatives") if valid_negative is None else valid_negative
        return scored(split.train[:, shown], "edges"), negative

    def scores(self, positive: Tensor, negative: Tensor) -> dict[str, float]:
        """Every score of the task, the official one first."""
        ranks = self.reciprocal_ranks(positive, negative) if "mrr" in self.score_names else None
        return {name: self._score(name, positive, negative, ranks) for name in self.score_names}

    def reciprocal_ranks(self, positive: Tensor, negative: Tensor) -> Tensor:
        """(P,) of every positive among its own negatives, or among those that serve all."""
        per_edge = self.split.negatives_per_edge
        if per_edge is None:
            return link_metrics.shared_reciprocal_ranks(positive, negative)
        own = negative.view(-1, per_edge)
        return link_metrics.reciprocal_ranks(positive[: len(own)], own)

    def _score(self, name: str, positive: Tensor, negative: Tensor, ranks: Tensor | None) -> float:
        if name == "mrr" and ranks is not None:
            return float(ranks.mean())
        if name.startswith("hits@"):
            k = int(name.removeprefix("hits@"))
            own = self.split.negatives_per_edge is not None and ranks is not None
            return link_metrics.hits_of(ranks, k) if own else link_metrics.hits(positive, negative, k)  # type: ignore[arg-type]
        of_all = {"rocauc": link_metrics.link_rocauc, "average_precision": link_metrics.average_precision}
        return of_all[name](positive, negative)


def states_of(model: nn.Module, signals: Signals) -> Any:
    """What the model's decoder reads of every node of a graph."""
    if signals.storage is not None and not model.training and hasattr(getattr(model, "encoder", None), "in_blocks"):
        given = replace(signals, x=model.given(signals.x, signals.nodes))  # type: ignore[operator]
        return given.outputs_in_blocks(model.encoder)[0]
    return model.encode(signals.x, signals.graph, signals.nodes, **signals.edge_signals)  # type: ignore[operator]


def _leaks(dataset: Dataset, *, refuse: bool) -> tuple[str, ...]:
    """Sentences on what lets an answer be seen; what makes no sense at all is always refused."""
    told = []
    for finding in split_findings(dataset):
        if finding.severity == "error":
            sentence = f"{dataset.name}: {finding.where}: {finding.what}"
            if refuse or not finding.is_leak:
                raise ValueError(f"{sentence}; {finding.remedy}")
            told.append(f"{sentence}.")
    return tuple(told)


def _score_names(dataset: Dataset) -> tuple[str, ...]:
    official = dataset.metric
    if official not in link_metrics.LINK_METRICS:
        raise ValueError(
            f"{dataset.name}: links are scored by {', '.join(link_metrics.LINK_METRICS)}, not {official!r}"
        )
    split = dataset.split
    others: tuple[str, ...] = ("hits@20", "hits@50", "hits@100", "rocauc", "average_precision")
    if isinstance(split, EdgeSplit) and split.negatives_per_edge is not None:
        others = ("mrr", "hits@1", "hits@3", "hits@10")
        if official in ("rocauc", "average_precision"):
            raise ValueError(
                f"{dataset.name}: each edge has negatives of its own; such links are scored by mrr or hits@"
            )
    return (official, *(name for name in others if name != official))


def _weights_of(dataset: Dataset, pairs: Tensor) -> Tensor:
    if dataset.edge_weight is None:
        raise ValueError(f"{dataset.name} has no edge weights; a weighted or adaptive loss needs them")
    return _looked_up(dataset.graph, dataset.edge_weight, pairs)


def _looked_up(graph: Graph, edge_weight: Tensor, pairs: Tensor) -> Tensor:
    """(P,) the weight of each pair's edge."""
    keys, order = ordered_keys(graph.edge_index, graph.num_nodes).sort()
    at = torch.searchsorted(keys, ordered_keys(pairs, graph.num_nodes)).clamp(max=max(len(keys) - 1, 0))
    return edge_weight.reshape(-1)[order[at]].float()
