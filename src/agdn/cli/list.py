"""``agdn list``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from agdn.cli.options import JSON
from agdn.cli.printing import print_json, print_table

if TYPE_CHECKING:
    from agdn.experiments.config import Figure

Rows = Sequence[tuple[str, ...]]
HEADER = ("name", "description")
HEADERS = {"recipes": ("name", "published", "measured", "description")}


def _recipes() -> Rows:
    from agdn.experiments.measured import measured_figures
    from agdn.experiments.recipes import read_recipe, recipe_names

    measured = measured_figures()
    rows = []
    for name in recipe_names():
        config, own = read_recipe(name), measured.get(name)
        seeds = f" ({own.seeds} {'seeds' if own.seeds > 1 else 'seed'})" if own else ""
        rows.append((name, _figure(config.published), _figure(own) + seeds, config.description))
    return rows


def _models() -> Rows:
    from agdn.models.registry import EVERY_MODEL

    return [(name, _first_line(model)) for name, model in sorted(EVERY_MODEL.items())]


def _decoders() -> Rows:
    from agdn.models import DECODERS

    return [(name, _first_line(decoder)) for name, decoder in DECODERS.items()]


def _presets() -> Rows:
    from agdn.models import PRESETS

    return [(name, ", ".join(f"{key}={value}" for key, value in options.items())) for name, options in PRESETS.items()]


def _datasets() -> Rows:
    from agdn.data.catalogue import EMBEDDED
    from agdn.data.names import dataset_names

    return [(name, "comes with the library" if name in EMBEDDED else "read from files") for name in dataset_names()]


def _transitions() -> Rows:
    from agdn.nn import TRANSITIONS

    return [(name, _first_line(transition)) for name, transition in TRANSITIONS.items()]


def _weightings() -> Rows:
    from agdn.nn import WEIGHTINGS

    return [(name, _first_line(weighting)) for name, weighting in WEIGHTINGS.items()]


def _spaces() -> Rows:
    from agdn.models.registry import MODELS
    from agdn.search.space import family_names, find_space

    rows = []
    for family in family_names():
        for model in sorted(MODELS):
            space = find_space(family, model)
            rows.append((f"{family} {model}", ", ".join(f"{key}: {what}" for key, what in space.to_json().items())))
    return rows


def _studies() -> Rows:
    from agdn.studies.registry import STUDIES, study_named

    return [(name, study_named(name).summary) for name in STUDIES]


def _figure(figure: Figure | None) -> str:
    """The test score for people."""
    return "" if figure is None else f"{figure.shown()} {figure.metric}"


def _first_line(thing: object) -> str:
    named = getattr(thing, "func", thing)
    return (named.__doc__ or "").strip().split("\n")[0]


KINDS: dict[str, Callable[[], Rows]] = {
    "recipes": _recipes,
    "models": _models,
    "decoders": _decoders,
    "presets": _presets,
    "datasets": _datasets,
    "transitions": _transitions,
    "weightings": _weightings,
    "spaces": _spaces,
    "studies": _studies,
}


@click.command("list")
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@JSON
def list_command(kind: str, as_json: bool) -> None:
    """List the recipes, models, decoders, presets, datasets, transitions, weightings, search spaces or studies."""
    rows, header = KINDS[kind](), HEADERS.get(kind, HEADER)
    if as_json:
        print_json([dict(zip(header, row, strict=True)) for row in rows])
    else:
        print_table(kind, header, rows)
