"""Colours that can be read: the ratios that WCAG 2 asks for at level AA."""

from __future__ import annotations

import re
from importlib import resources

import pytest

STYLE = "".join(
    (resources.files("agdn.report") / name).read_text(encoding="utf-8") for name in ("charts.css", "page.css")
)
TEXT, SHAPES = 4.5, 3.0


def variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))


LIGHT, DARK = (variables(block) for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL))


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_shapes_stand_out(colours: dict[str, str]) -> None:
    assert len(colours) == 31
    for ground in ("bg", "card"):
        for name in ("text", "muted", "link"):
            assert contrast(colours[name], colours[ground]) >= TEXT, (name, ground)
        for name in ("line", *(f"s{index}" for index in range(8))):
            assert contrast(colours[name], colours[ground]) >= SHAPES, (name, ground)
    for shade in range(8):
        assert contrast(colours[f"on{shade}"], colours[f"q{shade}"]) >= TEXT, shade
        node = contrast(colours["card"], colours[f"s{shade}"])  # a class written in a node of its colour
        assert node >= TEXT, shade


def test_the_dark_is_for_screens_alone() -> None:
    assert "@media screen and (prefers-color-scheme: dark)" in STYLE
    assert "@media print" in STYLE
