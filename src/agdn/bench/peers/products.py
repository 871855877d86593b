"""The dense and the sparse products of a layer, each alone in plain torch: the floor under everybody's layer."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor

Phases = dict[str, Callable[[], object]]


class DenseMatmuls:
    """The transform and the residual forward, two matmuls more for each of them backward."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        self.x, self.upstream = _load(folder, "x"), _load(folder, "upstream")
        width = spec["heads"] * spec["channels"]
        self.weights = [torch.randn(width, self.x.size(1)) for _ in ("transform", "residual")]
        self.phases: Phases = {"inference": self.forward, "forward + backward": self.forward_backward}

    def reset(self) -> None:
        pass

    def forward(self) -> list[Tensor]:
        return [self.x @ weight.t() for weight in self.weights]

    def forward_backward(self) -> None:
        self.forward()
        for weight in self.weights:
            self.upstream @ weight
            self.upstream.t() @ self.x

    def answers(self) -> dict[str, np.ndarray[Any, Any]]:
        return {}


class SparseProducts:
    """CSR products, head by head and with nothing learned: K of them for inference, 2K for training."""

    def __init__(self, peer: ModuleType, spec: dict[str, Any], folder: Path) -> None:
        source, target = _load(folder, "edge_index")
        num_nodes = _load(folder, "x").size(0)
        order = torch.argsort(target * num_nodes + source)
        columns = source[order].int()
        indptr = torch.zeros(num_nodes + 1, dtype=torch.int32)
        indptr[1:] = torch.bincount(target, minlength=num_nodes).cumsum(0)
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        size, heads = (num_nodes, num_nodes), range(spec["heads"])
        self.matrices = [
            torch.sparse_csr_tensor(indptr, columns, torch.rand(len(order)), size, check_invariants=False)
            for _ in heads
        ]
        self.z = [torch.randn(num_nodes, spec["channels"]) for _ in heads]
        self.phases: Phases = {
            "inference": lambda: self.products(spec["hops"]),
            "forward + backward": lambda: self.products(2 * spec["hops"]),
        }

    def reset(self) -> None:
        pass

    def products(self, count: int) -> None:
        for _ in range(count):
            for matrix, z in zip(self.matrices, self.z, strict=True):
                matrix @ z

    def answers(self) -> dict[str, np.ndarray[Any, Any]]:
        return {}


def _load(folder: Path, name: str) -> Tensor:
    return torch.from_numpy(np.load(folder / f"{name}.npy", mmap_mode="c", allow_pickle=False))


TASKS = {"dense": DenseMatmuls, "csr": SparseProducts}
