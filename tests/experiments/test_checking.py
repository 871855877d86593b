from typing import Any

import pytest

from agdn.experiments.checking import checked
from agdn.experiments.overrides import with_overrides
from small_runs import small

RECIPE: dict[str, Any] = {"data": {"name": "digits"}, "model": {"name": "AGDN", "hidden_channels": 4}}


def test_every_default_is_written_out() -> None:
    config = checked(RECIPE, "recipe")
    assert config.model["hops"] == 3
    assert config.model["diffusion_dropout"] == 0.0
    assert config.training.optimizer.name == "adam"
    assert checked(config.model_dump(mode="json"), "again") == config


def test_short_forms() -> None:
    config = checked(
        with_overrides(RECIPE, ["data.split=random", "training.optimizer=sgd", "training.schedule=cosine"]), "recipe"
    )
    assert config.data.split.name == "random"
    assert config.training.optimizer.name == "sgd"
    assert config.training.schedule.name == "cosine"


def test_a_normalisation_is_a_plain_word() -> None:
    config = small("model={name: SGC}", "model.transition=row")
    assert config.model["transition"] == "row"
    assert config.model["hops"] == 2
    with pytest.raises(ValueError, match=r"model\.transition: choose from row, col, sym, got 'gat'"):
        small("model={name: SGC}", "model.transition=gat")


def test_a_preset_is_written_out() -> None:
    config = checked(with_overrides(RECIPE, ["model.preset=arxiv"]), "recipe")
    assert config.model["heads"] == 3
    assert config.model["hidden_channels"] == 4
    assert "preset" not in config.model


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("model.hop=5", "unknown key of AGDN 'model.hop': did you mean 'model.hops'"),
        ("model.hops=five", "model.hops: Input should be a valid integer, got 'five'"),
        ("model.hops=2.5", "model.hops: Input should be a valid integer, got 2.5"),
        ("model.name=AGND", "unknown model.name 'AGND': did you mean 'AGDN'"),
        ("model.transition=gta", "unknown model.transition 'gta': did you mean 'gat'"),
        ("model.transition.target=false", "unknown key 'model.transition.target': did you mean"),
        ("model.weighting.query_hop=no", "model.weighting.query_hop: Input should be a valid integer, got False"),
        ("model.weighting=[HA]", "model.weighting is a name or a mapping with a name"),
        ("model.norm=bach", "unknown model.norm 'bach': did you mean 'batch'"),
        ("model.output=cov", "model.output: choose from conv, linear, got 'cov'"),
        ("model.dropout=1.5", r"model.dropout must lie in \[0, 1\), got 1.5"),
        ("model.preset=arxive", "unknown preset 'arxive': did you mean 'arxiv'"),
        ("model=GCN", "model.hidden_channels is missing: GCN needs"),
        ("model=5", "model: input should be an object, got 5"),
        ("training.epoch=5", "unknown key 'training.epoch': did you mean 'training.epochs'"),
        ("training.epochs=-5", "training.epochs: input should be greater than or equal to 0, got -5"),
        ("training.epochs=ten", "training.epochs: input should be a valid integer, got 'ten'"),
        ("training.optimizer.lrr=1", "unknown key 'training.optimizer.lrr': did you mean 'training.optimizer.lr'"),
        ("training.optimizer.lr=0", "training.optimizer.lr: input should be greater than 0, got 0"),
        ("training.optimizer=adamm", "training.optimizer.*adamm.*'adam'"),
        ("data.split.fraction=[1,0,0]", "unknown key 'data.split.fraction'"),
        ("data.self_loops=yes", "data.self_loops: input should be 'keep', 'add' or 'remove'"),
        ("data.nme=cora", "unknown key 'data.nme': did you mean 'data.name'"),
        ("dta.name=cora", "unknown key 'dta': did you mean 'data'"),
        ("task.label_smoothing=2", "task.label_smoothing: input should be less than 1, got 2"),
        ("format_version=2", "has format_version 2; this release reads 1"),
        ("threads=0", "threads: input should be greater than 0, got 0"),
    ],
)
def test_a_wrong_word_is_one_sentence(change: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as caught:
        checked(with_overrides(RECIPE, [change]), "recipe")
    assert str(caught.value).startswith("recipe")
    assert "\n" not in str(caught.value)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="the key data is missing"):
        checked({"model": RECIPE["model"]}, "recipe")
    with pytest.raises(ValueError, match=r"model\.hidden_channels is missing"):
        checked({**RECIPE, "model": {"name": "GCN"}}, "recipe")
    with pytest.raises(ValueError, match="holds no keys"):
        checked([1, 2], "recipe")
