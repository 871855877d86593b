import pytest
import torch
from pydantic import TypeAdapter, ValidationError
from torch import nn

from agdn.training.optimizers import OPTIMIZERS, OptimizerOptions

ADAPTER = TypeAdapter(OptimizerOptions)
TORCH = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "rmsprop": torch.optim.RMSprop, "sgd": torch.optim.SGD}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_defaults_are_torchs_except_rate_and_decay(name: str) -> None:
    parameters = [nn.Parameter(torch.zeros(2))]
    ours = ADAPTER.validate_python({"name": name}).build(parameters)
    theirs = TORCH[name](parameters, lr=0.01, weight_decay=0.0)
    assert type(ours) is TORCH[name]
    assert ours.defaults == theirs.defaults


def test_every_option_arrives() -> None:
    parameters = [nn.Parameter(torch.zeros(2))]
    options = {
        "adam": {"betas": (0.8, 0.9), "eps": 1e-6},
        "adamw": {"betas": (0.8, 0.9), "eps": 1e-6},
        "rmsprop": {"alpha": 0.9, "eps": 1e-6, "momentum": 0.5},
        "sgd": {"momentum": 0.5, "nesterov": True},
    }
    for name, given in options.items():
        given = {"lr": 0.3, "weight_decay": 0.1, **given}
        built = ADAPTER.validate_python({"name": name, **given}).build(parameters)
        assert {key: built.defaults[key] for key in given} == given


@pytest.mark.parametrize(
    "wrong",
    [{"name": "lion"}, {"name": "adam", "lr": -1}, {"name": "sgd", "beta": 1}, {"name": "adam", "betas": [1, 2]}],
)
def test_wrong_options(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(wrong)
