import numpy as np
import pytest

from agdn.estimators.held_out import hold_out


def test_every_class_gives_its_share_and_keeps_a_node() -> None:
    ids = np.arange(100, 165)
    classes = np.repeat([0, 1, 2], [40, 20, 5])
    train, held = hold_out(ids, classes, 0.1, seed=0)
    assert sorted([*train, *held]) == ids.tolist()
    assert np.bincount(classes[held - 100]).tolist() == [4, 2]
    assert set(classes[train - 100]) == {0, 1, 2}
    assert np.array_equal(hold_out(ids, classes, 0.1, seed=0)[1], held)
    assert not np.array_equal(hold_out(ids, classes, 0.1, seed=1)[1], held)


@pytest.mark.parametrize(
    ("count", "classes", "fraction", "held"),
    [(8, None, 0.25, 2), (3, None, 0.1, 1), (3, [0, 1, 1], 0.1, 1), (2, [0, 1], 0.1, 2), (9, None, 0.0, 9)],
)
def test_few_labels(count: int, classes: list[int] | None, fraction: float, held: int) -> None:
    """One is held out where one can be spared; where none can, all serve both ends."""
    ids = np.arange(count)
    train, valid = hold_out(ids, None if classes is None else np.array(classes), fraction, seed=0)
    assert len(valid) == held
    assert len(train) == (count if held == count else count - held)
    if classes is not None:
        assert set(np.array(classes)[train]) == set(classes)
