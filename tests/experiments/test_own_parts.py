"""Parts of the user's own in recipes: the environment names their module, here and in the processes of seeds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agdn.experiments.own_parts import import_own_parts
from agdn.experiments.run import run_all
from agdn.nn import WEIGHTINGS
from small_runs import small

MODULE = """
from torch import nn
from agdn.nn import WEIGHTINGS

class Last(nn.Module):
    def __init__(self, *, factor: float = 1.0) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, hops):
        return self.factor * hops[-1]

WEIGHTINGS["last"] = Last
"""


@pytest.fixture
def _own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "last_hop.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("AGDN_IMPORT", "last_hop")
    monkeypatch.setitem(WEIGHTINGS, "last", WEIGHTINGS["HA"])  # what the import puts there is taken away again
    import_own_parts()
    yield
    del sys.modules["last_hop"]


@pytest.mark.usefixtures("_own_module")
def test_seeds_in_processes_of_their_own_know_it(tmp_path: Path) -> None:
    config = small("model.weighting={name: last, factor: 0.5}", "training.epochs=1")
    (result,) = run_all([config], seeds=2, out=tmp_path / "runs", jobs=2, progress=False)
    assert [run.seed for run in result.runs] == [0, 1]


@pytest.mark.usefixtures("_own_module")
def test_its_options_are_checked() -> None:
    with pytest.raises(ValueError, match=r"'model\.weighting\.facter': did you mean 'model\.weighting\.factor'"):
        small("model.weighting={name: last, facter: 0.5}")
    with pytest.raises(ValueError, match=r"model\.weighting\.factor: .* valid number"):
        small("model.weighting={name: last, factor: half}")


def test_a_module_that_is_not_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGDN_IMPORT", "no_such_module")
    with pytest.raises(ValueError, match="AGDN_IMPORT names the module 'no_such_module', but there is no module"):
        import_own_parts()
