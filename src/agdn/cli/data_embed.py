"""``agdn data embed``: node features learnt from random walks, or from the nodes' texts and their neighbourhoods."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from agdn.cli.options import DATA_ROOT, JSON
from agdn.cli.printing import print_json, print_table, progress_bars

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from agdn.data.dataset import Dataset

FORMAT_VERSION = 1
OF_WALKS = ("walk_length", "window", "walks_per_node", "p", "q", "negatives", "directed", "weighted")
OF_WORDS = ("dim", "ngrams", "buckets", "hidden", "word_dropout")
OF_TRAINING = ("fanout", "beam", "batch", "scale")
OF_TEXTS = ("text_file", "classes", "folds", "transformer", *OF_WORDS[1:], *OF_TRAINING)
OF_NEIGHBOURS = ("dim", "epochs", "lr", "transformer", *OF_WORDS[2:], *OF_TRAINING)
WALK_DEFAULTS = {"epochs": 1, "lr": 0.1}


@click.command()
@click.argument("name", metavar="DATASET")
@DATA_ROOT
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The .npy file to write.")
@click.option("--text", is_flag=True, help="Learn from the nodes' texts, by telling neighbours; otherwise from walks.")
@click.option("--classes", is_flag=True, help="With --text: tell classes, of nodes whose own label was not seen.")
@click.option("--folds", type=click.IntRange(min=2), default=4, show_default=True, help="Of the nodes with --classes.")
@click.option("--dim", type=click.IntRange(min=1), default=128, show_default=True, help="Numbers a node.")
@click.option("--epochs", type=click.IntRange(min=1), help="Passes over all walks (1), or over all texts a level (3).")
@click.option("--lr", type=float, help="First step, falling to 0: of walks 0.1, words 0.2, a transformer 2e-5.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Fixes everything that is drawn."
)
@click.option("--walk-length", type=click.IntRange(min=2), default=40, show_default=True, help="Nodes of a walk.")
@click.option("--window", type=click.IntRange(min=2), default=20, show_default=True, help="Nodes of a window.")
@click.option("--walks-per-node", type=click.IntRange(min=1), default=10, show_default=True, help="In an epoch.")
@click.option("--p", type=float, default=1.0, show_default=True, help="Return parameter of node2vec.")
@click.option("--q", type=float, default=1.0, show_default=True, help="In-out parameter of node2vec.")
@click.option("--negatives", type=click.IntRange(min=1), default=1, show_default=True, help="Random windows a window.")
@click.option("--directed", is_flag=True, help="Walk along the edges only; otherwise also against them.")
@click.option("--weighted", is_flag=True, help="Draw steps in proportion to the edge weights of the set.")
@click.option(
    "--text-file",
    type=click.Path(path_type=Path),
    help='The texts, {"node": 0, "text": "..."} a line (.jsonl or .jsonl.xz); by default those known about the set.',
)
@click.option("--transformer", metavar="MODEL", help="Fine-tune this model (a folder, or a name) instead of words.")
@click.option("--ngrams", type=click.IntRange(min=1), help="Runs of words that count: 1, or with --classes 2.")
@click.option("--buckets", type=click.IntRange(min=1), help="Hash words to so many columns; by default none.")
@click.option("--hidden", type=click.IntRange(min=0), default=0, show_default=True, help="Width of a hidden layer.")
@click.option("--word-dropout", type=float, default=0.2, show_default=True, help="Share of words that a step misses.")
@click.option("--fanout", type=click.IntRange(min=2), default=16, show_default=True, help="Children of a cluster.")
@click.option("--beam", type=click.IntRange(min=1), default=10, show_default=True, help="Clusters matched with a node.")
@click.option("--batch", type=click.IntRange(min=1), default=1024, show_default=True, help="Texts a step.")
@click.option("--scale", type=float, default=12.0, show_default=True, help="Of the scores of clusters.")
@JSON
@click.pass_context
def embed(ctx: click.Context, /, name: str, root: Path | None, out: Path, as_json: bool, **options: Any) -> None:
    """Learn node features from random walks on the graph of DATASET (a known name or a folder), or from its texts.

    No label is seen, unless by --classes those of the training nodes; of a link set the training edges are. Train with
    the features by --set data.features=FILE.npy. The settings go into a .json beside them.
    """
    from agdn.data.feature_file import place_for, write_features
    from agdn.data.names import load_dataset

    text = options.pop("text")
    _check_family(ctx, text)
    place_for(out)
    dataset = load_dataset(name, root=root)
    start = time.perf_counter()
    x, made = _of_texts(dataset, root, options) if text else _of_walks(dataset, options)
    seconds = round(time.perf_counter() - start, 1)
    settings = {"format_version": FORMAT_VERSION, "dataset": dataset.name, "shape": list(x.shape), **made}
    beside = write_features(out, x.numpy(), settings)
    if as_json:
        print_json({**settings, "seconds": seconds, "features": str(out), "settings": str(beside)})
        return
    rows = [(key, str(value)) for key, value in {**settings, "seconds": seconds}.items()]
    print_table(str(out), ("property", "value"), rows)


def _check_family(ctx: click.Context, text: bool) -> None:
    """What is given must be of the same family: walks, or texts that tell neighbours or classes."""
    classes = ctx.params["classes"]
    families = {
        "walks; leave it out, or --text": OF_WALKS if text else (),
        "texts; leave it out, or add --text": () if text else OF_TEXTS,
        "neighbours; leave it out, or --classes": OF_NEIGHBOURS if text and classes else (),
        "classes; leave it out, or add --classes": ("folds",) if text and not classes else (),
    }
    for what, options in families.items():
        for option in options:
            if ctx.get_parameter_source(option) is ParameterSource.COMMANDLINE:
                raise click.UsageError(f"--{option.replace('_', '-')} is for {what}")


def _of_walks(dataset: Dataset, given: dict[str, Any]) -> tuple[torch.Tensor, dict[str, Any]]:
    from agdn.embedding import walk_embedding

    if given["weighted"] and dataset.edge_weight is None:
        raise click.UsageError(f"{dataset.name} has no edge weights; leave out --weighted")
    weight = dataset.edge_weight if given["weighted"] else None
    shared = {name: WALK_DEFAULTS[name] if given[name] is None else given[name] for name in WALK_DEFAULTS}
    options = {name: given[name] for name in ("dim", "seed", *OF_WALKS[:-2])} | shared
    with progress_bars() as bars:
        x = walk_embedding(
            dataset.graph, undirected=not given["directed"], edge_weight=weight, progress=bars.update, **options
        )
    kinds = {name: given[name] for name in ("directed", "weighted")}
    return x, {"method": "skip-gram over random walks", **options, **kinds}


def _of_texts(dataset: Dataset, root: Path | None, given: dict[str, Any]) -> tuple[torch.Tensor, dict[str, Any]]:
    from agdn.data.lock_file import sha256
    from agdn.data.names import data_root
    from agdn.data.text import SOURCES, read_texts

    path = given["text_file"]
    if path is None and dataset.name not in SOURCES:
        raise click.UsageError(f"no texts about {dataset.name} are known; name a file of them with --text-file")
    note = f"Uses external data: the texts of {path.name}." if path else SOURCES[dataset.name].note
    path = path or SOURCES[dataset.name].file(data_root(root), "text")
    learnt = _by_classes if given["classes"] else _by_neighbours
    x, made = learnt(dataset, lambda: read_texts(path, dataset.graph.num_nodes), given)
    return x, {**made, "seed": given["seed"], "sha256": {path.name: sha256(path)}, "note": note}


def _by_neighbours(
    dataset: Dataset, texts: Callable[[], list[str]], given: dict[str, Any]
) -> tuple[torch.Tensor, dict[str, Any]]:
    from agdn.embedding import NeighbourTraining, Transformer, Words, text_embedding

    own_lr = {} if given["lr"] is None else {"lr": given["lr"]}
    encoder: Words | Transformer
    if given["transformer"] is not None:
        encoder = Transformer(model=given["transformer"], **own_lr)
    else:
        encoder = Words(**{name: given[name] for name in OF_WORDS if given[name] is not None}, **own_lr)
    epochs = {} if given["epochs"] is None else {"epochs": given["epochs"]}
    training = NeighbourTraining(**{name: given[name] for name in OF_TRAINING}, **epochs)
    with progress_bars() as bars:
        x = text_embedding(
            texts(), dataset.graph, encoder=encoder, training=training, seed=given["seed"], progress=bars.update
        )
    options = {"encoder": type(encoder).__name__.lower(), **asdict(encoder), **asdict(training)}
    return x, {"method": "texts that tell neighbours", **options}


def _by_classes(
    dataset: Dataset, texts: Callable[[], list[str]], given: dict[str, Any]
) -> tuple[torch.Tensor, dict[str, Any]]:
    from agdn.data.dataset import NodeSplit
    from agdn.data.feature_file import seen_labels
    from agdn.embedding import class_scores

    if dataset.target != "class" or dataset.y is None or not isinstance(dataset.split, NodeSplit):
        raise click.UsageError(f"--classes needs a class a node and a split of the nodes; {dataset.name} has none")
    options = {"ngrams": 2 if given["ngrams"] is None else given["ngrams"], "folds": given["folds"]}
    with progress_bars() as bars:
        train = dataset.split.train
        x = class_scores(texts(), dataset.y, train, **options, seed=given["seed"], progress=bars.update)
    return x, {"method": "texts that tell classes", **options, **seen_labels(train.numpy())}
