from pathlib import Path

import pytest

from agdn.bench import comparisons
from agdn.bench.comparisons import COMPARISONS, check_answers, run
from agdn.bench.peers import products, tasks
from agdn.bench.rounds import Effort
from agdn.bench.rows import Row
from agdn.bench.setting import DGL, DGL_AS_IT_COMES, TORCH_PATH, Setting

PARTS = [(name, part) for name, parts in COMPARISONS.items() for part in parts]


@pytest.mark.parametrize(("name", "part"), PARTS)
@pytest.mark.parametrize("dgl_python", [None, Path("python")])
def test_sections_hold_together(name: str, part: str, dgl_python: Path | None, tmp_path: Path) -> None:
    """Whatever a row is compared with is measured in the same section, and every task is one that a program knows."""
    setting = Setting(threads=2, scale=0.0005, dgl_python=dgl_python)
    titles = set()
    for section in COMPARISONS[name][part](setting, tmp_path):
        names = [system.name for system in section.systems]
        assert len(names) == len(set(names)) > 0
        assert {system.reference for system in section.systems} - {None} <= set(names)
        for rest in section.remainders:
            assert {rest.whole, rest.part, rest.reference} <= set(names)
        for system in section.systems:
            assert system.spec["task"] in (products.TASKS if system.peer == "products" else tasks.TASKS)
            assert "threads" in system.spec
        titles.add(section.title)
    assert titles


def test_the_opponent_is_dgl_where_it_is_there() -> None:
    assert Setting().opponent == TORCH_PATH
    setting = Setting(dgl_python=Path("python"))
    assert setting.opponent == DGL
    *_, warm, cold = setting.systems({"task": "layer"}, ("inference",))
    assert (warm.name, warm.keeps_memory) == (DGL, True)
    assert (cold.name, cold.keeps_memory) == (DGL_AS_IT_COMES, False)
    assert DGL not in [system.name for system in Setting().systems({"task": "layer"}, ("inference",))]


def test_a_filter_that_leaves_nothing_lists_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparisons, "rows_of", lambda *_: pytest.fail("nothing is to be measured"))
    with pytest.raises(ValueError, match=r"--only tensorflow .*agdn, torch path"):
        list(run("layer", Setting(scale=0.0005), Effort(), parts=["ddi"], only=["tensorflow"]))


@pytest.mark.parametrize("difference", [0.1, float("nan"), float("inf")])
def test_systems_that_compute_something_else_are_refused(difference: float) -> None:
    good = Row("section", "agdn", "epoch", 1.0, 1, difference=1e-6)
    check_answers([good, Row("section", "plain", "epoch", 1.0, 1)])
    with pytest.raises(ValueError, match="DGL computes something else"):
        check_answers([good, Row("section", "DGL", "epoch", 1.0, 1, difference=difference)])
