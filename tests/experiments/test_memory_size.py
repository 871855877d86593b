import pytest

from agdn.experiments.memory_size import memory_size
from small_runs import small


@pytest.mark.parametrize(
    ("text", "size"),
    [("8GB", 8 * 10**9), ("1.5 gb", 1_500_000_000), ("500MB", 500_000_000), ("2GiB", 2**31), ("1000", 1000), (7, 7)],
)
def test_amounts(text: str | int, size: int) -> None:
    assert memory_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "8 apples", "-1GB", "8GB8"])
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="such as 8GB"):
        memory_size(text)


def test_a_recipe_may_say_it() -> None:
    assert small("inference_memory=8GB").inference_memory == 8 * 10**9
    with pytest.raises(ValueError, match="inference_memory"):
        small("inference_memory=much")
