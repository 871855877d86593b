"""What ``dataset.json`` says about a stored dataset: a strict record, checked before any array is opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

from agdn.data.dataset import Target
from agdn.data.errors import DataError

FORMAT = "agdn-dataset"
FORMAT_VERSION = 1
FILE_NAME = "dataset.json"


class ArrayRecord(BaseModel):
    """The dtype and shape that the .npy file of the same name must have."""

    model_config = ConfigDict(extra="forbid")

    dtype: str
    shape: tuple[NonNegativeInt, ...]


class GraphRecord(BaseModel):
    model_config = ConfigDict(extra="forbid")

    num_src: NonNegativeInt
    num_dst: NonNegativeInt
    bipartite: bool


class SplitRecord(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["node", "edge"]
    negatives_per_edge: NonNegativeInt | None = None


class Manifest(BaseModel):
    """Everything of a Dataset that is not an array, and the arrays that must be there."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["agdn-dataset"]
    format_version: Literal[1]
    key: str
    name: str
    target: Target
    metric: str
    graph: GraphRecord
    splits: tuple[SplitRecord, ...]
    class_names: tuple[str, ...] | None
    extra: tuple[str, ...]
    notes: tuple[str, ...]
    folder: str = Field(pattern=r"^arrays-[0-9a-f]+$")
    arrays: dict[Annotated[str, Field(pattern=r"^[a-z0-9_.]+$")], ArrayRecord]


def read_manifest(folder: Path) -> Manifest:
    """The checked manifest of a stored dataset; DataError where there is none or it does not fit."""
    path = folder / FILE_NAME
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{folder} holds no stored dataset: there is no {FILE_NAME} in it") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    try:
        return Manifest.model_validate_json(content)
    except ValidationError as error:
        raise DataError(_sentence(path, error)) from None


def is_manifest(path: Path) -> bool:
    """Whether a file is a dataset.json of this project, of whatever version."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT


def _sentence(path: Path, error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if where == "format_version":
        return (
            f"{path} has format_version {first['input']!r}, but this release reads {FORMAT_VERSION}; "
            "store the dataset again with this release"
        )
    return f"{path} is damaged{f' at {where!r}' if where else ''}: {first['msg']}; store the dataset again"
