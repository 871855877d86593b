"""Link prediction from a recipe to its predictions."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agdn
from agdn.data.dataset import EdgeSplit
from agdn.data.tables import import_tables
from agdn.embedding import spectral_embedding
from agdn.experiments.checking import checked
from agdn.experiments.experiment import Experiment
from agdn.experiments.new_links import new_links
from agdn.experiments.overrides import with_overrides
from agdn.experiments.recipes import read_recipe
from agdn.experiments.trained_links import TrainedLinks
from agdn.ops.candidates import near_nodes
from agdn.training.loop import fit
from agdn.training.state import State
from small_runs import write_tables

LINKS: dict[str, Any] = {
    "name": "links",
    "data": {"name": "csbm", "options": {"num_nodes": 120}, "split": {"name": "edges", "valid": 0.1}},
    "model": {"name": "AGDN", "hidden_channels": 4, "num_layers": 2, "hops": 2, "dropout": 0.2},
    "link": {"embedding_channels": 4, "batch_size": 200, "negatives": "strict"},
    "training": {"epochs": 3},
    "threads": 1,
}


def links(*changes: str):
    return checked(with_overrides(LINKS, changes), "links")


def trained(folder: Path, *changes: str) -> TrainedLinks:
    run = Experiment(links(*changes), 0, folder).run()
    model = agdn.load(run)
    assert isinstance(model, TrainedLinks)
    return model


def test_a_run_is_loaded_and_scores_the_same_again(tmp_path: Path) -> None:
    model = trained(tmp_path / "run")
    assert model.run.metric == "rocauc"
    assert model.run.output == {"target": "link"}
    split = model.dataset.split
    assert isinstance(split, EdgeSplit)
    assert model.run.dataset["parts"] == {part: getattr(split, part).size(1) for part in ("train", "valid", "test")}
    for part, scores in model.evaluate().items():
        assert scores == pytest.approx(model.run.scores[part], abs=1e-6)
    assert model.embed().values.shape == (120, 4)
    stored = agdn.load(model.run, memory="1KB")
    assert isinstance(stored, TrainedLinks)
    assert stored.evaluate()["test"] == pytest.approx(model.run.scores["test"], abs=1e-6)


@pytest.mark.parametrize(
    "changes",
    [
        ("sampling={name: saint_walk, roots: 20, length: 2, batches: 3}",),
        ("sampling={name: random_partition, parts: 3}", "link.batch_size=null"),
        ("sampling={name: neighbours, fanouts: [5, 5, 3, 3]}",),
        ("link.leave_out_targets=true",),
        ("link.decoder=dot", "link.loss=auc", "link.negatives={name: permuted, per_edge: 3}"),
        ("link.features=drop", "model={name: Identity}"),
        ("link.valid_edges=input",),
        ("link.embedding_init=spectral",),
    ],
)
def test_a_killed_run_ends_with_the_same_bytes(tmp_path: Path, changes: tuple[str, ...]) -> None:
    """Stopped in the middle of an epoch, in every way of training."""
    config = links(*changes)
    whole = Experiment(config, 0, tmp_path / "whole").run()
    built = Experiment(config, 0, tmp_path / "x").assemble()
    state = State(built.model, config.training)

    class Stop(Exception):
        pass

    def stop() -> None:
        if state.place == (1, 1):
            raise Stop

    with pytest.raises(Stop):
        list(fit(built.model, built.task, built.inputs, config.training, state, between=stop))
    rest = list(fit(built.model, built.task, built.inputs, config.training, state))
    assert rest[-1].test == json.loads((tmp_path / "whole" / "metrics.jsonl").read_text().splitlines()[-1])["test"]
    assert whole.epochs == 3


def test_declared_validation_edges_are_printed(tmp_path: Path) -> None:
    model = trained(tmp_path / "run", "link.valid_edges=input")
    assert any("Validation edges are part of the message graph" in note for note in model.run.notes)


def test_new_links_are_the_best_that_are_not_there(tmp_path: Path) -> None:
    model = trained(tmp_path / "run")
    columns = model.predict(3).columns
    split, nodes = model.dataset.split, 120
    assert isinstance(split, EdgeSplit)
    known = torch.zeros(nodes, nodes, dtype=torch.bool)
    for pairs in (model.dataset.graph.edge_index, split.train, split.valid, split.test):
        known[pairs[0], pairs[1]] = known[pairs[1], pairs[0]] = True
    known.fill_diagonal_(True)
    every = torch.cartesian_prod(torch.arange(nodes), torch.arange(nodes)).t()
    scores = model.score(every).view(nodes, nodes).masked_fill(known, float("-inf"))
    best = scores.sort(dim=1, descending=True, stable=True)
    assert columns["source"] == [node for node in range(nodes) for _ in range(3)]
    assert columns["rank"] == [1, 2, 3] * nodes
    assert columns["target"] == best.indices[:, :3].flatten().tolist()
    np.testing.assert_allclose(columns["score"], best.values[:, :3].flatten(), rtol=1e-6)
    model.predict(3).write(tmp_path / "links.csv")
    with (tmp_path / "links.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 3 * nodes


def test_near_candidates_are_two_steps_away(tmp_path: Path) -> None:
    model = trained(tmp_path / "run")
    source, target, _, said = new_links(model.score, model.dataset, 5, candidates="near")
    assert "two steps away" in said
    graph = model.dataset.graph
    dense = torch.zeros(120, 120)
    split = model.dataset.split
    assert isinstance(split, EdgeSplit)
    for pairs in (graph.edge_index, split.train, split.valid, split.test):
        dense[pairs[0], pairs[1]] = dense[pairs[1], pairs[0]] = 1
    shared = (dense / dense.sum(1).clamp(min=1)) @ dense
    free = (dense == 0) & ~torch.eye(120, dtype=torch.bool)
    assert bool((shared[source, target] > 0).all())
    assert bool(free[source, target].all())
    known = agdn.Graph(dense.nonzero().t(), 120)
    pairs = near_nodes(known, torch.tensor([7]), 4)
    weights = (dense @ (dense / dense.sum(1, keepdim=True).clamp(min=1)))[7].masked_fill(~free[7], 0)
    expected = weights.sort(descending=True, stable=True)
    torch.testing.assert_close(weights[pairs[1]], expected.values[: pairs.size(1)])


def test_tables_without_a_target_become_links(tmp_path: Path) -> None:
    nodes, edges = write_tables(tmp_path / "tables", count=80)
    import_tables(nodes, edges, out=tmp_path / "stored")
    config = read_recipe(str(tmp_path / "stored"), ["training.epochs=2", "threads=1"])
    assert config.link is not None
    model = agdn.load(Experiment(config, 0, tmp_path / "run").run())
    assert isinstance(model, TrainedLinks)
    assert all(str(name).startswith("n") for name in model.predict(2).columns["target"])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (("link.decoder=mpl",), "unknown link.decoder 'mpl': did you mean 'mlp'"),
        (("link.decoder.depth=3",), "unknown key 'link.decoder.depth'"),
        (("link.loss=aux",), "unknown link.loss 'aux': did you mean 'auc'"),
        (("link.negatives=globl",), "link.negatives.name"),
        (("task.loss=loge",), "task: is for nodes"),
        (("link.batch=3",), "unknown key 'link.batch'"),
        (("model={name: SEAL}", "link.negatives=global"), "draw negatives that are strict"),
    ],
)
def test_wrong_words_are_named(changes: tuple[str, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        links(*changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (("link=null",), "asks for links; say how they are learnt in a section link"),
        (("link.embedding_channels=null", "link.features=drop"), "neither node nor edge features"),
        (("link.embedding_channels=null", "link.embedding_init=spectral"), "is about learned embeddings"),
        (("sampling=auto",), "sampling=auto is for nodes"),
        (("sampling={name: egos, fanouts: [3]}",), "sampling=egos is for nodes"),
        (("sampling={name: random_partition, parts: 2, evaluation_parts: 2}",), "evaluate them on the whole graph"),
        (("data.split=random",), "a link task needs a split of its edges"),
        (("data.split.metric=accuracy",), "links are scored by"),
    ],
)
def test_what_does_not_go_together_is_named(changes: tuple[str, ...], words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=words):
        Experiment(links(*changes), 0, tmp_path).assemble()


def test_embeddings_may_begin_with_eigenvectors_of_the_message_graph(tmp_path: Path) -> None:
    built = Experiment(links("link.embedding_init=spectral"), 0, tmp_path).assemble()
    expected = spectral_embedding(built.dataset.graph, dim=4)
    torch.testing.assert_close(built.model.embedding.weight, 0.3 * expected / expected.square().mean().sqrt())


def test_hard_negatives_stand_beside_the_official_score(tmp_path: Path) -> None:
    with_hard = trained(tmp_path / "hard", "link.hard_negatives=20")
    without = trained(tmp_path / "plain")
    for part in ("valid", "test"):
        official = without.run.scores[part]
        assert {name: with_hard.run.scores[part][name] for name in official} == official
        assert 1 / 21 <= with_hard.run.scores[part]["hard_mrr"] <= 1
    assert with_hard.run.unfinished_scores is None
    assert "hard_mrr" not in with_hard.run.scores["train"]
    again = without.evaluate(hard_negatives=20)
    assert again["test"] == pytest.approx(with_hard.run.scores["test"], abs=1e-6)


def test_what_is_for_nodes_says_so(tmp_path: Path) -> None:
    from agdn.experiments.load import load_nodes

    model = trained(tmp_path / "run")
    with pytest.raises(ValueError, match="predicts links; export is for models"):
        load_nodes(model.run, "export")
    with pytest.raises(ValueError, match="top_k must be at least 1"):
        model.predict(0)
