"""The comparisons by name, and the one way to run them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from agdn.bench import (
    baselines,
    dropout,
    enclosing,
    heuristics,
    layer,
    link_step,
    machine,
    model,
    pairs,
    sampling,
    scaling,
    walks,
)
from agdn.bench.rounds import Effort
from agdn.bench.rows import Row, rows_of
from agdn.bench.setting import Comparison, Setting

COMPARISONS: dict[str, Mapping[str, Comparison]] = {
    "layer": layer.PARTS,
    "model": model.PARTS,
    "baselines": baselines.PARTS,
    "dropout": dropout.PARTS,
    "pairs": pairs.PARTS,
    "heuristics": heuristics.PARTS,
    "link-step": link_step.PARTS,
    "enclosing": enclosing.PARTS,
    "scaling": scaling.PARTS,
    "walks": walks.PARTS,
    "sampling": sampling.PARTS,
}
TOLERANCE = 1e-3


def run(
    name: str,
    setting: Setting,
    effort: Effort,
    *,
    parts: Sequence[str] = (),
    only: Sequence[str] = (),
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[list[Row]]:
    """The rows of each section as it is done.

    Args:
        parts: Which parts of the comparison; all by default.
        only: Words of which a system's name must contain one; every system by default.
        say: Told what is going on.
    """
    machine.require_linux()
    names: set[str] = set()
    measured = False
    for part in parts or COMPARISONS[name]:
        with tempfile.TemporaryDirectory(prefix="agdn-bench-") as folder:
            say(f"{name}: preparing {part}")
            for section in COMPARISONS[name][part](setting, Path(folder)):
                names |= {system.name for system in section.systems}
                chosen = section.only(only)
                if chosen.systems:
                    measured = True
                    yield rows_of(chosen, effort, say)
    if not measured:
        raise ValueError(f"--only {' --only '.join(only)} leaves no system; there are: {'; '.join(sorted(names))}")


def check_answers(rows: Sequence[Row]) -> None:
    """Refuse a comparison of systems that do not compute the same."""
    for row in rows:
        if row.difference is not None and not row.difference <= TOLERANCE:
            raise ValueError(
                f"{row.system} computes something else than the first system of '{row.section}': outputs or gradients "
                f"differ by {row.difference:.1e} of the largest entry, where {TOLERANCE:g} is allowed"
            )
