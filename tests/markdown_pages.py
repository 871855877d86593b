"""The code in a page of documentation, and a way to run all of it as a reader would."""

from __future__ import annotations

import re
import runpy
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agdn.cli import main

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """``file`` is what a reader is told to save the block as."""

    language: str
    file: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in FENCE.findall(page.read_text(encoding="utf-8"))]


def run_page(page: Path, monkeypatch: pytest.MonkeyPatch, smaller: Mapping[str, str]) -> dict[str, Any]:
    """Run every block in order, in the working folder, and give back the names that the Python blocks leave.

    ``smaller`` says what is put in place of words in commands, so that they end within seconds; each must occur.
    """
    used: set[str] = set()
    names: dict[str, Any] = {}
    for block in blocks(page):
        if block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            text = _replaced(block.text, smaller, used)
            exec(compile(text, str(page), "exec"), names)
        elif block.language == "sh":
            for line in block.text.splitlines():
                _run(_replaced(line, smaller, used), monkeypatch)
        else:
            assert block.language == "text", f"{page.name}: {block.language!r} is neither run nor plain text"
    assert used == set(smaller)
    return names


def _replaced(text: str, smaller: Mapping[str, str], used: set[str]) -> str:
    for words, instead in smaller.items():
        if words in text:
            used.add(words)
            text = text.replace(words, instead)
    return text


def _run(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One command in this process; one whose comment says ``fails`` must fail."""
    expected = 2 if line.endswith("# fails") else 0
    words = shlex.split(line, comments=True)
    with monkeypatch.context() as within:
        while "=" in words[0]:
            name, value = words.pop(0).split("=", 1)
            within.setenv(name, value)
            if name == "PYTHONPATH":
                within.syspath_prepend(value)
        program, *arguments = words
        within.setattr(sys, "argv", words)
        try:
            if program == "agdn":
                main()
            else:
                assert program == "python", f"{line!r} is neither agdn nor python"
                within.setattr(sys, "argv", arguments)
                runpy.run_path(str(ROOT / arguments[0]), run_name="__main__")
            code = 0
        except SystemExit as ended:
            code = ended.code
    assert code == expected, line
