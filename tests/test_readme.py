"""What the README shows works as it stands."""

import re

from markdown_pages import ROOT, blocks

README = ROOT / "README.md"


def test_python_blocks_run_in_order() -> None:
    python = [block.text for block in blocks(README) if block.language == "python" and "my/data" not in block.text]
    assert len(python) == 3
    names: dict[str, object] = {}
    for text in python:
        exec(compile(text, "README.md", "exec"), names)
    assert names["weights"].transition.shape == (400, 4)
    assert names["weights"].hops.shape == (100, 4, 4, 1)
    assert names["model"].score(names["X"], names["y"]) > 0.8


def test_every_command_exists() -> None:
    from agdn.cli import COMMANDS

    commands = set(re.findall(r"^agdn (\w+)", README.read_text(), re.MULTILINE))
    assert commands
    assert commands <= set(COMMANDS)
