"""The ``link:`` section: links instead of labels, how they are decoded, and what they are compared with."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt

from agdn.experiments.section import Section


class Negatives(Section):
    """Pairs that are not linked, drawn anew in every step or once for all.

    Attributes:
        name: ``global``, any two nodes; ``strict``, two nodes that no known edge joins; ``per_source``, the source of
            the positive with any node; ``permuted``, one strict pair a positive, in several orders.
        per_edge: So many for each positive.
        fixed: Draw them once; every epoch compares with the same ones.
    """

    name: Literal["global", "strict", "per_source", "permuted"] = "global"
    per_edge: PositiveInt = 1
    fixed: bool = False


class Link(Section):
    """What is learnt about pairs of nodes; ``model`` then makes the states of the nodes, or is a heuristic.

    Attributes:
        decoder: ``name`` and options: ``mlp`` (``hidden_channels``, ``num_layers``, ``dropout``) on the product of
            both states, ``dot``, ``cosine`` (``scale``) or ``bilinear``.
        embedding_channels: Learn a vector of this width for every node, beside its features where it has some.
        embedding_init: What these vectors begin with: ``random`` numbers, or ``spectral``, the leading eigenvectors of
            the message graph, so that training begins where the structure is known already.
        features: ``drop`` leaves the features of nodes out.
        channels: Width of the states that the decoder reads; by default the model's ``hidden_channels``.
        loss: ``cross_entropy``, ``auc``, ``hinge_auc``, ``log_rank``, ``info_nce``, or for edges with weights
            ``weighted_cross_entropy``, ``weighted_auc``, ``adaptive_auc``, ``weighted_hinge_auc``,
            ``adaptive_hinge_auc``.
        negatives: What positives are compared with.
        train_share: Learn from this share of the training edges, drawn once; the message graph has all of them.
        batch_size: Positives of a step; None for all, or in pieces of the graph all edges of a piece.
        leave_out_targets: Take the positives of a step out of the message graph; by default where the surroundings of
            the pairs are sampled.
        valid_edges: ``input`` puts validation edges into the message graph when test edges are scored; every result
            says so.
        leaks: What is done where a published split lets an answer be seen, such as a test edge backwards in the message
            graph: ``refuse`` it, or ``report`` it in every result.
        eval_batch_size: Pairs that are scored at once in evaluation.
        hard_negatives: In the end, also rank every validation and test link among so many negatives that look linked
            to its two nodes, as HeaRT does.
    """

    decoder: dict[str, Any] = Field(default_factory=lambda: {"name": "mlp"})
    embedding_channels: PositiveInt | None = None
    embedding_init: Literal["random", "spectral"] = "random"
    features: Literal["keep", "drop"] = "keep"
    channels: PositiveInt | None = None
    loss: str = "cross_entropy"
    negatives: Negatives = Negatives()
    train_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    batch_size: PositiveInt | None = 65_536
    leave_out_targets: bool | None = None
    valid_edges: Literal["hidden", "input"] = "hidden"
    leaks: Literal["refuse", "report"] = "refuse"
    eval_batch_size: PositiveInt = 65_536
    hard_negatives: PositiveInt | None = None
