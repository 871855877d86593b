"""--set is told apart: settings of the study, keys of recipes, and neither."""

from __future__ import annotations

import re

import pytest

from agdn.studies.registry import study_named
from agdn.studies.settings import divided

STUDY = study_named("oversmoothing")


def test_own_settings_and_keys_of_recipes() -> None:
    settings, changes = divided(STUDY, ["hops=[1,4]", "training.epochs=3", "residual=[true]", "data.features=x.npy"])
    assert settings.model_dump()["hops"] == (1, 4)
    assert settings.model_dump()["residual"] == (True,)
    assert changes == ["training.epochs=3", "data.features=x.npy"]


@pytest.mark.parametrize(
    ("assignment", "sentence"),
    [
        ("hop=[1]", "unknown setting of the study oversmoothing 'hop': did you mean 'hops'"),
        ("name=x", "unknown setting of the study oversmoothing 'name'"),
        ("hops=[0]", "--set hops: input should be greater than 0, got 0"),
        ("bases=[gta]", "--set bases: input should be"),
        ("hops", "is not of the form"),
        ("model.norm=layer", "of model.* only hidden_channels, dropout, input_dropout count, not model.norm"),
        ("model=GCN", "not model.name"),
    ],
)
def test_mistakes_are_one_sentence(assignment: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        divided(STUDY, [assignment])
