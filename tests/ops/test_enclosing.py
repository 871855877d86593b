from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from agdn.graph import Graph
from agdn.ops.enclosing import enclosing_subgraphs
from graphs import random_edges, symmetric


def drnl(a: float, b: float) -> int:
    if np.isinf(a) or np.isinf(b):
        return 0
    d = int(a + b)
    return int(1 + min(a, b) + (d // 2) * (d // 2 + d % 2 - 1))


def distances(adjacency: np.ndarray, start: int, removed: int | None) -> np.ndarray:
    kept = adjacency.copy()
    if removed is not None:
        kept[removed] = kept[:, removed] = 0
    return shortest_path(csr_array(kept), unweighted=True, indices=start)


def by_hand(edges: np.ndarray, nodes: int, u: int, v: int, hops: int, kind: str, far: int):
    """Nodes, edges and labels of a pair, slowly."""
    whole = np.zeros((nodes, nodes))
    whole[edges[0], edges[1]] = 1
    near = np.minimum(distances(whole, u, None), distances(whole, v, None)) <= hops
    members = np.flatnonzero(near)
    cut = whole.copy()
    cut[u, v] = cut[v, u] = 0
    own = cut[np.ix_(members, members)]
    place = {int(node): at for at, node in enumerate(members)}
    ends = (place[u], place[v])
    apart = kind != "de"
    a, b = (distances(own, ends[side], ends[1 - side] if apart else None) for side in range(2))
    labels = {}
    for node, at in place.items():
        if kind == "drnl":
            labels[node] = (1,) if node in (u, v) else (min(drnl(a[at], b[at]), far),)
        else:
            labels[node] = (int(min(a[at], far)), int(min(b[at], far)))
    if apart and kind != "drnl":  # an end that is not there has no distance to the other
        labels[u], labels[v] = (0, far), (far, 0)
    pairs = {(int(members[i]), int(members[j])) for i, j in zip(*own.nonzero(), strict=True)}
    return set(place), pairs, labels


@given(
    nodes=st.integers(2, 12),
    count=st.integers(0, 30),
    hops=st.integers(0, 3),
    kind=st.sampled_from(["drnl", "de", "de+"]),
    seed=st.integers(0, 10_000),
)
@settings(max_examples=80, deadline=None)
def test_subgraphs_and_labels_are_those_found_slowly(nodes: int, count: int, hops: int, kind, seed: int) -> None:
    edges = symmetric(random_edges(nodes, count, seed=seed))
    generator = np.random.default_rng(seed)
    pairs = np.array([generator.choice(nodes, 2, replace=False) for _ in range(4)]).T
    far = 5
    found = enclosing_subgraphs(Graph(edges, nodes), torch.from_numpy(pairs), hops, labels=kind, largest_label=far)
    sources, targets = found.graph.edge_index
    rows = found.graph.indptr.tolist()
    assert all(
        found.graph.indices[a:b].tolist() == sorted(found.graph.indices[a:b].tolist()) for a, b in pairwise(rows)
    )
    for p, (u, v) in enumerate(pairs.T.tolist()):
        begin, end = int(found.ptr[p]), int(found.ptr[p + 1])
        members, expected_edges, labels = by_hand(edges.numpy(), nodes, u, v, hops, kind, far)
        own = found.nodes[begin:end].tolist()
        assert own[:2] == [u, v]
        assert set(own) == members
        assert len(own) == len(members)
        mine = (targets >= begin) & (targets < end)
        listed = [
            (found.nodes[s].item(), found.nodes[t].item()) for s, t in zip(sources[mine], targets[mine], strict=True)
        ]
        assert sorted(pair for pair in listed if pair[0] != pair[1]) == sorted(expected_edges)
        assert sum(s == t for s, t in listed) == len(own)  # a self-loop each
        assert {node: tuple(label) for node, label in zip(own, found.labels[begin:end].tolist(), strict=True)} == labels


def test_a_cap_draws_as_many_as_it_says_and_the_same_for_the_same_pair() -> None:
    graph = Graph(symmetric(random_edges(200, 3000)), 200)
    pairs = torch.tensor([[3, 8, 3], [5, 9, 5]])
    found = enclosing_subgraphs(graph, pairs, 2, most_per_hop=7, seed=1)
    assert found.ptr.diff().tolist() == [16, 16, 16]
    first, third = (found.nodes[found.ptr[p] : found.ptr[p + 1]].tolist() for p in (0, 2))
    assert first == third
    alone = enclosing_subgraphs(graph, pairs[:, :1], 2, most_per_hop=7, seed=1)
    assert alone.nodes.tolist() == first
    other = enclosing_subgraphs(graph, pairs[:, :1], 2, most_per_hop=7, seed=2)
    assert other.nodes.tolist() != first
    heard = set(graph.subgraph(torch.tensor(first)).edge_index.flatten().tolist())
    assert len(heard) > 2


def test_bits_do_not_depend_on_the_number_of_threads() -> None:
    graph, pairs = Graph(symmetric(random_edges(200, 1500)), 200), torch.arange(100).view(2, 50)
    results = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        results.append(enclosing_subgraphs(graph, pairs, 2, most_per_hop=20))
    one, two = results
    for a, b in zip(one[1:], two[1:], strict=True):
        assert torch.equal(a, b)
    assert torch.equal(one.graph.indices, two.graph.indices)


def test_mistakes_are_named() -> None:
    graph = Graph(symmetric(random_edges(9, 30)), 9)
    with pytest.raises(ValueError, match="a node with itself is no pair: node 4"):
        enclosing_subgraphs(graph, torch.tensor([[4], [4]]), 1)
    with pytest.raises(ValueError, match="there are 9 nodes"):
        enclosing_subgraphs(graph, torch.tensor([[4], [9]]), 1)
    with pytest.raises(ValueError, match="hops must be 0 or more"):
        enclosing_subgraphs(graph, torch.tensor([[4], [5]]), -1)
    with pytest.raises(ValueError, match=r"labels are drnl, de, de\+"):
        enclosing_subgraphs(graph, torch.tensor([[4], [5]]), 1, labels="dnrl")  # type: ignore[arg-type]


def test_a_share_of_every_hop_is_kept() -> None:
    graph = Graph(symmetric(random_edges(80, 900)), 80)
    pairs = torch.tensor([[0, 5], [1, 9]])
    whole, part = (enclosing_subgraphs(graph, pairs, 1, share_per_hop=share) for share in (1.0, 0.3))
    for p in range(2):
        everyone, kept = (set(found.nodes[found.ptr[p] : found.ptr[p + 1]].tolist()) for found in (whole, part))
        assert kept < everyone
        assert len(kept) == 2 + int(0.3 * (len(everyone) - 2))
    with pytest.raises(ValueError, match="share_per_hop must be above 0"):
        enclosing_subgraphs(graph, pairs, 1, share_per_hop=0)
