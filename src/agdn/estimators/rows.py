"""Which rows of a table were among those that an estimator was fitted on."""

from __future__ import annotations

import numpy as np

NEW = -1


def places(x: np.ndarray, known: np.ndarray, *, nodes_differ: bool) -> np.ndarray:
    """(M,) the row of ``known`` that each row of ``x`` equals, the first of several, or NEW.

    ``nodes_differ``: equal rows of ``known`` are different nodes of a graph. All rows together are then those nodes in
    their order, and one of several equal rows by itself cannot be told from the others.
    """
    if nodes_differ and np.array_equal(x, known):
        return np.arange(len(x))
    first: dict[bytes, int] = {}
    repeated: set[bytes] = set()
    for place, row in enumerate(_bytes(known)):
        if first.setdefault(row, place) != place:
            repeated.add(row)
    rows = _bytes(x)
    if nodes_differ and (found := next((place for place, row in enumerate(rows) if row in repeated), None)) is not None:
        raise ValueError(
            f"row {found} of X equals several nodes of the graph that was fitted; "
            "give all rows in the order of fit, or a graph of your rows"
        )
    return np.array([first.get(row, NEW) for row in rows], dtype=np.int64)


def _bytes(x: np.ndarray) -> list[bytes]:
    return [row.tobytes() for row in np.ascontiguousarray(x + 0.0)]  # + 0.0: minus zero is zero
