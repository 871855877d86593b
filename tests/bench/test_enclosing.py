from pathlib import Path

import numpy as np
import pytest

from agdn.bench import enclosing
from agdn.bench.peers import on_pyg, ours, tasks
from agdn.bench.setting import Setting


@pytest.mark.parametrize("part", enclosing.PARTS)
def test_pyg_cuts_the_same(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosing, "AIRPORTS", 40)
    monkeypatch.setattr(enclosing, "ARXIV", 10)
    scale = 1.0 if part == "airports" else 0.01
    for section in enclosing.PARTS[part](Setting(threads=1, scale=scale), tmp_path):
        specs = {system.peer: dict(system.spec) for system in section.systems}
        found = tasks.build(ours, specs["ours"]).answers()["sizes"]
        np.testing.assert_array_equal(found, tasks.build(on_pyg, specs["on_pyg"]).answers()["sizes"])
        assert found.min() > 0 or part == "arxiv"
