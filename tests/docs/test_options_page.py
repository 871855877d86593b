"""docs/options.md says what the code says now, and says what every option is for."""

from pathlib import Path
from typing import Literal

import pytest

from agdn.cli.data import import_command
from agdn.data.tables.options import ImportOptions
from options_page.docstrings import meanings
from options_page.page import every_table, page
from options_page.tables import Table
from options_page.types_in_words import in_words

PAGE = Path(__file__).parents[2] / "docs" / "options.md"
TABLES = every_table()


def test_the_page_is_as_old_as_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it again: cd docs && python -m options_page"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.title)
def test_every_option_has_a_meaning(table: Table) -> None:
    silent = [option.name for option in table.options if not option.meaning.strip()]
    assert not silent, f"write what {', '.join(silent)} mean into the docstring or the help"
    assert table.text


def test_keys_of_every_depth_are_there() -> None:
    names = {option.name for table in TABLES for option in table.options}
    deep = {"device", "data.split.fractions", "training.optimizer.lr", "task.labels.mask_rate", "model.hops"}
    parts = {"model.weighting.query_hop", "model.transition.score_space", "data.options.homophily", "--one-hot-limit"}
    assert deep | parts <= names


def test_a_docstring_is_read_to_the_end_of_an_entry() -> None:
    def sample() -> None:
        """What it does.

        Args:
            first, second: Two of a kind,
                over two lines.
            third: See :class:`agdn.AGDN`.

        After: this is no entry.
        """

    two = "Two of a kind, over two lines."
    assert meanings(sample) == {"first": two, "second": two, "third": "See `agdn.AGDN`."}


def test_types_in_words() -> None:
    assert in_words(int | None) == "integer or `null`"
    assert in_words(tuple[float, float, float]) == "list of 3 numbers"
    assert in_words(tuple[Literal["a", "b"], ...]) == "list of `a`, `b`"


def test_the_command_shows_the_defaults_of_the_import() -> None:
    shown = {p.name: p.default for p in import_command.params if isinstance(p.default, (int, str)) and p.default}
    own = ImportOptions().model_dump()
    own["fractions"] = ",".join(map(str, own["fractions"]))
    assert {"one_hot_limit", "hash_width", "text_width", "vocabulary", "fractions"} <= set(shown)
    assert shown == {name: own[name] for name in shown}
