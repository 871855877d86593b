"""Whether a run's data are still what it was trained on."""

from __future__ import annotations

from agdn.data.dataset import Dataset
from agdn.experiments.result import SHARES, Run

SCORE_TOLERANCE = 0.005  # another machine may turn a prediction that is on the edge ...
TURNED = 2  # ... and so many of a small test part


def require_same_nodes(run: Run, dataset: Dataset) -> None:
    if dataset.graph.num_nodes != run.dataset.get("nodes"):
        raise ValueError(
            f"{dataset.name} now has {dataset.graph.num_nodes} nodes; the run was trained on {run.dataset.get('nodes')}"
        )


def require_same_score(run: Run, now: float, tested: int) -> None:
    """``tested``: nodes or edges of the test part."""
    then = run.score("test")
    slack = max(SCORE_TOLERANCE, TURNED / tested) if run.metric in SHARES else SCORE_TOLERANCE * max(1.0, abs(then))
    if not abs(now - then) <= slack:
        raise ValueError(
            f"{run.dataset.get('name')} is no longer what the run was trained on: "
            f"test {run.metric} is {now:.4f} now and was {then:.4f}"
        )
