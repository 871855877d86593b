"""The studies by name; a module is imported when its study is asked for."""

from __future__ import annotations

import importlib

from agdn.part import unknown_name
from agdn.studies.study import Study

STUDIES: dict[str, str] = {
    "oversmoothing": "agdn.studies.oversmoothing",
    "ablation": "agdn.studies.ablation",
    "hops": "agdn.studies.hops",
    "spectrum": "agdn.studies.spectrum",
    "runtime": "agdn.studies.runtime",
    "depth": "agdn.studies.depth",
}


def study_named(name: str) -> Study:
    if name not in STUDIES:
        raise ValueError(unknown_name("study", name, list(STUDIES)))
    study: Study = importlib.import_module(STUDIES[name]).STUDY
    return study
