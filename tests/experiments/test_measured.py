import json
from pathlib import Path

import pytest

from agdn.experiments import measured
from agdn.experiments.measured import fingerprint, measured_figures, record_measured, settings_of
from agdn.experiments.recipes import read_recipe
from agdn.experiments.run import run_all

TINY = ["training.epochs=2", "model.hidden_channels=4"]


def test_the_recorded_figures_are_of_the_recipes_as_they_stand() -> None:
    stored = json.loads((measured.recipe_folder() / "measured.json").read_text())
    assert stored.keys() == measured_figures().keys(), "measure these recipes again, or take their figures out"


def test_a_result_is_kept_beside_its_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = read_recipe("digits/mlp", TINY)
    monkeypatch.setattr(measured, "_path", lambda: tmp_path / "measured.json")
    monkeypatch.setattr(measured, "read_recipe", lambda name: tiny)
    (result,) = run_all([tiny], seeds=[0, 1], out=tmp_path, jobs=1, progress=False)
    settings = [settings_of(run) for run in result.runs]
    record_measured(result, settings)
    found = measured_figures()["digits/mlp"]
    assert found.test == pytest.approx(100 * result.mean(), abs=1e-3)
    assert found.test_std == pytest.approx(100 * (result.std() or 0), abs=1e-3)
    assert found.seeds == 2
    monkeypatch.setattr(measured, "read_recipe", lambda name: read_recipe(name, [*TINY, "training.epochs=3"]))
    assert measured_figures() == {}
    with pytest.raises(ValueError, match="seed 0 of digits/mlp is not a run of the recipe as it stands"):
        record_measured(result, settings)


def test_what_changes_no_number_leaves_the_fingerprint() -> None:
    same = fingerprint(read_recipe("digits/mlp", ["threads=2", "description=other"]))
    assert same == fingerprint(read_recipe("digits/mlp"))
    assert fingerprint(read_recipe("digits/mlp", ["training.epochs=3"])) != same


def test_an_option_at_its_usual_value_leaves_the_fingerprint_so_that_new_ones_outdate_nothing() -> None:
    recipe = read_recipe("digits/agdn")
    assert recipe.model["node_dropout"] == 0
    older = {option: value for option, value in recipe.model.items() if option != "node_dropout"}
    assert fingerprint(recipe.model_copy(update={"model": older})) == fingerprint(recipe)
    assert fingerprint(read_recipe("digits/agdn", ["model.node_dropout=0.1"])) != fingerprint(recipe)


def test_where_a_file_of_features_lies_does_not_matter() -> None:
    here, there, other = (
        fingerprint(read_recipe("digits/mlp", [f"data.features={file}"])) for file in ("a.npy", "/far/a.npy", "b.npy")
    )
    assert here == there != other
    several = fingerprint(read_recipe("digits/mlp", ["data.features=[a.npy, b.npy]"]))
    assert several == fingerprint(read_recipe("digits/mlp", ["data.features=[/far/a.npy, b.npy]"])) != here
