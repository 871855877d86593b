"""A model card: what a model is, what it learnt from, how well it does, and where its limits lie.

Every sentence follows from the run folder: its configuration and the results of its seeds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agdn.experiments import yaml_text
from agdn.experiments.card_limits import limits, parts_of
from agdn.experiments.config import Config, Data
from agdn.experiments.link_options import Link
from agdn.experiments.preparation import preparation
from agdn.experiments.result import SHARES, Result, Run, group, runs_in, shown
from agdn.experiments.run_folder import read_config
from agdn.experiments.tables import as_markdown
from agdn.models import HEURISTICS, PAIR_MODELS
from agdn.tasks.output import NodeOutput

NAMES_SHOWN = 20


def model_card(folder: Path | str) -> str:
    """The card of a run, or of the runs of several seeds, as Markdown."""
    results = group(runs_in(folder))
    result, config = results[0], read_config(results[0].runs[0].folder)
    sections = {
        "Model": _model(result, config),
        "Data": _data(result.runs[0], config),
        "Results": _results(result, config),
        "Training": _training(result, config),
        "Intended use": _use(result.runs[0]) if config.link is None else _link_use(result.runs[0]),
        "Limits": (f"* {limit}" for limit in limits(result, config)),
        "How to load it": _loading(result.runs[0], config),
        "Versions": _versions(result.runs[0]),
    }
    text = [f"# {result.name}", *([config.description] if config.description else [])]
    text += ["\n\n".join((f"## {title}", "\n".join(lines))) for title, lines in sections.items()]
    return "\n\n".join(text) + "\n"


def _model(result: Result, config: Config) -> Iterator[str]:
    run, dataset = result.runs[0], result.runs[0].dataset
    model = f"{config.model['name']} with {run.parameters:,} parameters"
    if config.link is None:
        said = f"{model}, {dataset['in_channels']} input channels and {dataset['out_channels']} outputs"
    elif config.model["name"] in HEURISTICS:
        said = f"{config.model['name']}, which reads a score for every pair of nodes off the graph"
    elif config.model["name"] in PAIR_MODELS:
        said = f"{model}: a score for every pair of nodes from the graph around it"
    else:
        said = f"{model}: a state for every node{_inputs(config.link, dataset)}, and of two states a score"
    options = [(option, f"`{json.dumps(value)}`") for option, value in config.model.items() if option != "name"]
    yield f"{said}{':' if options else '.'}"
    if options:
        yield from ("", as_markdown(("option", "value"), options))


def _inputs(link: Link, dataset: Mapping[str, Any]) -> str:
    """What states are made from."""
    given = f"{dataset['in_channels']} features" if dataset["in_channels"] else ""
    learnt = f"{link.embedding_channels} learnt channels" if link.embedding_channels else ""
    return f" from its {' and '.join(part for part in (given, learnt) if part)}"


def _data(run: Run, config: Config) -> Iterator[str]:
    dataset, data = run.dataset, config.data
    yield f"{dataset['name']}: {dataset['nodes']:,} nodes and {dataset['edges']:,} edges, as the model sees them."
    yield ""
    if parts := dataset.get("parts"):
        sizes = ", ".join(f"{size:,} {part}" for part, size in parts.items())
        yield f"* split: {_split(data)}; {sizes}{'' if config.link is None else ' edges'}"
    else:
        yield f"* split: {_split(data)}"
    for step in preparation(data):
        yield f"* {step}"
    for note in run.notes:
        yield f"* {note}"


def _split(data: Data) -> str:
    options = data.split.model_dump(exclude={"name"}, exclude_none=True)
    said = ", ".join(f"{key} {value}" for key, value in options.items())
    drawn = "" if data.split.name == "published" else "by seed" if data.seed == "run" else f"by the seed {data.seed}"
    return f"{data.split.name} ({', '.join(part for part in (said, drawn) if part)})"


def _results(result: Result, config: Config) -> Iterator[str]:
    unit = " in percent" if result.metric in SHARES else ""
    when = f", at the epoch that was best on the validation {parts_of(config)}" if config.training.epochs else ""
    yield f"{result.metric}{unit}{when}:"
    yield ""
    parts = tuple(result.runs[0].scores)
    rows = [
        (str(run.seed), *(shown(run.scores[part][run.metric], None, run.metric) for part in parts), str(run.best_epoch))
        for run in result.runs
    ]
    if len(result.runs) > 1:
        means = (shown(result.mean(part), result.std(part), result.metric) for part in parts)  # type: ignore[arg-type]
        rows.append(("mean ± std", *means, ""))
    yield as_markdown(("seed", *parts, "best epoch"), rows)
    others = [name for name in result.runs[0].scores["test"] if name != result.metric]
    for name in others:
        values = ", ".join(shown(run.scores["test"][name], None, name) for run in result.runs)
        where = f"on test {parts_of(config)}{' in percent' if name in SHARES else ''}"
        yield from ("", f"{name} {where}, seed by seed: {values}.")
    if (figure := result.published) is not None:
        spread = "" if figure.test_std is None else f" ± {figure.test_std}"
        seeds = "" if figure.seeds is None else f" ({figure.seeds})"
        yield from ("", f"Published: test {figure.metric} {figure.test}{spread}{seeds}, {figure.source}.")


def _training(result: Result, config: Config) -> Iterator[str]:
    runs = result.runs
    epochs = ", ".join(str(run.epochs) for run in runs)
    seconds = sum(run.seconds for run in runs) / len(runs)
    took = f"{seconds:.1f} seconds a run on {config.device} with {runs[0].threads} thread{'s' * (runs[0].threads > 1)}"
    if config.model["name"] in HEURISTICS:
        yield f"None; the evaluation took {took}."
        return
    kind = "Task" if config.link is None else "Link"
    yield f"Epochs trained, seed by seed: {epochs}; {took}. {kind} and training settings:"
    yield ""
    settings = {"task": config.task.model_dump(mode="json", exclude_defaults=True)}
    (settings["task"].get("distillation") or {}).pop("runs", None)
    if config.link is not None:
        settings = {"link": config.link.model_dump(mode="json")}
    yield from _block("yaml", yaml_text.write({**settings, "training": config.training.model_dump(mode="json")}))


def _use(run: Run) -> Iterator[str]:
    output = NodeOutput.from_json(run.output)
    width = run.dataset["out_channels"]
    what = {
        "class": f"one of {width} classes",
        "multilabel": f"{width} yes/no answers",
        "numeric": "a number",
    }[output.target]
    yield (
        f"To predict {what} for the nodes of {run.dataset['name']}, or of graphs whose nodes have the same features "
        "and whose edges mean the same."
    )
    if output.class_names:
        names = ", ".join(output.class_names[:NAMES_SHOWN])
        rest = len(output.class_names) - NAMES_SHOWN
        more = f" and {rest} more" if rest > 0 else ""
        yield from ("", f"{'Classes' if output.target == 'class' else 'Answers'}: {names}{more}.")


def _link_use(run: Run) -> Iterator[str]:
    yield (
        f"To rank pairs of nodes of {run.dataset['name']} by how likely a link joins them, and to name likely links "
        "that are not there yet."
    )


def _loading(run: Run, config: Config) -> Iterator[str]:
    code = ["import agdn", "", f'model = agdn.load("{run.folder.as_posix()}")']
    if config.link is not None:
        code += [
            'model.predict(top_k=20).write("links.csv")  # the likeliest new links of every node',
            "model.score(pairs)  # of pairs of nodes, a tensor of (2, pairs) row numbers",
        ]
        yield from _block("python", "\n".join(code))
        return
    code += ['model.predict().write("predictions.csv")  # every node of its data']
    yield from _block("python", "\n".join(code))
    if config.task.labels is None and config.task.correct_and_smooth is None:
        yield from ("", "As a file that runs without this library:", "")
        yield from _block("", f"agdn export {run.folder.as_posix()} --out model.pt2")


def _versions(run: Run) -> Iterator[str]:
    yield ", ".join(f"{name} {version}" for name, version in run.versions.items())


def _block(language: str, content: Any) -> Iterator[str]:
    yield from (f"```{language}", str(content).rstrip("\n"), "```")
