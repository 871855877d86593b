"""``--set`` of a study: its own settings, or keys of every recipe in it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import ValidationError

from agdn.experiments.config import Config
from agdn.experiments.overrides import parsed
from agdn.experiments.section import Section
from agdn.part import unknown_name
from agdn.studies.study import Study

NOT_OF_A_STUDY = ("format_version", "name", "description", "published")


def divided(study: Study, assignments: Sequence[str]) -> tuple[Section, list[str]]:
    """The study's settings, and the assignments that are for recipes."""
    own: dict[str, object] = {}
    changes: list[str] = []
    fields = [key for key in Config.model_fields if key not in NOT_OF_A_STUDY]
    for assignment in assignments:
        content = parsed(assignment)
        key = next(iter(content))
        if key in study.settings.model_fields:
            own |= content
        elif key in fields:
            changes.append(assignment)
        else:
            choices = [*study.settings.model_fields, *fields]
            raise ValueError(unknown_name(f"setting of the study {study.name}", key, choices))
    try:
        return study.settings.model_validate_json(json.dumps(own), strict=True), changes
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"][:1])
        said = first["msg"][0].lower() + first["msg"][1:]
        raise ValueError(f"the study {study.name}, --set {key}: {said}, got {first['input']!r}") from None
