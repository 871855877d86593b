import os

import pytest

from agdn.bench import machine


@pytest.mark.parametrize(("text", "size"), [("1000", 1000), ("2G", 2 << 30), ("1.5m", 3 << 19), ("64K", 1 << 16)])
def test_sizes(text: str, size: int) -> None:
    assert machine.memory_size(text) == size


def test_a_share_is_of_the_memory_of_the_machine() -> None:
    assert machine.memory_size("50%") == machine.total_memory() // 2


@pytest.mark.parametrize("text", ["", "G", "-1G", "0", "20X", "nan", "inf", "a lot", "%"])
def test_what_is_no_size_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="20G"):
        machine.memory_size(text)


def test_address_space() -> None:
    assert machine.address_space(os.getpid()) > 10_000_000
    assert machine.address_space(2**22 + 1) == 0  # above the largest process id there can be


def test_the_description_names_date_processor_and_versions() -> None:
    facts = machine.describe()
    assert {"date", "processor", "cores", "memory", "torch", "numba"} <= facts.keys()
    assert all(facts.values())
