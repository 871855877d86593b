import re
import sys
from pathlib import Path

import pytest
import torch

from agdn import AGDN, Graph
from agdn.experiments.recipes import read_recipe, recipe_names
from agdn.models import MODELS, PRESETS, build_model
from agdn.models.agdn import model_options
from agdn.models.registry import EVERY_MODEL, expanded, option_defaults, option_types
from graphs import random_edges, symmetric

RECIPES = {read_recipe(name).model["name"] for name in recipe_names()}


def width(name: str) -> dict[str, int]:
    return {"hidden_channels": 4} if "hidden_channels" in option_types(name) else {}


@pytest.mark.parametrize("name", MODELS)
def test_every_model_builds_and_runs(name: str) -> None:
    model = build_model({"name": name, **width(name)}, in_channels=5, out_channels=3)
    assert model(torch.randn(6, 5), Graph(symmetric(random_edges(6, 9)), 6)).shape == (6, 3)


@pytest.mark.parametrize("name", MODELS)
def test_defaults_written_out_change_nothing(name: str) -> None:
    options = {"name": name, **width(name)}
    models = []
    for written in (options, {**option_defaults(name), **options}):
        torch.manual_seed(0)
        models.append(build_model(written, in_channels=5, out_channels=3))
    assert repr(models[0]) == repr(models[1])
    assert all(torch.equal(a, b) for a, b in zip(models[0].parameters(), models[1].parameters(), strict=True))


def test_options_are_those_of_the_constructor() -> None:
    assert {"in_channels", "out_channels", *option_types("AGDN")} == set(model_options())
    assert set(option_defaults("AGDN")) == set(option_types("AGDN")) - {"hidden_channels"}


def test_a_preset_is_written_out_and_can_be_changed() -> None:
    options = expanded({"name": "AGDN", "preset": "arxiv", "hops": 5})
    assert options == {**PRESETS["arxiv"], "name": "AGDN", "hops": 5}
    model = build_model({"name": "AGDN", "preset": "paper", "hidden_channels": 4}, in_channels=5, out_channels=3)
    assert isinstance(model, AGDN)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"name": "AGDNN"}, "unknown model 'AGDNN': did you mean 'AGDN'"),
        ({}, "unknown model ''"),
        (
            {"name": "GCN", "hiden_channels": 4},
            "unknown option of GCN 'hiden_channels': did you mean 'hidden_channels'",
        ),
        ({"name": "GCN", "hidden_channels": 4, "dropout": 1.0}, r"dropout of GCN must lie in \[0, 1\), got 1.0"),
        ({"name": "AGDN", "preset": "arxivv"}, "unknown preset 'arxivv': did you mean 'arxiv'"),
        ({"name": "GCN", "preset": "arxiv"}, "presets are option sets of AGDN"),
        ({"name": "GCN"}, "GCN needs hidden_channels"),
    ],
)
def test_a_wrong_word_is_a_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        build_model(options, in_channels=5, out_channels=3)


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_every_model_has_a_test_a_citation_and_a_recipe(name: str) -> None:
    model = EVERY_MODEL[name]
    module = sys.modules[model.__module__]
    test = Path(__file__).parent / f"test_{model.__module__.rpartition('.')[2]}.py"
    assert test.is_file(), f"{name} has no test of its own: write {test.name}"
    assert re.search(rf"\b{model.__name__}\b", test.read_text()), f"{test.name} does not test {name}"
    told = f"{module.__doc__} {model.__doc__}"
    assert re.search(r"\b(19|20)\d\d\b|arXiv \d{4}\.\d{5}", told), f"say where {name} was published, and when"
    assert name in RECIPES, f"{name} has no recipe"
