"""Results side by side, for people."""

from __future__ import annotations

from collections.abc import Sequence

from agdn.experiments.result import SHARES, Part, Result, paired_difference, shown

Rows = list[tuple[str, ...]]


def results_table(results: Sequence[Result], *, hide_test: bool = False) -> tuple[tuple[str, ...], Rows]:
    """A header and a row a recipe; with several, how far each lies from the first on the same seeds.

    ``hide_test``: recipes are compared by their validation scores, and no test score is told.
    """
    part: Part = "valid" if hide_test else "test"
    several = any(paired_difference(results[0], result, part) is not None for result in results[1:])
    published = not hide_test and any(result.published for result in results)
    header = ("recipe", "metric", "seeds", "valid", *([] if hide_test else ["test"]))
    header += (*(["first minus this"] if several else []), *(["published test"] if published else []))
    header += ("parameters", "epochs", "seconds a run")
    weighed = any(run.peak_memory for result in results for run in result.runs)
    rows = [_row(result, results[0] if several else None, published, weighed, part) for result in results]
    return (*header, *(["GB at most"] if weighed else [])), rows


def _row(result: Result, first: Result | None, published: bool, weighed: bool, compared: Part) -> tuple[str, ...]:
    runs = result.runs
    unit = " %" if result.metric in SHARES else ""
    row = [result.name, f"{result.metric}{unit}", str(len(runs))]
    row += [shown(result.mean(part), result.std(part), result.metric) for part in dict.fromkeys(("valid", compared))]
    if first is not None:
        difference = None if first is result else paired_difference(first, result, compared)
        row.append("" if difference is None else shown(difference[0], difference[1], result.metric))
    if published:
        row.append(result.published.shown() if result.published else "")
    row += [f"{runs[0].parameters:,}", f"{sum(run.epochs for run in runs) / len(runs):.0f}"]
    row.append(f"{sum(run.seconds for run in runs) / len(runs):.1f}")
    if weighed:
        most = max(run.peak_memory or 0 for run in runs)
        row.append(f"{most / 1e9:.2f}" if most else "")
    return tuple(row)


def as_text(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns in line, a rule under the header."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    head = "  ".join(cell.ljust(width) for cell, width in zip(header, widths, strict=True)).rstrip()
    return "\n".join([head, "  ".join("-" * width for width in widths), *lines])


def as_markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same as a table of Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))
