"""Arrays with an entry or a bit for every node, which each thread keeps from one call to the next.

Filling them anew would cost as much as many a subgraph. Whoever borrows one puts back what it found; after an
exception it is not taken back.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

NOWHERE = -1
_kept = threading.local()


@contextmanager
def places(num_nodes: int, dtype: np.dtype, copies: int = 1) -> Iterator[np.ndarray]:
    """(copies, num_nodes), all NOWHERE: where nodes stand in a subgraph."""
    with _borrowed(f"places {dtype}", copies * num_nodes, dtype, NOWHERE) as array:
        yield array.reshape(copies, num_nodes)


@contextmanager
def members(num_nodes: int) -> Iterator[np.ndarray]:
    """A bit for every node, all 0."""
    with _borrowed("members", (num_nodes + 63) // 64, np.dtype(np.uint64), 0) as array:
        yield array


@contextmanager
def _borrowed(name: str, size: int, dtype: np.dtype, fill: int) -> Iterator[np.ndarray]:
    array: np.ndarray | None = _kept.__dict__.pop(name, None)
    if array is None or len(array) < size:
        array = np.full(size, fill, dtype)
    yield array[:size]
    _kept.__dict__[name] = array
