import pytest
from pydantic import ValidationError

from agdn.training.settings import Settings


def test_json_and_back() -> None:
    settings = Settings.model_validate(
        {
            "optimizer": {"name": "rmsprop"},
            "schedule": {"name": "plateau", "between": "zero"},
            "clip_parts": ["encoder"],
        }
    )
    assert Settings.model_validate_json(settings.model_dump_json()) == settings


def test_which_epochs_are_evaluated() -> None:
    settings = Settings(epochs=13, evaluate_every=5, evaluate_from=6)
    assert [epoch for epoch in range(1, 14) if settings.evaluates(epoch)] == [10, 13]


@pytest.mark.parametrize(
    "wrong",
    [
        {"epochs": -5},
        {"epoch": 5},
        {"select": "luck"},
        {"ema_decay": 1.0},
        {"clip_norm": 0},
        {"patience": 0},
        {"precision": "fp8"},
        {"schedule": {"name": "plateau", "factor": 2}},
    ],
)
def test_wrong_settings(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate(wrong)


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError):
        Settings().epochs = 3  # type: ignore[misc]
