"""A page of results from finished runs, and from nothing else; the figures of recipes are kept beside the recipes.

python benchmarks/results_page.py --title Digits --out docs/results/digits.md runs/digits/agdn runs/digits/mlp ...

With ``--kept`` the records of the runs stay in a file beside the page, a line each, and a page can grow from runs of
several days whose folders are gone: recipes of that file come first, in the order in which they were added.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
from pathlib import Path

from agdn.experiments.measured import record_measured, settings_of
from agdn.experiments.recipes import recipe_names
from agdn.experiments.records import Record, read_records, write_records
from agdn.experiments.result import REPORTED, Result, group, runs_in, shown
from agdn.experiments.run_folder import read_config
from agdn.experiments.tables import as_markdown, results_table
from agdn.report.gather.curves import read_log
from agdn.training.run import LOG_NAME


def other_scores(results: list[Result], metrics: list[str]) -> str:
    """A table of scores beside the official one."""
    header = ("recipe", *(f"{metric} %, {part}" for metric in metrics for part in REPORTED))
    rows = []
    for result in results:
        row = [result.name]
        for metric in metrics:
            for part in REPORTED:
                values = [run.scores[part][metric] for run in result.runs if metric in run.scores[part]]
                spread = statistics.stdev(values) if len(values) > 1 else None
                row.append(shown(statistics.fmean(values), spread, metric) if values else "")
        if any(row[1:]):
            rows.append(row)
    return as_markdown(header, rows)


def evaluated(path: Path, metrics: list[str]) -> str:
    """A row of :func:`other_scores` for runs that were evaluated again: what ``agdn evaluate RUN --json`` printed."""
    rows = []
    for run in json.loads(path.read_text()):
        config = read_config(Path(run["folder"]))
        scores = (shown(run["scores"][part][metric], None, metric) for metric in metrics for part in REPORTED)
        rows.append((config.name, *scores))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def curve(folder: Path, every: int) -> str:
    """How a run, finished or not, went along."""
    lines = read_log(folder / LOG_NAME)
    config, metric = read_config(folder), next(iter(next(line["valid"] for line in lines if line["valid"])))
    rows, hours = [], 0.0
    for place, line in enumerate(lines, 1):
        hours += line["seconds"] / 3600
        if line["valid"] is not None and (place % every == 0 or place == len(lines)):
            scores = (f"{100 * line[part][metric]:.2f}" for part in ("train", *REPORTED))
            rows.append((str(line["epoch"]), f"{hours:.2f}", f"{line['loss']:.4g}", *scores))
    header = ("epoch", "hours", "loss", *(f"{metric} %, {part}" for part in ("train", *REPORTED)))
    so_far = "" if len(lines) == config.training.epochs else " so far"
    told = f"The whole course of `{config.name}`, {len(lines)} of {config.training.epochs} epochs{so_far}:"
    return f"{told}\n\n{as_markdown(header, rows)}"


def page(title: str, text: str, results: list[Result], more: list[str]) -> str:
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
        *more,
        *notes,
    ]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph) + "\n"


def joined(kept: list[Record], found: list[Record]) -> list[Record]:
    """What was kept, with the seeds that were found in place of or beside its own; other settings outdate it."""
    settings = {record.run.name: record.settings for record in found}
    still = [record for record in kept if settings.get(record.run.name, record.settings) == record.settings]
    by_seed = {(record.run.name, record.run.seed): record for record in (*still, *found)}
    names = list(dict.fromkeys(name for name, _ in by_seed))
    return sorted(by_seed.values(), key=lambda record: (names.index(record.run.name), record.run.seed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--title", required=True)
    parser.add_argument("--text", default="")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--kept", type=Path, metavar="JSONL", help="Records of runs: added to what is found, and to.")
    parser.add_argument("--only", nargs="+", default=[], metavar="RECIPE", help="These, in this order.")
    parser.add_argument("--also", action="append", default=[], metavar="METRIC", help="Another score; repeatable.")
    parser.add_argument(
        "--evaluated", type=Path, action="append", default=[], metavar="JSON", help="More rows of these other scores."
    )
    parser.add_argument("--curve", type=Path, action="append", default=[], metavar="RUN", help="Show its course.")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="Lines of a course: every N-th evaluation.")
    parser.add_argument("--unrecorded", action="store_true", help="Leave the figures of the recipes as they are.")
    options = parser.parse_args()
    if options.evaluated and not options.also:
        parser.error("--evaluated adds rows to the table of --also")
    records = [Record(run, settings_of(run)) for folder in options.folders for run in runs_in(folder)]
    if options.kept:
        records = joined(read_records(options.kept), records)
        write_records(options.kept, records)
    results = group([record.run for record in records])
    if options.only:
        results = sorted((r for r in results if r.name in options.only), key=lambda r: options.only.index(r.name))
    settings = {(record.run.name, record.run.seed): record.settings for record in records}
    more = [other_scores(results, options.also)] if options.also else []
    if options.evaluated:
        more[-1] = "\n".join([more[-1], *(evaluated(path, options.also) for path in options.evaluated)])
    more += [curve(folder, options.every) for folder in options.curve]
    options.out.write_text(page(options.title, options.text, results, more))
    for result in [] if options.unrecorded else results:
        if result.name in recipe_names():
            record_measured(result, [settings[run.name, run.seed] for run in result.runs])


if __name__ == "__main__":
    main()
