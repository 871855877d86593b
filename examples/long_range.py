"""A task that one hop a layer cannot solve: AGDN against a GAT of the same depth.

Each of many paths carries its class at one end only; the node at the other end has to tell it, six steps away. Two
layers of one hop see two steps, two layers of six hops see twelve.
"""

import argparse
import time

import torch
import torch.nn.functional as F
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch_geometric.nn import GAT

from agdn import AGDN, Graph

CLASSES, LENGTH, NOISE_CHANNELS = 4, 7, 1


def paths(count: int, seed: int) -> tuple[Tensor, Graph, Tensor, Tensor]:
    """Features, graph, the far end of every path, and its class."""
    generator = torch.Generator().manual_seed(seed)
    label = torch.randint(CLASSES, (count,), generator=generator)
    node = torch.arange(count * LENGTH).view(count, LENGTH)
    steps = torch.stack([node[:, :-1].flatten(), node[:, 1:].flatten()])
    x = torch.zeros(count * LENGTH, CLASSES + NOISE_CHANNELS)
    x[:, CLASSES:] = torch.randn(count * LENGTH, NOISE_CHANNELS, generator=generator)
    x[node[:, 0], label] = 1.0
    return x, Graph(steps, x.size(0)).undirected(), node[:, -1], label


def trained(model: nn.Module, structure: Graph | Tensor, x: Tensor, ends: Tensor, label: Tensor, epochs: int) -> float:
    """Train on the first half of the paths, choose by the next quarter, return the accuracy on the last."""
    quarter = len(ends) // 4
    train, valid, test = torch.arange(len(ends)).split([2 * quarter, quarter, len(ends) - 3 * quarter])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    best, best_test = -1.0, 0.0
    for _ in range(epochs):
        model.train()
        optimizer.zero_grad()
        F.cross_entropy(model(x, structure)[ends[train]], label[train]).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            right = (model(x, structure)[ends].argmax(1) == label).float()
        if float(right[valid].mean()) > best:
            best, best_test = float(right[valid].mean()), float(right[test].mean())
    return best_test


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)  # the tensors are small

    width, depth, hops = 16, 2, 6
    systems = {
        "GAT, 1 hop a layer": lambda c: GAT(c, width, depth, CLASSES, heads=2, add_self_loops=False),
        "AGDN-HA, 6 hops a layer": lambda c: AGDN(c, width, CLASSES, depth, heads=2, hops=hops),
        "AGDN-HC, 6 hops a layer": lambda c: AGDN(c, width, CLASSES, depth, heads=2, hops=hops, weighting="HC"),
    }
    table = Table("system", "sees", "parameters", "test accuracy", "seconds", title="Which class lies six steps away?")
    for name, build in systems.items():
        scores, start = [], time.perf_counter()
        for seed in range(options.seeds):
            x, graph, ends, label = paths(400, seed)
            torch.manual_seed(seed)
            model = build(x.size(1))
            structure = graph.edge_index if isinstance(model, GAT) else graph
            scores.append(100 * trained(model, structure, x, ends, label, options.epochs))
        spread = torch.tensor(scores).std().item() if len(scores) > 1 else 0.0
        table.add_row(
            name,
            f"{depth * (1 if isinstance(model, GAT) else hops)} steps",
            f"{sum(p.numel() for p in model.parameters()):,}",
            f"{sum(scores) / len(scores):.1f} ± {spread:.1f} %",
            f"{(time.perf_counter() - start) / options.seeds:.1f}",
        )
    console = Console()
    console.print(table)
    console.print(f"Chance is {100 / CLASSES:.0f} %; mean and standard deviation over {options.seeds} seeds.")


if __name__ == "__main__":
    main()
