from pathlib import Path

import numpy as np
import pytest

from agdn.bench import baselines
from agdn.bench.peers import baselines_on_pyg, ours, tasks
from agdn.bench.setting import Setting


@pytest.mark.parametrize("part", baselines.PARTS)
def test_pyg_computes_the_same(part: str, tmp_path: Path) -> None:
    peers = {"ours": ours, "baselines_on_pyg": baselines_on_pyg}
    setting = Setting(threads=1, scale=0.002)
    for number, section in enumerate(baselines.PARTS[part](setting, tmp_path)):
        first, *others = [tasks.build(peers[s.peer], dict(s.spec)).answers() for s in section.systems]
        assert first
        for other in others:
            for name, expected in first.items():
                np.testing.assert_allclose(other[name], expected, rtol=1e-3, atol=1e-4, err_msg=f"{number}: {name}")
