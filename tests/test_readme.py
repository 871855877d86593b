"""What the README shows works as it stands."""

import re
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_python_blocks_run_in_order() -> None:
    blocks = [block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "my/data" not in block]
    assert len(blocks) == 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert names["weights"].transition.shape == (400, 4)
    assert names["weights"].hops.shape == (100, 4, 4, 1)
    assert names["model"].score(names["X"], names["y"]) > 0.8


def test_every_command_exists() -> None:
    from agdn.cli import COMMANDS

    commands = set(re.findall(r"^agdn (\w+)", README, re.MULTILINE))
    assert commands
    assert commands <= set(COMMANDS)
