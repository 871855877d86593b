"""Transition matrices: how much of node j flows to node i in one hop.

    row  D_in^-1 A          col  A D_out^-1          sym  D_in^-1/2 A D_out^-1/2                 fixed by the graph

With S_ij = exp(e_ij) on the edges and e_ij = LeakyReLU(<q_src, z_j> + <q_dst, z_i> + edge term):

    gat      softmax over the incoming edges of i                                                 learned
    gat_col  softmax over the outgoing edges of j
    gat_sym  sqrt(gat * gat_col), the pseudo-symmetric form
    gat_adj  gat * sqrt(deg_in(i) / deg_out(j)), the degree-adjusted form; with ``scaled_scores`` the scores too see
             features that are divided by sqrt(deg_out(j)), as in the bag of tricks where it comes from

A transition maps the graph and both ends' features to (E, H) weights in the graph's edge order, or (E, 1) for all
heads alike. A user's own is a module with the same ``forward``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.init import glorot_normal_, query_
from agdn.nn.linear import Linear
from agdn.ops import (
    edge_scores,
    node_scores,
    normalised_adjacency,
    softmax_over_sources,
    softmax_over_targets,
    sum_over_sources,
    sum_over_targets,
)
from agdn.ops.normalise import Normalisation
from agdn.ops.sparse_rows import dense

SYM_FLOOR = 1e-9
Ends = tuple[Tensor, Tensor]


class FixedTransition(nn.Module):
    """``row``, ``col`` or ``sym`` normalisation of the (weighted) adjacency."""

    def __init__(self, kind: Normalisation) -> None:
        super().__init__()
        self.kind = kind

    def forward(
        self, graph: Graph, x: Ends, z: Ends, edge_attr: Tensor | None = None, edge_weight: Tensor | None = None
    ) -> Tensor:
        return normalised_adjacency(graph, self.kind, edge_weight, dtype=z[0].dtype)

    def extra_repr(self) -> str:
        return self.kind


class AttentionTransition(nn.Module):
    """Learned transition from additive attention scores.

    Args:
        kind: Which normalisation of the scores.
        in_channels: Width F of the layer input at the source and at the target.
        heads, channels: H and D of the transformed features.
        edge_dim: Width of the edge features in the score, None for none.
        score_space: Score the ``"transformed"`` features with (H, D) queries, or the layer
            ``"input"`` with F -> H maps.
        target_query: Whether the target takes part in the score.
        share_query: Use one query for both ends.
        edge_score: ``"linear"``, the paper's <q_E, W_E x_ij>, or ``"encoder"``, a ReLU layer of ``edge_hidden`` units
            in front of the linear score.
        edge_hidden: Units of that layer.
        scaled_scores: ``gat_adj`` alone: divide the source's part of a score by sqrt(deg_out(j)).
        squash: Score tanh of the features instead of the features, as MAGNA does.
        edge_weight: With edge weights w_ij, ``"scale"`` S_ij by them (a weighted adjacency), or ``"mix"`` the result
            with the symmetrically normalised weights in equal parts.
        negative_slope: Of the LeakyReLU over the scores.
    """

    def __init__(
        self,
        kind: Literal["gat", "gat_col", "gat_sym", "gat_adj"],
        in_channels: tuple[int, int],
        heads: int,
        channels: int,
        *,
        edge_dim: int | None = None,
        score_space: Literal["transformed", "input"] = "transformed",
        target_query: bool = True,
        share_query: bool = False,
        edge_score: Literal["linear", "encoder"] = "linear",
        edge_hidden: int = 16,
        scaled_scores: bool = False,
        squash: bool = False,
        edge_weight: Literal["scale", "mix"] = "scale",
        negative_slope: float = 0.2,
    ) -> None:
        super().__init__()
        if share_query and not target_query:
            raise ValueError("share_query=True shares the target's query with the source; it needs target_query=True")
        if share_query and score_space == "input" and in_channels[0] != in_channels[1]:
            raise ValueError(f"share_query=True needs equal widths at both ends, got {in_channels}")
        if scaled_scores and kind != "gat_adj":
            raise ValueError(f"scaled_scores=True is a form of gat_adj; this transition is {kind}")
        _require("score_space", score_space, ("transformed", "input"))
        _require("edge_score", edge_score, ("linear", "encoder"))
        _require("edge_weight", edge_weight, ("scale", "mix"))
        self.kind, self.score_space, self.edge_weight = kind, score_space, edge_weight
        self.negative_slope, self.scaled_scores, self.squash = negative_slope, scaled_scores, squash
        widths = in_channels if score_space == "input" else (channels, channels)
        self.source_query = nn.Parameter(torch.empty(heads, widths[0]))
        self.target_query = nn.Parameter(torch.empty(heads, widths[1])) if target_query and not share_query else None
        self.share_query = share_query
        self.edge_encoder = self.edge_transform = self.edge_query = None
        if edge_dim is not None and edge_score == "encoder":
            self.edge_encoder = Linear(edge_dim, edge_hidden)
            self.edge_query = nn.Parameter(torch.empty(heads, edge_hidden))
        elif edge_dim is not None:
            self.edge_transform = nn.Parameter(torch.empty(heads, channels, edge_dim))
            self.edge_query = nn.Parameter(torch.empty(heads, channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for query in (self.source_query, self.target_query):
            if query is not None and self.score_space == "input":
                glorot_normal_(query, query.size(1), query.size(0))
            elif query is not None:
                query_(query)
        if self.edge_encoder is not None and self.edge_query is not None:
            self.edge_encoder.reset_parameters()
            glorot_normal_(self.edge_query, self.edge_query.size(1), self.edge_query.size(0))
        elif self.edge_transform is not None and self.edge_query is not None:
            heads, channels, edge_dim = self.edge_transform.shape
            glorot_normal_(self.edge_transform, edge_dim, heads * channels)
            query_(self.edge_query)

    def forward(
        self, graph: Graph, x: Ends, z: Ends, edge_attr: Tensor | None = None, edge_weight: Tensor | None = None
    ) -> Tensor:
        scores = self.scores(graph, x, z, edge_attr)
        if edge_weight is None:
            return self._normalised(scores, graph, None)
        weight = edge_weight[graph.order].to(scores.dtype).unsqueeze(1)  # (E, 1)
        if self.edge_weight == "scale":
            return self._normalised(scores, graph, weight)
        symmetric = FixedTransition("sym").forward(graph, x, z, None, edge_weight)
        return (self._normalised(scores, graph, None) + symmetric) / 2

    def scores(self, graph: Graph, x: Ends, z: Ends, edge_attr: Tensor | None) -> Tensor:
        """(E, H) scores e_ij in the graph's order."""
        source = target = self._scored(x) if self.score_space == "input" else z
        if self.squash:
            at_source = torch.tanh(source[0])
            source = target = (at_source, at_source if source[0] is source[1] else torch.tanh(source[1]))
        query = self.source_query if self.share_query else self.target_query
        edge_term = None
        if self.edge_query is not None:
            if edge_attr is None:
                raise ValueError("this layer was built with edge_dim; give it edge_attr")
            edge_term = self._edge_term(edge_attr)[graph.order]
        at_target: Tensor | None = None
        if query is not None and source[0] is target[1]:
            at_source, at_target = self._scores(source[0], self.source_query, query)
        else:
            (at_source,) = self._scores(source[0], self.source_query)
            if query is not None:
                (at_target,) = self._scores(target[1], query)
        if self.scaled_scores:
            degree = graph.full.out_degree[: len(at_source)]  # own nodes come first where there is a halo
            at_source = at_source / degree.clamp(min=1).to(at_source.dtype).sqrt().unsqueeze(1)
        return edge_scores(at_source, at_target, edge_term, graph, self.negative_slope)

    @staticmethod
    def _scored(x: Ends) -> Ends:
        at_source = dense(x[0])
        return at_source, at_source if x[0] is x[1] else dense(x[1])

    def _scores(self, features: Tensor, *queries: Tensor) -> tuple[Tensor, ...]:
        """(N, F) or (N, H, D) features and queries (H, F or D) -> (N, H) for each query."""
        stacked = torch.stack(queries)
        if features.dim() == 2:
            return torch.einsum("nf,phf->pnh", features, stacked).unbind(0)
        return node_scores(features, stacked).unbind(0)

    def _edge_term(self, edge_attr: Tensor) -> Tensor:
        assert self.edge_query is not None
        if self.edge_encoder is not None:
            return torch.relu(self.edge_encoder(edge_attr)) @ self.edge_query.t()
        assert self.edge_transform is not None
        return edge_attr @ torch.einsum("hde,hd->eh", self.edge_transform, self.edge_query)

    def _normalised(self, scores: Tensor, graph: Graph, weight: Tensor | None) -> Tensor:
        if self.kind in ("gat", "gat_adj"):
            into = over_targets(scores, graph, weight)
            if self.kind == "gat":
                return into
            in_degree = graph.full.in_degree.clamp(min=1).to(scores.dtype)[graph.targets]
            out_degree = graph.full.out_degree.clamp(min=1).to(scores.dtype)[graph.indices]
            return into * (in_degree / out_degree).sqrt().unsqueeze(1)
        out_of = self._over_sources(scores, graph, weight)
        if self.kind == "gat_col":
            return out_of
        into = over_targets(scores, graph, weight)
        return (into.clamp(min=SYM_FLOOR) * out_of.clamp(min=SYM_FLOOR)).sqrt()

    @staticmethod
    def _over_sources(scores: Tensor, graph: Graph, weight: Tensor | None) -> Tensor:
        share = softmax_over_sources(scores, graph)
        if weight is None:
            return share
        total = sum_over_sources(share * weight, graph)[graph.indices]
        return share * weight / total.clamp(min=torch.finfo(share.dtype).tiny)

    def extra_repr(self) -> str:
        return self.kind


def over_targets(scores: Tensor, graph: Graph, weight: Tensor | None) -> Tensor:
    """Softmax of (E, H) scores over incoming edges, of which each counts as often as its (E, 1) weight says."""
    share = softmax_over_targets(scores, graph)
    if weight is None:
        return share
    total = sum_over_targets(share * weight, graph)[graph.targets]
    return share * weight / total.clamp(min=torch.finfo(share.dtype).tiny)


def _require(option: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{option} must be one of {', '.join(choices)}, got {value!r}")


TRANSITIONS: dict[str, Callable[..., nn.Module]] = {
    "row": partial(FixedTransition, "row"),
    "col": partial(FixedTransition, "col"),
    "sym": partial(FixedTransition, "sym"),
    "gat": partial(AttentionTransition, "gat"),
    "gat_col": partial(AttentionTransition, "gat_col"),
    "gat_sym": partial(AttentionTransition, "gat_sym"),
    "gat_adj": partial(AttentionTransition, "gat_adj"),
}
