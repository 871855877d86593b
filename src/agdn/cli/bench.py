"""`agdn bench`: time and memory of ours and of its peers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from agdn.bench import machine, page
from agdn.bench.comparisons import COMPARISONS, check_answers, run
from agdn.bench.rounds import Effort
from agdn.bench.rows import Row
from agdn.bench.setting import Setting

PLAIN_WIDTH = 160
EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
WRITABLE = click.Path(dir_okay=False, path_type=Path)
OPTIONS = (
    click.option("--dgl-python", type=EXISTING, help="Interpreter of an environment with DGL 1.1.3."),
    click.option("--repeats", type=click.IntRange(1), default=3, show_default=True, help="The best run counts."),
    click.option("--warmup", type=click.IntRange(1), default=1, show_default=True, help="Runs before, for the memory."),
    click.option("--threads", type=click.IntRange(1), default=2, show_default=True, help="Of each process."),
    click.option("--memory-cap", default="85%", show_default=True, help="Of each process: bytes, 20G or 85%."),
    click.option("--scale", type=click.FloatRange(0, 1, min_open=True), default=1.0, help="Shrink graphs and arrays."),
    click.option("--json", "json_file", type=WRITABLE, help="Write the rows to this file."),
    click.option("--markdown", type=WRITABLE, help="Write a dated page to this file."),
)


@click.group()
def bench() -> None:
    """Measure time and memory of ours, the torch path, PyG and DGL, each in its own process.

    The graphs are the real ogbn-arxiv and ogbl-ddi where AGDN_DATA names their folder, else generated ones.
    """


def _add_command(name: str, summary: str) -> None:
    parts = list(COMPARISONS[name])

    @click.option("--part", "parts", multiple=True, type=click.Choice(parts), help="Only this part; repeatable.")
    @click.option("--only", multiple=True, metavar="TEXT", help="Only systems with TEXT in the name; repeatable.")
    def command(**options: Any) -> None:
        _run(name, **options)

    wrapped: Callable[..., None] = command
    for option in reversed(OPTIONS):
        wrapped = option(wrapped)
    bench.command(name, help=f"{summary} Parts: {', '.join(parts)}.")(wrapped)


def _run(
    name: str,
    *,
    parts: tuple[str, ...],
    only: tuple[str, ...],
    dgl_python: Path | None,
    repeats: int,
    warmup: int,
    threads: int,
    memory_cap: str,
    scale: float,
    json_file: Path | None,
    markdown: Path | None,
) -> None:
    setting = Setting(threads=threads, scale=scale, dgl_python=None if dgl_python is None else dgl_python.absolute())
    effort = Effort(repeats=repeats, warmup=warmup, memory_cap=machine.memory_size(memory_cap))
    for file in filter(None, (json_file, markdown)):
        if not file.absolute().parent.is_dir():
            raise ValueError(f"cannot write {file}: its folder does not exist")
    output, progress = Console(), Console(stderr=True)
    if not output.is_terminal:
        output.width = PLAIN_WIDTH
    rows: list[Row] = []
    with progress.status("starting") as status:
        for section in run(name, setting, effort, parts=parts, only=only, say=status.update):
            rows += section
            for table in page.tables(section):
                output.print(table)
    if json_file is not None:
        page.write(json_file, page.as_json(rows))
    if markdown is not None:
        page.write(markdown, page.as_markdown(name, rows, machine.describe(), setting, effort))
    check_answers(rows)


_add_command("layer", "One AGDN-HA layer: ours, DGL, PyG's one hop, and the dense and sparse products alone.")
_add_command("model", "One training epoch of the arxiv preset.")
_add_command("baselines", "Systems with a fixed transition against the same in PyG: precomputing, training epochs.")
_add_command("dropout", "Dropout after relu on 100 million floats.")
_add_command("pairs", "The node-pair product of link decoding.")
_add_command("heuristics", "Scores of node pairs from the neighbours that they share.")
_add_command("link-step", "One training step of the ddi preset on its decoder's pairs.")
_add_command("enclosing", "The subgraphs around node pairs that SEAL reads.")
_add_command("scaling", "Growth of time with edges, hops and channels, and the speed-up of threads.")
_add_command("walks", "Random walks, and an epoch of the embeddings that they train.")
_add_command("sampling", "Batches of a big graph: sampled neighbourhoods, parts, GraphSAINT walks.")
