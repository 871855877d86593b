"""What a user chooses for a comparison, and the systems that take part in most of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agdn.bench.child import System
from agdn.bench.rows import Section

STORE = "agdn"
RECOMPUTE = "agdn, recompute"
TORCH_PATH = "agdn, torch path"
DGL = "DGL"
DGL_AS_IT_COMES = "DGL, memory not kept"


@dataclass(frozen=True)
class Setting:
    """Sizes and company.

    Attributes:
        threads: Threads of every system.
        scale: Shrinks graphs and arrays; the real graphs are used at 1 only.
        dgl_python: Interpreter of an environment with DGL; None leaves DGL out.
    """

    threads: int = 2
    scale: float = 1.0
    dgl_python: Path | None = None

    @property
    def opponent(self) -> str:
        """Whom ours is compared with."""
        return TORCH_PATH if self.dgl_python is None else DGL

    def systems(self, spec: Mapping[str, Any], phases: tuple[str, ...]) -> tuple[System, ...]:
        """Ours in its forms, and DGL, on the same task."""
        spec = {**spec, "threads": self.threads}
        store, recompute = {**spec, "memory": "store"}, {**spec, "memory": "recompute"}
        compared: Any = {"phases": phases, "reference": self.opponent, "same_answers": spec["task"]}
        systems = [
            System(STORE, "ours", store, **compared),
            System(RECOMPUTE, "ours", recompute, **compared),
            System(TORCH_PATH, "ours", store, variables={"AGDN_KERNELS": "torch"}, **compared),
        ]
        if self.dgl_python is not None:
            systems.append(System(DGL, "on_dgl", spec, python=self.dgl_python, **compared))
            systems.append(
                System(DGL_AS_IT_COMES, "on_dgl", spec, python=self.dgl_python, keeps_memory=False, **compared)
            )
        return tuple(systems)


Comparison = Callable[[Setting, Path], Iterator[Section]]
