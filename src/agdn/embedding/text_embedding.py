"""Node texts -> vectors that know the neighbourhood: an encoder trained to tell a node's neighbours by its text.

After GIANT (Chien, Chang, Hsieh, Yu, Zhang, Milenkovic, Dhillon: Node Feature Extraction by Self-Supervised Multi-scale
Neighborhood Prediction): neighbours are a text's labels, and predicting them is a classification with as many labels as
nodes, done as XR-Transformer does it, on a tree of label clusters. The encoder here is small enough for a processor:
TF-IDF weights and a table of word vectors. A transformer takes its place where there is time for one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from scipy.sparse import csr_array, csr_matrix
from torch import Tensor

from agdn.data.tables.text_encoder import hashed_weights, leading_directions, word_weights
from agdn.embedding.neighbour_training import NeighbourTraining, Progress, TextEncoder, train_on_neighbours
from agdn.embedding.transformer_encoder import TransformerEncoder, sentence_transformer
from agdn.embedding.word_encoder import WordEncoder
from agdn.graph import Graph
from agdn.ops.checks import check_counts, check_positive, check_seed

FLATTENING = 0.5  # 0 starts from TF-IDF's singular vectors as they are, 1 with all directions alike strong
FURTHER_SCALE = 0.1  # of random numbers where the texts have fewer directions than are asked for


@dataclass(frozen=True, kw_only=True)
class Words:
    """The compact encoder: words and one hidden layer.

    Attributes:
        dim: Numbers a node.
        ngrams: Words that stand side by side count as one word too, up to this many.
        buckets: Hash words to so many columns, with no vocabulary; None keeps the words that count most.
        hidden: Width of the hidden layer; 0 for none.
        word_dropout: Share of a text's words that a step does not see.
        lr: Step of the word vectors, in units of their root mean square.
        layer_lr: Step of the hidden layer.
    """

    dim: int = 128
    ngrams: int = 1
    buckets: int | None = None
    hidden: int = 0
    word_dropout: float = 0.2
    lr: float = 0.2
    layer_lr: float = 1e-3

    def __post_init__(self) -> None:
        check_counts(dim=self.dim, ngrams=self.ngrams)
        if self.buckets is not None:
            check_counts(buckets=self.buckets)
        if self.hidden < 0:
            raise ValueError(f"hidden must be at least 0, got {self.hidden}")
        if not 0 <= self.word_dropout < 1:
            raise ValueError(f"word_dropout must lie in 0..1, below 1; got {self.word_dropout}")
        check_positive(lr=self.lr, layer_lr=self.layer_lr)

    def encoder(self, texts: Sequence[str], generator: torch.Generator) -> WordEncoder:
        if self.buckets is None:
            weights = word_weights(texts, ngrams=self.ngrams)[2]
        else:
            weights = hashed_weights(texts, ngrams=self.ngrams, buckets=self.buckets)
        if not weights.nnz:
            raise ValueError("no text has a word of two letters or more; there is nothing to learn from")
        return WordEncoder(
            csr_array(weights),
            _starting_table(weights, self.dim, generator),
            hidden=self.hidden,
            word_dropout=self.word_dropout,
            lr=self.lr,
            layer_lr=self.layer_lr,
            generator=generator,
        )


@dataclass(frozen=True, kw_only=True)
class Transformer:
    """A pretrained transformer, fine-tuned as a whole; its own width is the embedding's.

    Attributes:
        model: Folder or name of a model of sentence-transformers.
        lr: Step of AdamW.
    """

    model: str
    lr: float = 2e-5

    def __post_init__(self) -> None:
        check_positive(lr=self.lr)

    def encoder(self, texts: Sequence[str], generator: torch.Generator) -> TransformerEncoder:
        torch.manual_seed(int(torch.randint(2**62, (), generator=generator)))  # of the model's dropout
        return TransformerEncoder(texts, sentence_transformer(self.model), lr=self.lr)


def text_embedding(
    texts: Sequence[str],
    graph: Graph,
    *,
    encoder: Words | Transformer | None = None,
    training: NeighbourTraining | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Tensor:
    """(N, D) float32 vectors of the nodes, of unit mean square: the directions that their texts point in.

    Args:
        texts: One a node, in order.
        graph: Whose edges are learnt, in both directions; self-loops are left out.
        encoder: :class:`Words` where it is None.
        seed: Fixes every bit of the result, at a fixed number of threads.
        progress: Called with a stage and the fraction done.
    """
    check_seed(seed)
    if len(texts) != graph.num_nodes:
        raise ValueError(f"there are {len(texts)} texts for {graph.num_nodes} nodes; every node needs one, in order")
    if progress is not None:
        progress("words", 0.0)
    generator = torch.Generator().manual_seed(seed)
    made: TextEncoder = (encoder or Words()).encoder(texts, generator)
    train_on_neighbours(made, graph, training or NeighbourTraining(), generator=generator, progress=progress)
    vectors: Tensor = made.encode() * math.sqrt(made.width)
    return vectors


def _starting_table(weights: csr_matrix, dim: int, generator: torch.Generator) -> Tensor:
    """(words, dim) singular directions; where there are fewer than ``dim``, small random numbers beside them."""
    seed = int(torch.randint(2**31, (), generator=generator))
    directions, strength = leading_directions(weights, dim, seed)
    table = torch.from_numpy(directions.T * strength**-FLATTENING)
    more = torch.empty(len(table), dim - table.size(1)).normal_(generator=generator)
    return torch.cat([table, more * FURTHER_SCALE * table.std()], dim=1)
