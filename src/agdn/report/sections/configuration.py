"""How to get the same again: data, settings, versions, and the command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agdn.experiments import yaml_text
from agdn.report.gather.keys import differing, written
from agdn.report.gather.report import Recipe, Report
from agdn.report.gather.reproduce import CONFIG_FILE, needs_file
from agdn.report.markup import Markup, joined, tag
from agdn.report.sections.section import Section, details, paragraph, table, tabs


def configuration(report: Report) -> Section:
    recipes = report.recipes
    body = joined(
        _differences(report) if len(recipes) > 1 else None,
        tabs(
            "configuration",
            "Recipes",
            [(recipe.label, _of_recipe(recipe, index)) for index, recipe in enumerate(recipes)],
        ),
    )
    return Section("configuration", "How to reproduce", body)


def _differences(report: Report) -> Markup | None:
    found = differing([recipe.config for recipe in report.recipes])
    rows = [(key, *("" if value is None else written(value) for value in values)) for key, values in found.items()]
    if not rows:
        return None
    header = ("key", *(recipe.label for recipe in report.recipes))
    return details("Keys in which the recipes differ", table("Keys in which the recipes differ", header, rows))


def _of_recipe(recipe: Recipe, index: int) -> Markup:
    save = needs_file(recipe.command)
    first = f"Save the configuration below as {CONFIG_FILE}, and train it:" if save else "Train it again:"
    return joined(
        paragraph(recipe.config.description) if recipe.config.description else None,
        paragraph(first),
        tag(
            "div",
            tag("pre", tag("code", recipe.command, id=f"command-{index}"), tabindex="0"),
            tag("button", "Copy", type="button", class_="copy", data_copy=f"command-{index}"),
            class_="command",
        ),
        table("Data and versions", ("what", "value"), _facts(recipe)),
        details("The whole configuration", tag("pre", _yaml(recipe), tabindex="0")),
    )


def _yaml(recipe: Recipe) -> str:
    return yaml_text.write(recipe.config.model_dump(mode="json"))


def _facts(recipe: Recipe) -> list[tuple[str, str]]:
    runs = recipe.result.runs
    data = [(name.replace("_", " "), _value(value)) for name, value in runs[0].dataset.items()]
    versions = [
        (name, ", ".join(dict.fromkeys(run.versions.get(name, "") for run in runs)))
        for name in dict.fromkeys(name for run in runs for name in run.versions)
    ]
    folders = [(f"folder of seed {run.seed}", str(run.folder)) for run in runs]
    return [
        *((f"data: {name}", value) for name, value in data),
        *versions,
        ("threads", ", ".join(dict.fromkeys(str(run.threads) for run in runs))),
        ("device", recipe.config.device),
        *folders,
    ]


def _value(value: Any) -> str:
    """``4,486 train, 264 valid, 528 test`` of a mapping."""
    if isinstance(value, Mapping):
        return ", ".join(f"{_value(content)} {name}" for name, content in value.items())
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
