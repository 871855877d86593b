import pytest
import torch
from pydantic import TypeAdapter, ValidationError
from torch import nn

from agdn.training.optimizers import OPTIMIZERS, OptimizerOptions

ADAPTER = TypeAdapter(OptimizerOptions)
TORCH = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "rmsprop": torch.optim.RMSprop, "sgd": torch.optim.SGD}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_defaults_are_torchs_except_rate_and_decay(name: str) -> None:
    model = nn.Linear(2, 2)
    ours = ADAPTER.validate_python({"name": name}).build(model)
    theirs = TORCH[name](model.parameters(), lr=0.01, weight_decay=0.0)
    assert type(ours) is TORCH[name]
    assert ours.defaults == theirs.defaults


def test_every_option_arrives() -> None:
    model = nn.Linear(2, 2)
    options = {
        "adam": {"betas": (0.8, 0.9), "eps": 1e-6},
        "adamw": {"betas": (0.8, 0.9), "eps": 1e-6},
        "rmsprop": {"alpha": 0.9, "eps": 1e-6, "momentum": 0.5},
        "sgd": {"momentum": 0.5, "nesterov": True},
    }
    for name, given in options.items():
        given = {"lr": 0.3, "weight_decay": 0.1, **given}
        built = ADAPTER.validate_python({"name": name, **given}).build(model)
        assert {key: built.defaults[key] for key in given} == given


@pytest.mark.parametrize(
    "wrong",
    [{"name": "lion"}, {"name": "adam", "lr": -1}, {"name": "sgd", "beta": 1}, {"name": "adam", "betas": [1, 2]}],
)
def test_wrong_options(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(wrong)


def test_parts_have_their_own_decay() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1)))
    options = {"name": "adam", "weight_decay": 0.1, "decay_parts": {"1.1": 0.0, "1": 0.5}}
    optimizer = ADAPTER.validate_python(options).build(model)
    decays = {parameter: group["weight_decay"] for group in optimizer.param_groups for parameter in group["params"]}
    found = {name: decays[parameter] for name, parameter in model.named_parameters()}
    assert found == {
        "0.weight": 0.1, "0.bias": 0.1, "1.0.weight": 0.5, "1.0.bias": 0.5, "1.1.weight": 0.0, "1.1.bias": 0.0
    }  # fmt: skip


def test_a_part_that_the_model_lacks_is_named() -> None:
    options = ADAPTER.validate_python({"name": "sgd", "decay_parts": {"encoder": 0.1}})
    with pytest.raises(ValueError, match=r"no part 'encoder'; it has 0"):
        options.build(nn.Sequential(nn.Linear(2, 3)))
