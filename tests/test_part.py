from functools import partial

import pytest

from agdn.part import build, unknown_name


class Cup:
    def __init__(self, size: int, *, colour: str = "white") -> None:
        self.size, self.colour = size, colour


CUPS = {"cup": Cup, "mug": partial(Cup, colour="blue")}


def test_name_mapping_constructor_and_object() -> None:
    assert build("cup", CUPS, "cup", size=3, height=9).size == 3
    assert build("cup", CUPS, {"name": "cup", "colour": "red"}, size=3).colour == "red"
    assert build("cup", CUPS, "mug", size=3).colour == "blue"
    assert build("cup", CUPS, Cup, size=4).size == 4
    assert build("cup", CUPS, partial(Cup, colour="black"), size=4).colour == "black"
    made = Cup(5)
    assert build("cup", CUPS, made, size=4) is made


def test_misspelt_names_and_options_list_the_right_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown cup 'cpu': did you mean 'cup'\? choose from cup, mug"):
        build("cup", CUPS, "cpu", size=1)
    with pytest.raises(ValueError, match="unknown option of Cup 'color': did you mean 'colour'"):
        build("cup", CUPS, {"name": "cup", "color": "red"}, size=1)
    with pytest.raises(ValueError, match='needs a "name", one of cup, mug'):
        build("cup", CUPS, {"colour": "red"}, size=1)
    assert unknown_name("thing", "zebra", ["HA"]) == "unknown thing 'zebra': choose from HA"


def test_of_equally_close_names_the_one_that_begins_alike():
    assert "did you mean 'GCN'?" in unknown_name("model", "GNC", ["GCN", "SGC"])
    assert "did you mean 'SGC'?" in unknown_name("model", "SCG", ["GCN", "SGC"])
