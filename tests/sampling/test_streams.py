from agdn.sampling.streams import EachEpoch, derived


def test_every_path_has_a_seed_of_its_own() -> None:
    paths = [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (0, 0, 0), (2**40,)]
    found = {derived(seed, *path) for seed in range(50) for path in paths if path}
    assert len(found) == 50 * (len(paths) - 1)
    assert all(0 <= value < 2**63 for value in found)
    assert derived(3, 1, 2) == derived(3, 1, 2)


def test_the_last_epoch_is_kept() -> None:
    drawn: list[int] = []
    each = EachEpoch(lambda epoch: drawn.append(epoch) or 10 * epoch)
    assert [each(1), each(1), each(2), each(1)] == [10, 10, 20, 10]
    assert drawn == [1, 2, 1]
