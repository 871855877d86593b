import gzip
from pathlib import Path

import numpy as np
import pytest

from agdn.bench import graphs


def test_the_real_graphs_have_their_published_size(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGDN_DATA", str(real_data))
    arxiv, ddi = graphs.arxiv(), graphs.ddi()
    assert (arxiv.num_nodes, arxiv.edge_index.shape) == (169_343, (2, 2_501_829))
    assert (ddi.num_nodes, ddi.edge_index.shape) == (4_267, (2, 2_135_822))
    assert str(arxiv) == "ogbn-arxiv, 169,343 nodes, 2,501,829 edges"


@pytest.mark.parametrize("make", [graphs.arxiv, graphs.ddi])
def test_a_shrunk_graph_is_generated_and_symmetric(make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGDN_DATA", str(tmp_path))
    graph = make(0.01)
    assert graph.name.startswith("generated")
    forward = set(map(tuple, graph.edge_index.T.tolist()))
    assert forward == {(v, u) for u, v in forward}
    assert graph.edge_index.max() < graph.num_nodes


def test_the_generated_arxiv_graph_has_the_real_size_and_a_heavy_tail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGDN_DATA", raising=False)
    graph = graphs.arxiv()
    assert graph.edge_index.shape == (2, 2_501_829)
    degree = np.bincount(graph.edge_index[1], minlength=graph.num_nodes)
    assert degree.min() >= 1  # the self-loop
    assert degree.max() > 100 * degree.mean()


def test_the_products_graph_keeps_its_mean_degree_when_it_is_shrunk() -> None:
    graph = graphs.products(0.001)
    assert (graph.num_nodes, graph.edge_index.shape) == (2_449, (2, 123_718))
    degree = np.bincount(graph.edge_index[1], minlength=graph.num_nodes)
    assert degree.max() > 5 * degree.mean()


def test_the_hub_has_the_degree_that_it_names() -> None:
    graph = graphs.hub()
    for end in graph.edge_index:
        assert np.bincount(end).max() == 100_000
    assert "hub of degree 100,000" in str(graph)


@pytest.mark.parametrize("content", ["1,2,3\n", "1,-2\n", "1,4267\n", "one,two\n"])
def test_a_broken_edge_file_is_named(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "ogbl_ddi" / "raw" / "edge.csv.gz"
    file.parent.mkdir(parents=True)
    file.write_bytes(gzip.compress(content.encode()))
    monkeypatch.setenv("AGDN_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=r"edge\.csv\.gz"):
        graphs.ddi()
    file.unlink()
    with pytest.raises(ValueError, match="unset it to measure on a generated graph"):
        graphs.ddi()
