"""The likeliest links, by a model whose scores are known: it adds the numbers of two nodes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from torch import Tensor

from agdn.data.dataset import Dataset, EdgeSplit
from agdn.experiments import new_links
from agdn.graph import Graph
from agdn.report.gather import likely_links
from agdn.report.gather.likely_links import best_pairs
from graphs import random_edges, symmetric

N = 60


@pytest.fixture
def known() -> tuple[Any, set[tuple[int, int]]]:
    """A model of a graph of 60 nodes, and all pairs that its parts join."""
    edges = symmetric(random_edges(N, 150))
    edges = edges[:, edges[0] != edges[1]]
    train, valid, test = edges[:, :-20], edges[:, -20:-10], edges[:, -10:]
    none = torch.empty((2, 0), dtype=torch.int64)
    dataset = Dataset(
        "sum", Graph(train, N), "link", "mrr", (EdgeSplit(train, valid, test, none, none),)
    )  # fmt: skip
    config = SimpleNamespace(model={"name": "GCN"})
    model = SimpleNamespace(dataset=dataset, config=config, score=lambda pairs: pairs.sum(0).float())
    return cast(Any, model), {(min(pair), max(pair)) for pair in edges.t().tolist()}


def free(pairs: set[tuple[int, int]]) -> list[tuple[int, int]]:
    found = [(u, v) for u in range(N) for v in range(u + 1, N) if (u, v) not in pairs]
    return sorted(found, key=lambda pair: -sum(pair))


def test_the_best_of_all_pairs_that_no_part_joins(known: tuple[Any, set[tuple[int, int]]]) -> None:
    model, joined = known
    pairs, scores, said = likely_links.likely_links(model, 20)
    assert scores.tolist() == [sum(pair) for pair in free(joined)[:20]]
    assert len({tuple(sorted(pair)) for pair in pairs.t().tolist()} - joined) == 20
    assert said == "every pair that is not linked"


def test_near_nodes_of_a_larger_graph(known: tuple[Any, set[tuple[int, int]]], monkeypatch: pytest.MonkeyPatch) -> None:
    model, joined = known
    monkeypatch.setattr(likely_links, "QUICK", (10, 60))
    monkeypatch.setattr(new_links, "PAIRS", 7 * new_links.NEAR)
    pairs, scores, said = likely_links.likely_links(model, 20)
    near: dict[int, set[int]] = {node: set() for node in range(N)}
    for u, v in joined:
        near[u].add(v)
        near[v].add(u)
    wanted = [(u, v) for u, v in free(joined) if near[u] & near[v]][:20]
    assert scores.tolist() == [sum(pair) for pair in wanted]
    assert said == "for each node the 200 nodes two steps away that share the most neighbours with it"
    assert all(near[u] & near[v] for u, v in pairs.t().tolist())


def test_of_a_large_graph_or_a_slow_model_some_nodes(
    known: tuple[Any, set[tuple[int, int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, joined = known
    monkeypatch.setattr(likely_links, "SLOW", (10, 5))
    asked: list[Tensor] = []
    model.config.model["name"] = "SEAL"
    watched = SimpleNamespace(**{**vars(model), "score": lambda pairs: asked.append(pairs) or model.score(pairs)})
    first, second = (likely_links.likely_links(cast(Any, watched), 20) for _ in range(2))
    assert len(torch.cat(asked, dim=1)[0].unique()) == 5
    assert first[0].tolist() == second[0].tolist()
    assert "of 5 nodes drawn by chance, for each node" in first[2]
    assert not {tuple(sorted(pair)) for pair in first[0].t().tolist()} & joined


def test_a_pair_is_named_once_in_its_better_direction() -> None:
    pairs = torch.tensor([[4, 1, 3, 2], [1, 4, 2, 3]])
    kept, scores = best_pairs(pairs, torch.tensor([1.0, 2.0, 0.5, 0.5]), 5, 6)
    assert kept.tolist() == [[1, 2], [4, 3]]
    assert scores.tolist() == [2.0, 0.5]
