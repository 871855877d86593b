"""``check_dataset``: a table of what a dataset is, and everything in it that training would trip over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt

from agdn.data.check_signals import label_findings, signal_findings
from agdn.data.check_splits import split_findings
from agdn.data.dataset import Dataset, EdgeSplit
from agdn.data.finding import Finding as Finding
from agdn.data.stats import (
    adjusted_homophily,
    component_sizes,
    edge_homophily,
    is_symmetric,
    num_duplicates,
    num_isolated,
    num_self_loops,
)
from agdn.graph import INT32_LIMIT, Graph

SEVERITIES = ("error", "warning", "note")
MAX_NODES = isqrt(2**63 - 1)  # beyond it the key source * N + target of an edge no longer fits 64 bits


@dataclass(frozen=True)
class CheckReport:
    """The table, and the findings with the gravest first."""

    table: list[tuple[str, str]]
    findings: list[Finding]

    @property
    def ok(self) -> bool:
        return all(finding.severity != "error" for finding in self.findings)


def check_dataset(dataset: Dataset) -> CheckReport:
    """Look at everything in the dataset. It reads all of it and changes nothing."""
    findings = [
        *_graph_findings(dataset.graph, weighted=dataset.edge_weight is not None),
        *signal_findings(dataset),
        *label_findings(dataset),
        *split_findings(dataset),
        *(Finding("note", note, dataset.name, "none is needed: results carry this note") for note in dataset.notes),
    ]
    return CheckReport(_table(dataset), sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))


def size_findings(num_nodes: int, num_edges: int) -> Iterator[Finding]:
    """Whether the numbers of nodes and edges fit the integers that they are counted with."""
    if num_nodes > MAX_NODES:
        what = f"{num_nodes} nodes: the number of a node pair does not fit 64 bits"
        yield Finding("error", what, "graph", f"keep to {MAX_NODES} nodes; split the graph")
    elif max(num_nodes, num_edges) > INT32_LIMIT:
        what = f"{num_nodes} nodes and {num_edges} edges pass 2^31, so ids take 64 bits"
        yield Finding("warning", what, "graph", "expect twice the memory for structure; cast no id to int32")


def _graph_findings(graph: Graph, *, weighted: bool) -> Iterator[Finding]:
    yield from size_findings(graph.num_nodes, graph.num_edges)
    if graph.num_nodes == 0:
        yield Finding("error", "there are no nodes", "graph", "check what the edges and nodes were read from")
        return
    if graph.num_edges == 0:
        yield Finding("error", "there are no edges", "graph", "check the edge file; a model without a graph needs none")
        return
    if loops := num_self_loops(graph):
        yield Finding("note", f"{loops} self-loops", "graph", "models that add their own drop these first")
    if (duplicates := num_duplicates(graph)) and not weighted:
        remedy = "merge them with graph.coalesced(), unless an edge should count as often as it is listed"
        yield Finding("warning", f"{duplicates} edges repeat another one", "graph", remedy)
    if isolated := num_isolated(graph):
        remedy = "none is needed: such a node is told by its own features alone"
        yield Finding("note", f"{isolated} nodes have no neighbour", "graph", remedy)
    if not is_symmetric(graph):
        remedy = "add reverse edges with graph.undirected() if messages should pass both ways"
        yield Finding("note", "edges go one way", "graph", remedy)


def _table(dataset: Dataset) -> list[tuple[str, str]]:
    graph, y = dataset.graph, dataset.y
    components = component_sizes(graph)
    rows = [
        ("name", dataset.name),
        ("nodes", f"{graph.num_nodes:,}"),
        ("edges", f"{graph.num_edges:,} ({'both directions' if is_symmetric(graph) else 'directed'})"),
        ("features", "none" if dataset.x is None else str(dataset.x.size(-1))),
        ("edge features", "none" if dataset.edge_attr is None else str(dataset.edge_attr.size(-1))),
        ("target", f"{dataset.target}, scored by {dataset.metric}"),
    ]
    if dataset.target != "link":
        rows.append(("tasks" if dataset.target == "multilabel" else "classes", str(dataset.num_classes)))
    if dataset.target == "class" and y is not None and y.shape == (graph.num_nodes,) and not y.is_floating_point():
        rows.append(("homophily", f"{edge_homophily(graph, y):.3f} (adjusted {adjusted_homophily(graph, y):.3f})"))
    rows += [
        ("components", f"{len(components):,}" + (f" (largest {components[0]:,})" if len(components) else "")),
        ("isolated nodes", f"{num_isolated(graph):,}"),
        ("duplicate edges", f"{num_duplicates(graph):,}"),
        ("self-loops", f"{num_self_loops(graph):,}"),
    ]
    if dataset.splits:
        split = dataset.splits[0]
        sizes = [getattr(split, part).size(-1) for part in ("train", "valid", "test")]
        unit = "edges" if isinstance(split, EdgeSplit) else "nodes"
        rows.append(("splits", f"{len(dataset.splits)} ({' / '.join(f'{size:,}' for size in sizes)} {unit})"))
    return rows
