"""A plan -> the best setting: trials, then the finalists on other seeds; what was done before is not done again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from agdn.search.best_recipe import check_place, recipe_text, write_recipe
from agdn.search.crew import Crew, Order
from agdn.search.found import Final, Found, Trial
from agdn.search.journal import opened
from agdn.search.plan import Plan
from agdn.search.study import Study, open_study

Told = Callable[[str, Trial], None]
"""Called with the metric and every trial as it ends, or as its final scores are there."""


def tune(plan: Plan, told: Told | None = None) -> Found:
    """Search until as many trials are done as the plan says, and write the best as a recipe.

    Killed at any moment and started again it goes on; trials that were done are kept, those under way run anew.
    """
    effort = plan.effort
    with opened(plan.file) as journal, Crew(effort.jobs) as crew:
        describe = cache(lambda: crew.describe(plan.config, effort.seeds[0]))
        study = open_study(journal, plan, describe)
        check_place(plan.best, study)

        def ended(number: int) -> None:
            if told is not None:
                told(study.metric, study.trial(number))

        if len(study.trials()) < effort.trials:
            describe()
            crew.work(lambda: _next_trial(plan, study, ended), ended)
        waiting = [_final(plan, study, trial) for trial in _finalists(plan, study) if not _is_judged(plan, trial)]
        if waiting:
            describe()
            crew.work(lambda: waiting.pop(0) if waiting else None, ended)
        return _concluded(plan, study)


@dataclass(frozen=True)
class Judged:
    """A finalist on the final seeds, under way."""

    study: Study
    number: int
    seeds: tuple[int, ...]

    def report(self, step: int, score: float) -> bool:
        return True

    def done(self, scores: list[float]) -> None:
        self.study.set_final(self.number, Final(self.seeds, tuple(scores)))

    def pruned(self) -> None:
        self.failed("it was ended")

    def failed(self, reason: str) -> None:
        self.study.set_final(self.number, Final(self.seeds, reason=reason))


def _next_trial(plan: Plan, study: Study, ended: Callable[[int], None]) -> Order | None:
    """The next setting to be trained: not one that makes no configuration, nor one whose scores are known."""
    while (begun := study.begin(plan.effort.trials)) is not None:
        try:
            config = plan.config_of(begun.setting)
        except ValueError as error:
            begun.failed(str(error))
        else:
            twin = study.twin(begun.setting)
            if twin is None:
                return Order(begun.number, config, plan.effort.seeds, begun, prune=plan.effort.prune)
            begun.done(twin.scores)
        ended(begun.number)
    return None


def _finalists(plan: Plan, study: Study) -> list[Trial]:
    complete = study.best()
    if not complete:
        raise ValueError(f"no trial of {plan.name} was completed; the first failed because {study.trials()[0].reason}")
    settings = [trial.setting for trial in complete]
    different = [trial for place, trial in enumerate(complete) if trial.setting not in settings[:place]]
    return different[: plan.effort.finalists]


def _is_judged(plan: Plan, trial: Trial) -> bool:
    return trial.final is not None and trial.final.seeds == plan.effort.final_seeds


def _final(plan: Plan, study: Study, trial: Trial) -> Order:
    seeds = plan.effort.final_seeds
    return Order(trial.number, plan.config_of(trial.setting), seeds, Judged(study, trial.number, seeds), prune=False)


def _concluded(plan: Plan, study: Study) -> Found:
    """The finalists by their final scores, then the others; the first is written as a recipe."""
    finalists = _finalists(plan, study)
    scores = [(trial.final.score if trial.final is not None else None, trial) for trial in finalists]
    judged = study.best_first((score, trial) for score, trial in scores if score is not None)
    if finalists and not judged:
        assert finalists[0].final is not None
        raise ValueError(f"every finalist of {plan.name} failed, the first because {finalists[0].final.reason}")
    chosen = {trial.number for trial in judged}
    ranked = [*judged, *(trial for trial in study.best() if trial.number not in chosen)]
    trials = study.trials()
    text = recipe_text(plan, ranked[0], metric=study.metric, trials=len(trials))
    write_recipe(plan.best, text, study)
    return Found(
        name=plan.name,
        metric=study.metric,
        seeds=plan.effort.seeds,
        final_seeds=plan.effort.final_seeds,
        trials=tuple(trials),
        ranked=tuple(ranked),
        recipe=plan.best,
        importance=study.importance(),
    )
