"""The 1,797 handwritten digits that scikit-learn carries, joined to their nearest neighbours."""

from __future__ import annotations

import numpy as np
import torch

from agdn.data.dataset import Dataset
from agdn.data.pairs import symmetric_graph
from agdn.data.splits import per_class_split


def digits(*, neighbours: int = 10, labels_per_class: int = 5, valid: int = 300, seed: int = 0) -> Dataset:
    """Each 8 x 8 image is a node, linked both ways to its ``neighbours`` nearest ones; few labels a class, by seed.

    Args:
        neighbours: Nearest images that every image is linked to.
        labels_per_class: Training nodes of every class.
        valid: Validation nodes in all.
    """
    from sklearn.datasets import load_digits
    from sklearn.neighbors import NearestNeighbors

    images, labels = load_digits(return_X_y=True)
    images = (images / 16).astype(np.float32)
    nearest = NearestNeighbors(n_neighbors=neighbours).fit(images).kneighbors(return_distance=False)
    pairs = np.stack([np.repeat(np.arange(len(images)), neighbours), nearest.reshape(-1)], axis=1)
    y = torch.from_numpy(labels.astype(np.int64))
    return Dataset(
        name="digits",
        graph=symmetric_graph(pairs, len(images)),
        target="class",
        metric="accuracy",
        splits=(per_class_split(y, train_per_class=labels_per_class, valid=valid, seed=seed),),
        x=torch.from_numpy(images),
        y=y,
        class_names=tuple("0123456789"),
        extra={"image": torch.from_numpy(images).reshape(-1, 8, 8)},
    )
