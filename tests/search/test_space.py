from pathlib import Path
from typing import Any

import pytest

from agdn.experiments import yaml_text
from agdn.experiments.recipes import read_recipe
from agdn.models.registry import MODELS
from agdn.search.space import Choices, Range, assignments, check_space, family_names, find_space


def space_of(folder: Path, content: dict[str, Any] | str) -> Any:
    path = folder / "space.yaml"
    path.write_text(content if isinstance(content, str) else yaml_text.write(content))
    return find_space(str(path), "AGDN")


def test_a_space_is_read(tmp_path: Path) -> None:
    text = """
model.hops: [2, 4, 8]
model.weighting: [PPR, {name: HA, init: zeros}]
training.optimizer.lr: {low: 1e-3, high: 3e-2, log: true}
model.heads: {low: 1, high: 4, step: 1}
model.dropout: {low: 0, high: 0.8, step: 0.2}
"""
    keys = space_of(tmp_path, text).keys
    assert list(keys) == [
        "model.hops",
        "model.weighting",
        "training.optimizer.lr",
        "model.heads",
        "model.dropout",
    ]
    assert keys["model.weighting"] == Choices(("PPR", {"name": "HA", "init": "zeros"}))
    assert keys["training.optimizer.lr"] == Range(0.001, 0.03, log=True)
    assert keys["model.heads"].whole
    assert not keys["model.dropout"].whole
    check_space(space_of(tmp_path, text), "digits/agdn", ())


def test_a_space_extends_another(tmp_path: Path) -> None:
    (tmp_path / "below.yaml").write_text("model.hops: [1]\nmodel.heads: [1, 2]\n")
    keys = space_of(tmp_path, "extends: below.yaml\nmodel.hops: [3, 4]\n").keys
    assert keys == {"model.hops": Choices((3, 4)), "model.heads": Choices((1, 2))}


@pytest.mark.parametrize("family", family_names())
@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_a_space_in_every_family(family: str, model: str) -> None:
    others = {
        "DeeperGCN": "ogbn-arxiv/deepergcn",
        "GATv2": "cora/gatv2",
        "GCNII": "cora/gcnii",
        "GraphSAGE": "digits/sage",
        "JKNet": "cora/jknet",
        "LabelPropagation": "cora/label-propagation",
        "MAGNA": "cora/magna",
        "RevGAT": "ogbn-arxiv/revgat-bot",
        "RevGNN": "ogbn-products/revgnn-112",
        "SSGC": "digits/s2gc",
        "UniMP": "ogbn-arxiv/unimp",
    }
    check_space(find_space(family, model), others.get(model, f"digits/{model.lower()}"), ())


def test_a_setting_is_what_set_would_set() -> None:
    setting = {
        "model.weighting": {"name": "HA", "init": "zeros"},
        "model.encoder_channels": None,
        "model.dropout": 1e-5,
    }
    config = read_recipe("digits/agdn", assignments(setting))
    assert config.model["weighting"] == {"name": "HA", "init": "zeros"}
    assert config.model["encoder_channels"] is None
    assert config.model["dropout"] == 1e-5


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({}, "holds no keys"),
        ("just text", "holds no keys"),
        ("extends: [a]", "extends names one file"),
        ("extends: space.yaml", "extends itself"),
        ("extends: nowhere.yaml", r"nowhere\.yaml does not exist"),
        ({"model.hops": []}, "model.hops has no choices"),
        ({"model.hops": [1, 1]}, "model.hops has the choice 1 twice"),
        ({"model.hops": 5}, "model.hops: give a list of choices, or {low"),
        ({"model": {"hops": [1]}}, "model: give a list of choices"),
        ({"model.hops": {"low": 1, "high": 4, "logs": True}}, "unknown key of a range 'logs': did you mean 'log'"),
        ({"model.hops": {"low": "1", "high": 4}}, "low must be a number, got '1'"),
        ({"model.hops": {"low": 1, "high": 4, "log": 1}}, "log must be true or false, got 1"),
        ({"model.hops": {"low": True, "high": 4}}, "low must be a number, got True"),
        ({"model.hops": {"low": 4, "high": 4}}, "low must lie below high, got 4 and 4"),
        ({"model.dropout": {"low": 0, "high": 0.5, "log": True}}, "starts above 0"),
        ({"model.hops": {"low": 1, "high": 4, "log": True, "step": 1}}, "exclude each other"),
        ({"model.hops": {"low": 1, "high": 4, "step": 5}}, "step must lie between 0 and high - low, got 5"),
        ({"model.dropout": {"low": 0.1, "high": float("inf")}}, "high must be a number"),
        ({5: [1]}, "5 is not a key of a recipe"),
        ({"data.split": ["random"]}, "data.split is not to be searched: scores on different nodes do not compare"),
        ({"data.split.index": [0, 1]}, "data.split.index is not to be searched"),
        ({"threads": [1, 2]}, "threads is not to be searched"),
    ],
)
def test_a_wrong_space_is_one_sentence(tmp_path: Path, content: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        space_of(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"model.hop": [1]}, "unknown key of AGDN 'model.hop': did you mean 'model.hops'"),
        ({"modle.hops": [1]}, "unknown key 'modle': did you mean 'model'"),
        ({"model.hops": [1, "two"]}, "model.hops: Input should be a valid integer, got 'two'"),
        ({"model.dropout": {"low": 0.0, "high": 1.5}}, r"model.dropout must lie in \[0, 1\), got 1.5"),
        (
            {"training.optimizer.lr": {"low": -0.1, "high": 1.0}},
            "training.optimizer.lr: input should be greater than 0",
        ),
        ({"model.transition": ["sym", "gta"]}, "unknown model.transition 'gta'"),
    ],
)
def test_every_key_and_choice_must_fit_the_recipe(tmp_path: Path, content: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"space\.yaml does not fit: digits/agdn: .*" + sentence):
        check_space(space_of(tmp_path, content), "digits/agdn", ())


def test_unknown_spaces() -> None:
    with pytest.raises(ValueError, match=r"unknown space 'usal': did you mean 'usual'.* or give a \.yaml file"):
        find_space("usal", "AGDN")
    with pytest.raises(ValueError, match="there is no space 'usual' for Other"):
        find_space("usual", "Other")
    with pytest.raises(ValueError, match=r"the space file mine\.yaml does not exist"):
        find_space("mine.yaml", "AGDN")
