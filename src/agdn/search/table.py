"""What a search found, for people."""

from __future__ import annotations

import json

from agdn.experiments.result import SHARES, shown
from agdn.experiments.tables import Rows
from agdn.search.found import Found, Trial

SHOWN = 10


def trials_table(found: Found) -> tuple[tuple[str, ...], Rows]:
    """A header and a row a trial, the chosen one first; no more than ten."""
    unit = f"{found.metric} %" if found.metric in SHARES else found.metric
    header = ("trial", f"valid {unit}", f"valid {unit}, final seeds", "seconds", "setting")
    return header, [_row(trial, found.metric) for trial in found.ranked[:SHOWN]]


def importance_table(found: Found) -> tuple[tuple[str, ...], Rows]:
    """The keys, the one that matters most first."""
    return ("key", "importance"), [(key, f"{100 * share:.0f} %") for key, share in found.importance.items()]


def ended_line(metric: str, trial: Trial) -> str:
    """One line about a trial that has just ended, or about its final scores."""
    if trial.final is not None:
        score, reason, what = trial.final.score, trial.final.reason, "final, valid"
    else:
        score, reason, what = trial.score, trial.reason, "pruned, valid" if trial.state == "pruned" else "valid"
    if score is None:
        return f"trial {trial.number} failed: {reason}"
    return f"trial {trial.number}: {what} {metric} {shown(score, None, metric)}, {_written(trial)}"


def counts_line(found: Found) -> str:
    """How many trials ended in which way."""
    states = [trial.state for trial in found.trials]
    parts = [f"{states.count(state)} {state}" for state in ("complete", "pruned", "failed") if state in states]
    return f"{len(states)} trials: {', '.join(parts)}; the best is {found.recipe}"


def _row(trial: Trial, metric: str) -> tuple[str, ...]:
    score = "" if trial.score is None else shown(trial.score, None, metric)
    final = "" if trial.final is None or trial.final.score is None else shown(trial.final.score, None, metric)
    return str(trial.number), score, final, f"{trial.seconds:.1f}", _written(trial)


def _written(trial: Trial) -> str:
    return " ".join(f"{key}={_short(value)}" for key, value in trial.setting.items())


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value)
