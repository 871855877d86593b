"""A table of shares as shades, small enough for many classes: one path a shade, values told on hover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agdn.report.charts.frame import WIDTH, chart
from agdn.report.markup import Markup, tag
from agdn.report.rounding import coordinate

SHADES = 8
LABELLED = 14  # rows and columns up to which each has its name and each cell its text; beyond, a number
NAME_WIDTH, CHARACTER = 92.0, 6.4


@dataclass(frozen=True)
class Matrix:
    """Rows and columns with names; ``shares`` 0..1 or NaN give the shade, ``cells`` the text of a cell.

    Attributes:
        key: Leads from the drawing to the texts that a hover tells.
    """

    key: str
    title: str
    row_axis: str
    column_axis: str
    rows: Sequence[str]
    columns: Sequence[str]
    shares: np.ndarray
    cells: Sequence[Sequence[str]]

    @property
    def left(self) -> float:
        longest = max((len(name) for name in self._row_names()), default=1)
        return 18 + min(NAME_WIDTH, CHARACTER * longest + 6)

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height."""
        width = min((WIDTH - self.left - 4) / len(self.columns), 44.0)
        return width, max(min(width, 26.0), 20.0) if len(self.rows) <= LABELLED else width

    def svg(self) -> Markup:
        width, height = self.cell
        top = 34.0
        shades: list[list[str]] = [[] for _ in range(SHADES)]
        texts = []
        for (row, column), share in np.ndenumerate(self.shares):
            x, y = self.left + column * width, top + row * height
            shade = min(int(share * SHADES), SHADES - 1) if np.isfinite(share) else 0
            shades[shade].append(f"M{coordinate(x)} {coordinate(y)}h{width:.2f}v{height:.2f}h{-width:.2f}z")
            text = self.cells[row][column]
            text = text[1:] if text.startswith("0.") else text
            if len(self.columns) <= LABELLED and len(self.rows) <= LABELLED and len(text) * CHARACTER < width:
                texts.append(tag("text", text, class_=f"cell on{shade}", x=x + width / 2, y=y + height / 2 + 4))
        total = top + len(self.rows) * height + 4
        return chart(
            f"{self.title}. Rows: {self.row_axis}; columns: {self.column_axis}.",
            [tag("path", class_=f"q{shade}", d="".join(paths)) for shade, paths in enumerate(shades) if paths],
            texts,
            self._names(top),
            tag("rect", class_="cursor", width=width, height=height, visibility="hidden"),
            height=total,
            focusable=True,
            matrix=self.key,
        )

    def data(self) -> dict[str, Any]:
        """Names, texts and the grid that they lie on."""
        width, height = self.cell
        return {
            "grid": [self.left, 34.0, round(width, 3), round(height, 3)],
            "axes": [self.row_axis, self.column_axis],
            "rows": list(self.rows),
            "columns": list(self.columns),
            "cells": [list(row) for row in self.cells],
        }

    def _row_names(self) -> list[str]:
        if len(self.rows) > LABELLED:
            return [str(index) for index in range(len(self.rows))]
        return [name if len(name) <= 14 else f"{name[:13]}…" for name in self.rows]

    def _column_names(self) -> list[str]:
        return (
            [str(index) for index in range(len(self.columns))] if len(self.columns) > LABELLED else list(self.columns)
        )

    def _names(self, top: float) -> Markup:
        width, height = self.cell
        every_row, every_column = (
            1 if len(names) <= LABELLED else 5 if len(names) <= 60 else 10 for names in (self.rows, self.columns)
        )
        rows = [
            tag("text", name, class_="tick", x=self.left - 5, y=top + (index + 0.5) * height + 4, text_anchor="end")
            for index, name in enumerate(self._row_names())
            if index % every_row == 0
        ]
        columns = [
            tag(
                "text",
                _fitting(name, width * every_column),
                class_="tick",
                x=self.left + (index + 0.5) * width,
                y=top - 5,
                text_anchor="middle",
            )
            for index, name in enumerate(self._column_names())
            if index % every_column == 0
        ]
        middle = top + len(self.rows) * height / 2
        return tag(
            "g",
            rows,
            columns,
            tag(
                "text",
                self.column_axis,
                class_="name",
                x=self.left + len(self.columns) * width,
                y=12,
                text_anchor="end",
            ),
            tag(
                "text",
                self.row_axis,
                class_="name",
                x=0,
                y=0,
                transform=f"translate(11 {middle:g}) rotate(-90)",
                text_anchor="middle",
            ),
        )


def _fitting(name: str, width: float) -> str:
    most = max(1, int(width / CHARACTER))
    return name if len(name) <= most else name[: max(1, most - 1)] + "…" if most > 2 else name[:most]
