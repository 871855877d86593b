"""A task that looks k hops back: no model with a shorter reach does better than chance."""

from __future__ import annotations

import numpy as np
import torch

from agdn.data.dataset import Dataset, NodeSplit
from agdn.data.errors import DataError
from agdn.data.pairs import directed_graph


def long_range(
    *,
    distance: int = 8,
    num_rings: int = 60,
    ring_length: int = 24,
    num_classes: int = 4,
    branches: int = 0,
    noise: float = 0.1,
    seed: int = 0,
) -> Dataset:
    """Directed rings on which every node shows a random sign; its label is the sign ``distance`` steps upstream.

    Signs are drawn independently, so everything nearer, the node itself included, says nothing about the label: a
    reach below ``distance`` is at chance, 1 / ``num_classes``, and the nodes on the way are distractors that a plain
    sum or mean of hops cannot tell from the answer. ``branches`` adds as many leaves that feed random signs into
    every ring node; they have no label. Whole rings are train, valid or test, so no test sign is seen in training.

    Args:
        distance: Steps from a node to the sign that is its label.
        num_rings: Number of rings.
        ring_length: Nodes of a ring.
        num_classes: Number of signs.
        branches: Leaves that feed into every ring node.
        noise: Spread of what is added to the features.
    """
    if not 1 <= distance < ring_length:
        raise DataError(f"long_range: distance={distance} must lie in 1..{ring_length - 1}, within a ring")
    if num_rings < 5 or num_classes < 2 or branches < 0:
        raise DataError("long_range needs 5 rings or more, two classes or more, and no negative number of branches")
    rng = np.random.default_rng(seed)
    on_ring = num_rings * ring_length
    signs = rng.integers(num_classes, size=on_ring * (1 + branches))
    ring_of, place = np.divmod(np.arange(on_ring), ring_length)
    following = ring_of * ring_length + (place + 1) % ring_length
    upstream = ring_of * ring_length + (place - distance) % ring_length
    pairs = np.stack([np.arange(on_ring), following], axis=1)
    leaves = np.arange(on_ring, on_ring * (1 + branches))
    pairs = np.concatenate([pairs, np.stack([leaves, leaves % on_ring], axis=1)])

    x = np.zeros((len(signs), num_classes + 1), np.float32)
    x[np.arange(len(signs)), signs] = 1
    x[leaves, num_classes] = 1
    x += noise * rng.standard_normal(x.shape, dtype=np.float32)
    y = np.full(len(signs), -1, np.int64)
    y[:on_ring] = signs[upstream]
    rings = rng.permutation(num_rings)
    cuts = np.split(rings, [round(0.6 * num_rings), round(0.8 * num_rings)])
    return Dataset(
        name="long-range",
        graph=directed_graph(pairs, len(signs)),
        target="class",
        metric="accuracy",
        splits=(NodeSplit(*(torch.from_numpy(np.flatnonzero(np.isin(ring_of, part))) for part in cuts)),),
        x=torch.from_numpy(x),
        y=torch.from_numpy(y),
    )
