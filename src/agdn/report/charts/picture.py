"""A small picture, a square a pixel."""

from __future__ import annotations

import numpy as np

from agdn.report.markup import Markup, tag

SHADES = 16


def picture(label: str, image: np.ndarray) -> Markup:
    """``image`` (height, width) in 0..1: black ink on white, in the dark too, as it was drawn."""
    height, width = image.shape
    ink = np.clip(np.rint(image * SHADES), 0, SHADES).astype(int)
    paths = []
    for shade in range(1, SHADES + 1):
        squares = "".join(f"M{column} {row}h1v1h-1z" for row, column in np.argwhere(ink == shade))
        if squares:
            grey = 255 - round(255 * shade / SHADES)
            paths.append(tag("path", d=squares, fill=f"#{grey:02x}{grey:02x}{grey:02x}"))
    return tag(
        "svg",
        tag("rect", width=width, height=height, fill="#ffffff"),
        paths,
        class_="picture",
        viewBox=f"0 0 {width} {height}",
        shape_rendering="crispEdges",
        role="img",
        aria_label=label,
    )
