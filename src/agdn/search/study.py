"""The trials of one recipe in a journal: which are done, what comes next, how they ended."""

from __future__ import annotations

import json
import statistics
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from agdn.experiments.run_folder import first_difference
from agdn.search.found import Final, Trial
from agdn.search.journal import Journal
from agdn.search.plan import Plan
from agdn.search.space import Choices, Range, Space
from agdn.search.trial import REPORTS

FORMAT_VERSION = 1
ABOUT, DRAW, SCORES, REASON, WRITTEN = "agdn", "draw", "scores", "reason", "written"
PRUNED_AFTER = 5  # complete trials, and ...
UNPRUNED_STEPS = REPORTS // 5  # ... a fifth of the first seed
ENOUGH_FOR_IMPORTANCE = 8
STATES = {TrialState.COMPLETE: "complete", TrialState.PRUNED: "pruned", TrialState.FAIL: "failed"}

optuna.logging.set_verbosity(optuna.logging.ERROR)


class Study:
    """A study, and how its next setting is drawn: at random for the first ``startup`` trials, then by TPE.

    Every trial has a number, its draw, from which with ``seed`` its random choices come. A trial that was cut off
    leaves its number to one that is run in its place, so a search that was killed goes on as it would have.
    """

    def __init__(self, study: optuna.Study, space: Space, *, seed: int, startup: int) -> None:
        self._study, self._seed, self._startup = study, seed, startup
        self._space = space
        self._distributions = {key: _distribution(searched) for key, searched in space.keys.items()}
        about = study.user_attrs[ABOUT]
        self.metric: str = about["metric"]
        self.higher_is_better: bool = about["higher_is_better"]

    def begin(self, total: int) -> Begun | None:
        """The next trial, where fewer than ``total`` are done or under way."""
        taken = {trial.user_attrs[DRAW] for trial in self._trials() if _counts(trial) or _runs(trial)}
        if len(taken) >= total:
            return None
        draw = next(number for number in range(total) if number not in taken)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            self._study.sampler = optuna.samplers.TPESampler(
                seed=int(np.random.SeedSequence([self._seed, draw]).generate_state(1)[0]),
                n_startup_trials=self._startup,
                multivariate=True,
                constant_liar=True,
            )
        trial = self._study.ask(self._distributions)
        trial.set_user_attr(DRAW, draw)
        return Begun(self._study, trial, draw, self._setting(trial.params))

    def trials(self) -> list[Trial]:
        """Those that are done, by their number."""
        done = [self._found(trial) for trial in self._trials() if _counts(trial)]
        return sorted(done, key=lambda trial: trial.number)

    def trial(self, number: int) -> Trial:
        return next(trial for trial in self.trials() if trial.number == number)

    def twin(self, setting: Mapping[str, Any]) -> Trial | None:
        """A complete trial of the same setting."""
        return next((trial for trial in self.best() if trial.setting == setting), None)

    def best(self) -> list[Trial]:
        """The complete ones, the best on the seeds of the search first; of equal ones the earlier."""
        complete = [trial for trial in self.trials() if trial.state == "complete"]
        return self.best_first((trial.score, trial) for trial in complete if trial.score is not None)

    def best_first(self, scored: Iterable[tuple[float, Trial]]) -> list[Trial]:
        sign = -1 if self.higher_is_better else 1
        return [trial for _, trial in sorted(scored, key=lambda pair: sign * pair[0])]

    def set_final(self, number: int, final: Final) -> None:
        """What a finalist achieved on the final seeds."""
        self._study.set_user_attr(f"final-{number}", final.to_json())

    def written(self) -> list[str]:
        """Digests of the recipes that this search has written."""
        return list(self._study.user_attrs.get(WRITTEN, ()))

    def set_written(self, digest: str) -> None:
        self._study.set_user_attr(WRITTEN, [*self.written(), digest])

    def importance(self) -> dict[str, float]:
        """The share of the scores' variance that each key explains (fANOVA); empty where too few trials tell."""
        values = {trial.score for trial in self.trials() if trial.state == "complete"}
        if len(values) < ENOUGH_FOR_IMPORTANCE:
            return {}
        evaluator = optuna.importance.FanovaImportanceEvaluator(seed=0)
        return dict(optuna.importance.get_param_importances(self._study, evaluator=evaluator))

    def _trials(self) -> list[FrozenTrial]:
        return self._study.get_trials(deepcopy=False)

    def _setting(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return {
            key: json.loads(params[key]) if isinstance(searched, Choices) else params[key]
            for key, searched in self._space.keys.items()
        }

    def _found(self, trial: FrozenTrial) -> Trial:
        number = trial.user_attrs[DRAW]
        final = self._study.user_attrs.get(f"final-{number}")
        return Trial(
            number=number,
            state=STATES[trial.state],
            setting=self._setting(trial.params),
            score=trial.value,
            scores=tuple(trial.user_attrs.get(SCORES, ())),
            reason=trial.user_attrs.get(REASON),
            seconds=trial.duration.total_seconds() if trial.duration is not None else 0.0,
            final=None if final is None else Final.from_json(final),
        )


@dataclass(frozen=True)
class Begun:
    """A trial under way."""

    study: optuna.Study
    trial: optuna.Trial
    number: int
    setting: dict[str, Any]

    def report(self, step: int, score: float) -> bool:
        """Note the score up to a step; whether the trial is worth going on with."""
        self.trial.report(score, step)
        return not self.trial.should_prune()

    def done(self, scores: Sequence[float]) -> None:
        self.trial.set_user_attr(SCORES, list(scores))
        self.study.tell(self.trial, statistics.fmean(scores))

    def pruned(self) -> None:
        self.study.tell(self.trial, state=TrialState.PRUNED)

    def failed(self, reason: str) -> None:
        self.trial.set_user_attr(REASON, reason)
        self.study.tell(self.trial, state=TrialState.FAIL)


def open_study(journal: Journal, plan: Plan, describe: Callable[[], dict[str, Any]]) -> Study:
    """The study of a plan, begun where the journal has none; ``describe`` then tells its metric.

    Trials that were under way when the last process ended are given up; others are run in their place.
    """
    pruner: optuna.pruners.BasePruner = optuna.pruners.NopPruner()
    if plan.effort.prune:
        pruner = optuna.pruners.MedianPruner(n_startup_trials=PRUNED_AFTER, n_warmup_steps=UNPRUNED_STEPS)
    with _readable(journal):
        storage = optuna.storages.JournalStorage(journal)
        known = {study.study_name: study.user_attrs for study in storage.get_all_studies()}
    if ABOUT in known.get(plan.name, {}):
        _compare(journal, known[plan.name][ABOUT], plan)
        found = optuna.load_study(study_name=plan.name, storage=storage, pruner=pruner)
    else:
        found = _created(journal, plan, storage, pruner, describe())
    with _readable(journal):
        for trial in found.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
            _settle(found, trial)
        study = Study(found, plan.space, seed=plan.effort.seed, startup=plan.effort.startup)
        study.trials()
    return study


@contextmanager
def _readable(journal: Journal) -> Iterator[None]:
    """Whatever a damaged journal makes of its readers is one sentence."""
    try:
        yield
    except (LookupError, ValueError, TypeError, AttributeError, AssertionError):
        raise ValueError(f"{journal.path} is damaged; give another --file") from None


def _created(
    journal: Journal,
    plan: Plan,
    storage: optuna.storages.BaseStorage,
    pruner: optuna.pruners.BasePruner,
    described: dict[str, Any],
) -> optuna.Study:
    study = optuna.create_study(
        study_name=plan.name,
        storage=storage,
        direction="maximize" if described["higher_is_better"] else "minimize",
        pruner=pruner,
        load_if_exists=True,
    )
    if study.get_trials(deepcopy=False):
        raise ValueError(f"{journal.path} holds trials of {plan.name} that are not ours; give another --file")
    study.set_user_attr(ABOUT, {"format_version": FORMAT_VERSION, **described, "terms": _terms(plan)})
    return study


def _settle(study: optuna.Study, trial: FrozenTrial) -> None:
    """End a trial that the last process left open: it has all its scores, or it is cut off."""
    if SCORES in trial.user_attrs:
        study.tell(trial.number, statistics.fmean(trial.user_attrs[SCORES]))
    else:
        study.tell(trial.number, state=TrialState.FAIL)


def _terms(plan: Plan) -> dict[str, Any]:
    """What the trials of a study have in common, so that their scores compare."""
    content = {
        "config": plan.config.model_dump(mode="json"),
        "space": plan.space.to_json(),
        "seeds": list(plan.effort.seeds),
    }
    plain: dict[str, Any] = json.loads(json.dumps(content))
    return plain


def _compare(journal: Journal, about: Mapping[str, Any], plan: Plan) -> None:
    with _readable(journal):
        version, stored, asked = about.get("format_version"), dict(about["terms"]), _terms(plan)
        difference = first_difference(stored.pop("config"), asked.pop("config")) or first_difference(stored, asked)
    if version != FORMAT_VERSION:
        raise ValueError(f"{journal.path} has format_version {version!r}; this release reads {FORMAT_VERSION}")
    if difference is not None:
        key, there, here = difference
        raise ValueError(
            f"{journal.path} holds a search on other terms ({key} is {there!r} there, {here!r} here); "
            "give another --file"
        )


def _distribution(searched: Choices | Range) -> BaseDistribution:
    """Choices as JSON text: Optuna keeps text as it is, and mappings not at all."""
    if isinstance(searched, Choices):
        return CategoricalDistribution([json.dumps(value) for value in searched.values])
    if searched.whole:
        return IntDistribution(int(searched.low), int(searched.high), searched.log, int(searched.step or 1))
    return FloatDistribution(searched.low, searched.high, searched.log, searched.step)


def _counts(trial: FrozenTrial) -> bool:
    """Done, and not merely cut off."""
    failed = trial.state == TrialState.FAIL and REASON in trial.user_attrs
    return failed or trial.state in (TrialState.COMPLETE, TrialState.PRUNED)


def _runs(trial: FrozenTrial) -> bool:
    return trial.state == TrialState.RUNNING and DRAW in trial.user_attrs
