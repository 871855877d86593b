from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.utils import k_hop_subgraph

from agdn.bench import enclosing
from agdn.bench.peers import on_pyg, ours, tasks
from agdn.bench.setting import Setting
from agdn.graph import Graph
from agdn.ops.enclosing import enclosing_subgraphs
from graphs import random_edges, symmetric


@pytest.mark.parametrize("part", enclosing.PARTS)
def test_pyg_cuts_the_same(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosing, "AIRPORTS", 40)
    monkeypatch.setattr(enclosing, "ARXIV", 10)
    scale = 1.0 if part == "airports" else 0.01
    for section in enclosing.PARTS[part](Setting(threads=1, scale=scale), tmp_path):
        specs = {system.peer: dict(system.spec) for system in section.systems}
        found = tasks.build(ours, specs["ours"]).answers()["sizes"]
        np.testing.assert_array_equal(found, tasks.build(on_pyg, specs["on_pyg"]).answers()["sizes"])
        assert found.min() > 0 or part == "arxiv"


def test_pyg_labels_the_same() -> None:
    edges = symmetric(random_edges(12, 30, seed=4))
    pair = torch.tensor([[2], [7]])
    nodes, cut, ends, _ = k_hop_subgraph(pair[:, 0], 2, edges, relabel_nodes=True, num_nodes=12)
    target = (cut == ends[:, None]).all(0) | (cut == ends.flip(0)[:, None]).all(0)
    theirs = on_pyg.drnl_labels(cut[:, ~target], len(nodes), int(ends[0]), int(ends[1]))
    found = enclosing_subgraphs(Graph(edges, 12), pair, 2)
    assert dict(zip(nodes.tolist(), theirs.tolist(), strict=True)) == dict(
        zip(found.nodes.tolist(), found.labels[:, 0].tolist(), strict=True)
    )
