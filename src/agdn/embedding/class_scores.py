"""Texts and the labels of training nodes -> scores of the classes for every node, of a classifier that had not seen it.

A linear classifier on TF-IDF weights, one class against the rest. Training nodes are divided into folds, and each fold
is scored by the classifier of the others; all other nodes by the mean of these classifiers. So what a graph network is
then given of a training node is as good as what it is given of a test node (stacking: Wolpert, Stacked generalization,
1992).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from agdn.data.tables.text_encoder import hashed_weights
from agdn.ops.checks import check_counts, check_seed

BUCKETS = 1 << 19
TOKEN = r"(?u)\b\w[\w.]*\w\b"  # names such as cs.LG are one word
PASSES = 6  # over the texts
DECAY = 2e-6


def class_scores(
    texts: Sequence[str],
    y: Tensor,
    train: Tensor,
    *,
    ngrams: int = 2,
    folds: int = 4,
    seed: int = 0,
    progress: Callable[[str, float], None] | None = None,
) -> Tensor:
    """(N, C) float32.

    Args:
        texts: One a node, in order.
        y: (N,) classes; those of nodes that are not in ``train`` are not looked at.
        train: Ids of the nodes whose labels may be used.
        ngrams: Words that stand side by side count as one word too, up to this many.
        folds: Into which the training nodes are divided, at least 2.
        seed: Fixes every bit of the result.
        progress: Called with a stage and the fraction done.
    """
    check_seed(seed)
    check_counts(ngrams=ngrams)
    if len(texts) != len(y):
        raise ValueError(f"there are {len(texts)} texts for {len(y)} nodes; every node needs one, in order")
    if not 2 <= folds <= len(train):
        raise ValueError(f"folds must lie in 2..{len(train)} (the number of training nodes), got {folds}")
    ids, labels = train.numpy(), y[train].numpy()
    classes = int(labels.max()) + 1
    weights = hashed_weights(texts, ngrams=ngrams, buckets=BUCKETS, token=TOKEN)
    fold_of = np.random.default_rng(seed).permutation(len(ids)) % folds
    others = np.setdiff1d(np.arange(len(texts)), ids)
    scores = np.zeros((len(texts), classes))
    for fold in range(folds):
        if progress is not None:
            progress("classes", fold / folds)
        own = fold_of == fold
        score = _fitted(weights[ids[~own]], labels[~own], classes, seed)
        scores[ids[own]] = score(weights[ids[own]])
        if len(others):
            scores[others] += score(weights[others]) / folds
    return torch.from_numpy(scores).float()


def _fitted(weights: csr_matrix, labels: np.ndarray, classes: int, seed: int) -> Callable[[csr_matrix], np.ndarray]:
    """How a classifier of these texts scores others: (n, C), 0 for classes that it has not met."""
    from sklearn.linear_model import SGDClassifier

    known = np.unique(labels)
    if len(known) == 1:
        return lambda rows: np.eye(classes)[np.full(rows.shape[0], known[0])]
    options = {"loss": "log_loss", "alpha": DECAY, "max_iter": PASSES, "tol": None, "random_state": seed}
    classifier = SGDClassifier(**options).fit(weights, labels)

    def score(rows: csr_matrix) -> np.ndarray:
        found = np.zeros((rows.shape[0], classes))
        margin = classifier.decision_function(rows)
        found[:, known] = margin if margin.ndim == 2 else np.stack([-margin, margin], 1)
        return found

    return score
