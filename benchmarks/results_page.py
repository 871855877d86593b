"""A page of results from finished runs, and from nothing else; the figures of recipes are kept beside the recipes.

python benchmarks/results_page.py --title Digits --out docs/results/digits.md runs/digits/agdn runs/digits/mlp ...
"""

from __future__ import annotations

import argparse
import datetime
from pathlib import Path

from agdn.experiments.measured import record_measured
from agdn.experiments.recipes import recipe_names
from agdn.experiments.result import Result, runs_in
from agdn.experiments.tables import as_markdown, results_table


def page(title: str, text: str, results: list[Result]) -> str:
    runs = [run for result in results for run in result.runs]
    versions = sorted({f"{name} {version}" for run in runs for name, version in run.versions.items()})
    seeds = sorted({run.seed for run in runs})
    notes = dict.fromkeys(note for run in runs for note in run.notes)
    header, rows = results_table(results)
    compared = "first minus this" in header
    paragraphs = [
        f"# {title}",
        f"Written by `benchmarks/results_page.py` from result files; {datetime.date.today().isoformat()}, "
        f"{', '.join(versions)}, seeds {', '.join(map(str, seeds))}.",
        text,
        as_markdown(header, rows),
        "Mean and unbiased standard deviation over the seeds, at the epoch that was best on the validation nodes."
        + (' "First minus this" is the mean difference on the same seeds with its standard error.' if compared else ""),
        *notes,
    ]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--title", required=True)
    parser.add_argument("--text", default="")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    results = [Result(runs[0].name, tuple(runs)) for runs in map(runs_in, options.folders)]
    options.out.write_text(page(options.title, options.text, results))
    for result in results:
        if result.name in recipe_names():
            record_measured(result)


if __name__ == "__main__":
    main()
