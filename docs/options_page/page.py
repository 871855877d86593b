"""The page as a whole."""

from __future__ import annotations

from options_page.command_tables import command_tables
from options_page.model_tables import generator_tables, model_tables
from options_page.recipe_tables import recipe_tables, study_tables
from options_page.tables import Table

HEAD = """\
# Every option

This page is generated from the code (`cd docs && python -m options_page`), and a test fails where it is older than
the code.

A recipe is a YAML file with the keys of the first part; on the command line a key is changed by its path,
`agdn train digits/agdn --set training.optimizer.lr=0.01`. Where a section is chosen by a name, the bare name is short
for `{name: ...}`: `--set training.optimizer=sgd`. A misspelt key or a value of the wrong kind is an error that lists
the right ones."""
MODELS_HEAD = """\
## Models

`model.name` chooses one, by default none: a recipe must name it. The widths of input and output come from the data."""
GENERATORS_HEAD = """\
## Generated data sets

`data.options` of the sets that come with the library; their seed is `data.seed`."""
STUDIES_HEAD = """\
## Studies

What `agdn study NAME --set KEY=VALUE` takes beside the keys of recipes, which go to every experiment of the study."""
COMMANDS_HEAD = """\
## Commands

Every command has `--help`. A mistake is one sentence on standard error and exit code 2."""


def every_table() -> list[Table]:
    """What a test walks."""
    return [*recipe_tables(), *generator_tables(), *model_tables(), *study_tables(), *command_tables()]


def page() -> str:
    parts = [
        HEAD,
        *_markdown(recipe_tables()),
        GENERATORS_HEAD,
        *_markdown(generator_tables()),
        MODELS_HEAD,
        *_markdown(model_tables()),
        STUDIES_HEAD,
        *_markdown(study_tables()),
        COMMANDS_HEAD,
        *_markdown(command_tables()),
    ]
    return "\n\n".join(parts) + "\n"


def _markdown(tables: list[Table]) -> list[str]:
    return [table.markdown() for table in tables]
