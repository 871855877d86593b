import json
from pathlib import Path

import pytest
import torch

from agdn.data.catalogue import EMBEDDED
from agdn.experiments import yaml_text
from agdn.experiments.experiment import Experiment
from agdn.experiments.recipes import _content, read_recipe, recipe_names
from agdn.experiments.result import SHARES
from agdn.experiments.run import run_all
from agdn.models.registry import build_model
from agdn.training.loop import first_losses
from small_runs import import_small

STAND_IN = ["data.name=csbm", "data.options={num_nodes: 260}"]  # enough for 20 + 30 nodes of each of four classes
WITH_EDGE_FEATURES = ["data.name=edge-task", "data.options={num_nodes: 60}"]
TINY = [
    "training.epochs=2",
    "training.evaluate_from=1",
    "model.hidden_channels=4",
    "threads=1",
    "training.precision=fp32",
]
SMALLER = {  # but two nodes in a batch, which a norm needs
    "saint_walk": ["sampling.roots=30"],
    "nodes": ["sampling.batch_size=40"],
    "random_partition": ["sampling.parts=2"],
    "cluster_partition": ["sampling.parts=2", "sampling.batch_parts=1"],
}
GOLDEN = json.loads((Path(__file__).parent / "golden_losses.json").read_text())


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_builds_and_runs_two_epochs(name: str, tmp_path: Path) -> None:
    recipe = read_recipe(name)
    untrained = recipe.training.epochs == 0
    tiny = TINY if "hidden_channels" in recipe.model else [change for change in TINY if "hidden" not in change]
    changes = ["threads=1", "data.features=null"] if untrained else [*tiny, "data.features=null"]
    changes += ["model.num_layers=5"] if recipe.model.get("num_layers", 0) > 8 else []
    changes += _stand_in(recipe.data.name)
    changes += [] if recipe.link is None else ["data.split=edges"]
    if recipe.sampling is not None:
        changes += SMALLER[recipe.sampling.name]
    (result,) = run_all([read_recipe(name, changes)], out=tmp_path, jobs=1, progress=False)
    assert result.runs[0].epochs == (0 if untrained else 2)
    assert 0 <= result.mean() <= 1


def _stand_in(name: str) -> list[str]:
    if name in EMBEDDED:
        return []
    return WITH_EDGE_FEATURES if name == "ogbn-proteins" else STAND_IN


@pytest.mark.parametrize(
    ("name", "in_channels", "out_channels", "parameters"),
    [
        ("ogbn-arxiv/agdn", 128, 40, 1_453_416),
        ("ogbn-arxiv/agdn-bot", 168, 40, 1_513_280),
        ("ogbn-arxiv/agdn-bot-kd", 168, 40, 1_513_280),
        ("ogbn-arxiv/agdn-xrt-bot", 808, 40, 1_309_760),
        ("ogbn-arxiv/agdn-xrt-bot-kd", 808, 40, 1_309_760),
        ("ogbn-arxiv/gat", 128, 40, 1_443_960),
        ("ogbn-arxiv/gat-bot", 168, 40, 1_441_580),
        ("ogbn-arxiv/gat-bot-kd", 168, 40, 1_441_580),
        ("ogbn-arxiv/gcn", 128, 40, 110_120),
        ("ogbn-arxiv/sage", 128, 40, 218_664),
        ("ogbn-arxiv/dagnn", 128, 40, 43_857),
        ("ogbn-arxiv/sign", 128, 40, 3_566_128),
        ("ogbn-products/gcn", 100, 47, 103_727),
        ("ogbn-products/sage", 100, 47, 206_895),
        ("ogbn-products/sign", 100, 47, 3_483_703),
        ("ogbn-proteins/gcn", 8, 112, 96_880),
        ("ogbn-proteins/sage", 8, 112, 193_136),
        ("ogbn-arxiv/deepergcn", 128, 40, 491_176),
        ("ogbn-arxiv/gcnii", 128, 40, 2_148_648),
        ("ogbn-arxiv/jknet", 128, 40, 89_000),
        ("ogbn-arxiv/revgat-bot", 168, 40, 2_098_256),
        ("ogbn-arxiv/revgat-bot-kd", 168, 40, 2_098_256),
        ("ogbn-arxiv/revgat-xrt-bot", 808, 40, 1_304_912),
        ("ogbn-arxiv/revgat-xrt-bot-kd", 808, 40, 1_304_912),
        ("ogbn-arxiv/unimp", 168, 40, 473_489),
        ("ogbn-proteins/agdn", 8, 112, 8_588_902),
        ("ogbn-proteins/deepergcn", 8, 112, 2_373_984),
        ("ogbn-proteins/gat-bot", 120, 112, 2_484_192),
        ("ogbn-proteins/revgnn-deep", 8, 112, 20_030_672),
        ("ogbn-proteins/revgnn-wide", 8, 112, 68_469_744),
        ("ogbn-proteins/unimp", 120, 112, 1_909_104),
        ("ogbn-products/deepergcn", 100, 47, 253_743),
        ("ogbn-products/revgnn-112", 100, 47, 2_945_007),
        ("ogbn-products/agdn", 100, 47, 1_540_207),
    ],
)
def test_recipes_have_the_published_number_of_parameters(
    name: str, in_channels: int, out_channels: int, parameters: int
) -> None:
    model = build_model(read_recipe(name).model, in_channels=in_channels, out_channels=out_channels)
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_says_what_was_published(name: str) -> None:
    assert "published" in _content(name, ())
    config = read_recipe(name)
    assert config.name == name
    assert config.description
    assert name.split("/")[0] == config.data.name
    assert config.published is None or config.published.metric in SHARES


@pytest.mark.parametrize("name", ["digits/agdn", "digits/gat", "long-range/agdn"])
def test_the_first_ten_losses_are_golden(name: str) -> None:
    """The same computation gives the same losses; another processor may round otherwise."""
    torch.set_num_threads(1)
    built = Experiment(read_recipe(name), 0, Path()).assemble()
    losses = first_losses(built.model, built.task, built.inputs, read_recipe(name).training)
    assert losses == pytest.approx(GOLDEN[name], rel=1e-3)


def test_a_file_extends_a_recipe_and_another_file(tmp_path: Path) -> None:
    (tmp_path / "below.yaml").write_text("extends: digits/agdn\nmodel: {hops: 9}\n")
    (tmp_path / "above.yaml").write_text("extends: below.yaml\ntraining: {epochs: 3}\n")
    config = read_recipe(tmp_path / "above.yaml", ["model.heads=2"])
    assert (config.name, config.model["hops"], config.model["heads"], config.training.epochs) == ("above", 9, 2, 3)
    assert config.data == read_recipe("digits/agdn").data


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("extends: a.yaml", "extends itself"),
        ("extends: [a]", "extends names one recipe or file"),
        ("extends: digits/agnd", "unknown recipe 'digits/agnd': did you mean 'digits/agdn'"),
        ("extends: nowhere.yaml", r"nowhere\.yaml does not exist"),
        ("", "holds no keys"),
        ("just text", "holds no keys"),
        ("extends: digits/agdn\nmodel: {hop: 1}", "unknown key of AGDN 'model.hop'"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(ValueError, match=sentence):
        read_recipe(tmp_path / "a.yaml")


def test_an_unknown_recipe_is_told_those_of_its_data_set_alone() -> None:
    with pytest.raises(ValueError, match="of this data set there are") as caught:
        read_recipe("digits/agnd")
    assert "digits/mlp" in str(caught.value)
    assert "cora/" not in str(caught.value)
    with pytest.raises(ValueError, match="agdn list recipes shows them all"):
        read_recipe("digit/agdn")


def test_a_stored_dataset_has_a_recipe(tmp_path: Path) -> None:
    folder = import_small(tmp_path)
    config = read_recipe(folder, ["training.epochs=2", "threads=1"])
    assert (config.name, config.data.name, config.model["hops"]) == ("stored", str(folder), 4)
    (result,) = run_all([config], out=tmp_path / "runs", jobs=1, progress=False)
    assert result.runs[0].dataset["nodes"] == 60
    mine = tmp_path / "deeper.yaml"
    mine.write_text("extends: stored\nmodel: {hops: 7}\n")
    deeper = read_recipe(mine)
    assert (deeper.name, deeper.data.name, deeper.model["hops"]) == ("deeper", str(folder), 7)


def test_recipes_are_plain_yaml() -> None:
    config = read_recipe("ogbn-arxiv/agdn")
    assert config.model["hidden_channels"] == 256
    assert config.training.select == "loss"
    assert yaml_text.parse(yaml_text.write(config.model_dump(mode="json")), "config")["published"]["test"] == 73.41
