"""Every study of the table has all its parts."""

from __future__ import annotations

import pytest

from agdn.experiments.section import Section
from agdn.studies.registry import STUDIES, study_named

NAMES = list(STUDIES)


@pytest.mark.parametrize("name", NAMES)
def test_a_study_is_named_as_the_table_says_and_explains_its_settings(name: str) -> None:
    study = study_named(name)
    assert study.name == name
    assert study.summary.endswith(".")
    assert issubclass(study.settings, Section)
    study.settings()  # every setting has a default
    for field in study.settings.model_fields:
        assert f"{field}: " in (study.settings.__doc__ or ""), field


def test_an_unknown_study_is_one_sentence() -> None:
    with pytest.raises(ValueError, match="unknown study 'oversmooting': did you mean 'oversmoothing'"):
        study_named("oversmooting")
