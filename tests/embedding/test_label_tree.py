import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.embedding.label_tree import balanced_tree


@settings(max_examples=40, deadline=None)
@given(count=st.integers(2, 300), fanout=st.sampled_from([2, 4, 16]), seed=st.integers(0, 5))
def test_every_label_is_one_leaf_and_clusters_are_of_one_size(count: int, fanout: int, seed: int) -> None:
    features = torch.randn(count, 5, generator=torch.Generator().manual_seed(seed))
    tree = balanced_tree(features, fanout=fanout, seed=seed)
    assert tree.order.sort().values.tolist() == list(range(count))
    assert tree.bounds[0].tolist() == [0, count]
    assert tree.sizes[-1] == count
    for level, bounds in enumerate(tree.bounds):
        sizes = bounds.diff()
        assert int(sizes.sum()) == count
        assert int(sizes.max() - sizes.min()) <= 1
        assert tree.clusters(level).bincount(minlength=len(sizes)).tolist() == sizes.tolist()


@pytest.mark.parametrize(
    ("count", "sizes"), [(4096, (16, 256, 4096)), (169_343 // 16, (64, 1024, 10_583)), (20, (20,))]
)
def test_levels_follow_from_the_fanout(count: int, sizes: tuple[int, ...]) -> None:
    assert balanced_tree(torch.randn(count, 3)).sizes == sizes


def test_children_lie_within_their_cluster() -> None:
    tree = balanced_tree(torch.randn(300, 4), fanout=4)
    assert len(tree.sizes) > 2
    for level in range(1, len(tree.bounds)):
        above, own, children = tree.clusters(level - 1), tree.clusters(level), tree.children(level)
        assert int(children[-1]) == tree.sizes[level - 1]
        assert (children[above.long()] <= own).all()
        assert (own < children[above.long() + 1]).all()
        assert int(children.diff().max()) <= (4 if level > 1 else 16)


def test_labels_that_are_alike_are_close() -> None:
    """Eight well apart groups of eight: each is one cluster."""
    group = torch.arange(64) % 8
    features = torch.eye(8)[group] + 0.05 * torch.randn(64, 8)
    clusters = balanced_tree(features, fanout=8).clusters(1)
    assert all(len(clusters[group == one].unique()) == 1 for one in range(8))


def test_a_seed_fixes_the_tree() -> None:
    features = torch.randn(200, 4)
    first = balanced_tree(features, seed=3)
    assert torch.equal(first.order, balanced_tree(features, seed=3).order)
    assert not torch.equal(first.order, balanced_tree(features, seed=4).order)


@pytest.mark.parametrize("fanout", [0, 1, 12])
def test_the_fanout_is_a_power_of_two(fanout: int) -> None:
    with pytest.raises(ValueError, match=f"fanout must be a power of two from 2 on, got {fanout}"):
        balanced_tree(torch.randn(8, 2), fanout=fanout)
