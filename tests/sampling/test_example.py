import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "sampled_loop.py"


def test_the_example_learns(capsys) -> None:
    names = runpy.run_path(str(EXAMPLE))
    assert names["accuracy"] > 0.75  # an untrained model has 0.1
    assert "test accuracy" in capsys.readouterr().out
