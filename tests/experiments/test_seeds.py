import pytest

from agdn.experiments.seeds import chosen_seeds, parse_seeds


def test_ranges_and_lists() -> None:
    assert parse_seeds("0") == (0,)
    assert parse_seeds("0-3") == (0, 1, 2, 3)
    assert parse_seeds("5, 0-1,1") == (5, 0, 1)


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "3-1", "0-99999999", "1.5", "0..3"])
def test_what_is_no_list_is_one_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="--seeds"):
        parse_seeds(text)


def test_a_number_or_a_list() -> None:
    assert chosen_seeds(3) == (0, 1, 2)
    assert chosen_seeds([7, 2, 7]) == (7, 2)
    for wrong in (0, [], [-1], [2**32], ["1"]):
        with pytest.raises(ValueError, match="seeds must be"):
            chosen_seeds(wrong)  # type: ignore[arg-type]
