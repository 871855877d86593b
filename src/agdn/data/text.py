"""Texts and ranked guesses about the nodes of a published set -> node features, by the encoders that tables use.

Such texts are no part of the set itself: the features carry a note that every result made with them must repeat.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from agdn.data.errors import DataError
from agdn.data.feature_file import write_features
from agdn.data.lock_file import sha256
from agdn.data.tables.roles import ColumnRole, Role
from agdn.data.tables.table_file import ColumnTable
from agdn.data.tables.transforms import Widths, fit

Part = Literal["text", "guesses"]
ROLES: dict[Part, Role] = {"text": "text", "guesses": "ranked"}
FORMAT_VERSION = 1


@dataclass(frozen=True)
class TextSource:
    """Where the texts about a set lie under the data folder, and how many nodes they must cover."""

    folder: str
    files: dict[Part, str]
    num_nodes: int
    origin: str

    @property
    def note(self) -> str:
        return f"Uses external data: {self.origin}."

    def file(self, root: Path | str, part: Part) -> Path:
        return Path(root) / self.folder / self.files[part]


SOURCES = {
    "ogbn-arxiv": TextSource(
        folder="ogbn_arxiv/text",
        files={"text": "gpt_text_ogbn-arxiv.jsonl.xz", "guesses": "gpt_preds_ogbn-arxiv.csv"},
        num_nodes=169_343,
        origin="a language model's answers about each paper (TAPE)",
    )
}


@dataclass(frozen=True)
class ExternalFeatures:
    """(N, width) float32 with the settings that made them."""

    x: np.ndarray
    settings: dict[str, Any]

    def save(self, path: Path) -> Path:
        """Write ``path`` (.npy) and its settings beside it (.json), whose path is returned."""
        return write_features(path, self.x, self.settings)


def text_features(
    name: str, root: Path | str, *, parts: Sequence[Part] = ("text", "guesses"), width: int = 128, seed: int = 0
) -> ExternalFeatures:
    """Features of every node of a set from the texts about it: ``width`` of the text, one a class that was guessed."""
    if name not in SOURCES:
        raise DataError(f"there are no texts about {name!r}; they are known for {', '.join(SOURCES)}")
    if not parts or any(part not in ROLES for part in parts):
        raise DataError(f"parts must be some of {', '.join(ROLES)}, got {', '.join(parts) or 'none'}")
    source = SOURCES[name]
    files = {part: source.file(root, part) for part in dict.fromkeys(parts)}
    columns: dict[str, list[str]] = {part: _READERS[part](path, source.num_nodes) for part, path in files.items()}
    transforms, x = fit(
        ColumnTable(columns, name),
        [ColumnRole(part, ROLES[part], "a text about the nodes") for part in files],
        scale_rows=None,
        vocabulary_rows=None,
        widths=Widths(text=width),
        seed=seed,
        missing=("",),
    )
    settings = {
        "format_version": FORMAT_VERSION,
        "dataset": name,
        "shape": list(x.shape),
        "columns": {part: encoder.width for part, encoder in transforms.columns.items()},
        "seed": seed,
        "sha256": {path.name: sha256(path) for path in files.values()},
        "note": source.note,
    }
    return ExternalFeatures(x, settings)


def read_texts(path: Path, num_nodes: int) -> list[str]:
    """``{"node": 3, "text": "..."}`` a line, in any order; every node once."""
    texts: list[str | None] = [None] * num_nodes
    for number, line in enumerate(_lines(path), 1):
        try:
            record = json.loads(line)
            node, text = record["node"], record["text"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise DataError(f'{path}, line {number} is not {{"node": ..., "text": ...}} in JSON') from None
        if type(node) is not int or not isinstance(text, str) or not 0 <= node < num_nodes:
            raise DataError(f"{path}, line {number}: node must be one of 0..{num_nodes - 1} and text a string")
        if texts[node] is not None:
            raise DataError(f"{path}, line {number} repeats node {node}")
        texts[node] = text
    known = [text for text in texts if text is not None]
    if len(known) < num_nodes:
        raise DataError(f"{path} has no line for node {texts.index(None)}; all {num_nodes} nodes need one")
    return known


def read_guesses(path: Path, num_nodes: int) -> list[str]:
    """One line a node, in order: class numbers, best guess first, separated by commas."""
    guesses = [line.strip() for line in _lines(path)]
    if len(guesses) != num_nodes:
        raise DataError(f"{path} has {len(guesses)} lines, but there are {num_nodes} nodes")
    for number, line in enumerate(guesses, 1):
        if not line.replace(",", "").isdecimal() and line:
            raise DataError(f"{path}, line {number} is {line[:40]!r}; class numbers separated by commas are needed")
    return guesses


_READERS = {"text": read_texts, "guesses": read_guesses}


def _lines(path: Path) -> list[str]:
    try:
        with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as file:
            return file.read().splitlines() if path.suffix == ".csv" else list(file)
    except FileNotFoundError:
        raise DataError(f"{path} is missing; put the file there or give another data folder") from None
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read to its end: {error}") from None
