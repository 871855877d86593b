"""The limits of a model, as far as the record of its runs shows them."""

from __future__ import annotations

from collections.abc import Iterator

from agdn.experiments.config import Config
from agdn.experiments.link_options import Link
from agdn.experiments.result import SHARES, Result
from agdn.experiments.run_folder import TRANSFORMS
from agdn.models import HEURISTICS
from agdn.tasks.output import NodeOutput


def limits(result: Result, config: Config) -> Iterator[str]:
    """One sentence each."""
    yield from _of_the_scores(result, config)
    if config.link is None:
        yield from _of_the_answers(result)
        yield from _of_new_nodes(result, config)
    else:
        yield from _of_links(result, config, config.link)
    for note in result.runs[0].notes:
        yield f"Its results rest on this: {note.rstrip('.')}."
    calibrated = "whether probabilities are calibrated, " if config.link is None else ""
    yield (
        f"Not measured: {calibrated}how it does on other graphs, and whether some groups of nodes fare worse than "
        "others."
    )


def parts_of(config: Config) -> str:
    """What the parts of its data are made of."""
    return "nodes" if config.link is None else "edges"


def _of_the_scores(result: Result, config: Config) -> Iterator[str]:
    runs = result.runs
    if len(runs) == 1:
        yield f"The scores are of one seed, {runs[0].seed}; how far they vary from seed to seed is not known."
    if config.training.epochs == 0:
        yield "Nothing was trained."
    else:
        parts = parts_of(config)
        chosen = f"The epoch was chosen on the validation {parts}, so their scores flatter it"
        yield f"{chosen}; the test {parts} had no part."
    at_the_end = [str(run.seed) for run in runs if run.epochs and run.best_epoch == run.epochs]
    if at_the_end:
        yield f"The best epoch was the last one (seed {', '.join(at_the_end)}): longer training may do better."
    if any(run.unfinished_scores for run in runs):
        before = ", ".join(f"{run.unfinished_scores['test'][run.metric]:.4f}" for run in runs if run.unfinished_scores)
        yield f"The model alone, before its outputs are corrected and smoothed, has test {result.metric} {before}."
    if (figure := result.published) is not None and figure.metric == result.metric:
        lead = result.mean() * (100 if result.metric in SHARES else 1) - figure.test
        side = "above" if lead >= 0 else "below"
        yield f"Its mean test {result.metric} lies {abs(lead):.2f} {side} the published one."


def _of_the_answers(result: Result) -> Iterator[str]:
    run = result.runs[0]
    output = NodeOutput.from_json(run.output)
    if output.target == "class":
        yield f"It answers with one of its {run.dataset['out_channels']} classes also for a node that belongs to none."
    elif output.target == "numeric":
        yield (
            f"Its training nodes have numbers around {output.center:.4g} with a spread of {output.scale:.4g}; "
            "far from there it has seen nothing."
        )


def _of_new_nodes(result: Result, config: Config) -> Iterator[str]:
    if config.task.setting == "transductive":
        yield "It saw the whole graph in training, the features and edges of test nodes too, though not their labels."
    else:
        yield "It saw no validation or test node in training."
    if config.task.labels is not None or config.task.correct_and_smooth is not None:
        yield "It uses the labels of its training nodes, and so predicts for the nodes of its data alone."
    elif (result.runs[0].folder / TRANSFORMS).is_dir():
        yield "New nodes need the columns of the tables that were imported; a word that was never seen says nothing."
    else:
        yield "New nodes need features that were made in the same way."


def _of_links(result: Result, config: Config, link: Link) -> Iterator[str]:
    yield "Its scores put pairs of nodes in an order; they are no probabilities of a link."
    yield (
        "It was measured against a sample of the pairs that no edge joins. The whole graph has far more of them, so "
        "that many of the new links that it names may be false even where its scores are high."
    )
    if link.leaks == "refuse":
        yield "It saw neither validation nor test edges in training."
    if config.model["name"] in HEURISTICS:
        yield "It knows the graph alone, not the features of nodes."
    elif link.embedding_channels:
        yield "It learnt a vector for every node of its data, and so says nothing about new ones."
    elif result.runs[0].dataset["in_channels"]:
        yield "New nodes need features that were made in the same way."
