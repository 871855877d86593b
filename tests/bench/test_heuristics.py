from pathlib import Path

import numpy as np
import pytest

from agdn.bench import graphs
from agdn.bench.heuristics import NEGATIVES, PHASES, POSITIVES, generated_pairs, published_pairs, shared_neighbours
from agdn.bench.peers import on_scipy, ours, tasks
from agdn.bench.setting import Setting


def test_the_published_pairs_are_all_of_them(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGDN_DATA", str(real_data))
    assert published_pairs().shape == (2, POSITIVES + NEGATIVES)


def test_generated_pairs_are_half_links() -> None:
    graph = graphs.ddi(0.01)
    pairs = generated_pairs(graph, 0.01)
    positives = round(POSITIVES / 100)
    assert pairs.shape == (2, positives + round(NEGATIVES / 100))
    links = set(map(tuple, graph.edge_index.T.tolist()))
    assert set(map(tuple, pairs[:, :positives].T.tolist())) <= links
    assert 0 <= pairs.min() <= pairs.max() < graph.num_nodes


def test_scipy_computes_the_same(tmp_path: Path) -> None:
    (section,) = shared_neighbours(Setting(threads=1, scale=0.005), tmp_path)
    specs = {system.peer: dict(system.spec) for system in section.systems}
    answers = tasks.build(ours, specs["ours"]).answers()
    expected = tasks.build(on_scipy, specs["on_scipy"]).answers()
    assert tuple(answers) == tuple(expected) == PHASES
    for phase in PHASES:
        assert answers[phase].any()
        np.testing.assert_allclose(answers[phase], expected[phase], rtol=1e-5)
