"""``--set`` of a study: its own settings, or keys of every recipe in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

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
            _check_model(study, content)
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


def _check_model(study: Study, content: Mapping[str, Any]) -> None:
    """What the study sets itself is not silently ignored."""
    model = content.get("model")
    if study.frame is None or model is None:
        return
    given = list(model) if isinstance(model, Mapping) else ["name"]
    for option in given:
        if option not in study.frame:
            counts = f"of model.* only {', '.join(study.frame)} count" if study.frame else "no model.* counts"
            raise ValueError(f"the study {study.name} builds its networks itself; {counts}, not model.{option}")
