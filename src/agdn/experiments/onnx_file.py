"""The traced model as ONNX, for programs without torch; needs ``agdn[onnx]``."""

from __future__ import annotations

import importlib.util
import json
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.export import ExportedProgram

PACKAGES = ("onnx", "onnxscript", "onnxruntime")


def require_onnx() -> None:
    missing = [package for package in PACKAGES if importlib.util.find_spec(package) is None]
    if missing:
        raise ValueError(f"ONNX needs {missing[0]}: pip install 'agdn[onnx]', or write a .pt2 file")


def onnx_bytes(program: ExportedProgram, told: dict[str, Any]) -> bytes:
    """The file, with what it holds in its metadata as ``agdn``."""
    table = torch.export.default_decompositions()
    table[torch.ops.aten.embedding_bag.padding_idx] = _gathered_bags
    table[torch.ops.aten.sort.stable] = _sorted
    with _silent():
        exported = torch.onnx.export(program.run_decompositions(table), output_names=["outputs"], verbose=False)
    assert exported is not None
    model = exported.model_proto
    entry = model.metadata_props.add()
    entry.key, entry.value = "agdn", json.dumps(told, ensure_ascii=False)
    content: bytes = model.SerializeToString()
    return content


def onnx_function(content: bytes) -> Callable[..., Tensor]:
    """The file as onnxruntime runs it."""
    import onnxruntime

    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_inputs()]

    def run(x: Tensor, edge_index: Tensor, **edges: Tensor) -> Tensor:
        given = {"x": x, "edge_index": edge_index, **edges}
        return torch.from_numpy(session.run(None, {name: given[name].numpy() for name in names})[0])

    return run


@contextmanager
def _silent() -> Iterator[None]:
    """The converter warns of libraries that are not there and of itself; what counts is the comparison that follows."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _sorted(
    values: Tensor, *, stable: bool | None = None, dim: int = -1, descending: bool = False
) -> tuple[Tensor, Tensor]:
    """ONNX has one way to sort, and in it the first of equal values comes first."""
    ordered: tuple[Tensor, Tensor] = torch.ops.aten.sort.default(values, dim, descending)
    return ordered


def _gathered_bags(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Tensor,
    include_last_offset: bool,
    padding_idx: int | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A sum of weighted bags, the only form that a hop has, from operators that ONNX has; the first is the result."""
    began = torch.zeros(indices.size(0) + 1, dtype=torch.int64).index_add(0, offsets, torch.ones_like(offsets))
    bag = began.cumsum(0)[:-1] - 1
    rows = weight[indices] * per_sample_weights.unsqueeze(1)
    summed = weight.new_zeros(offsets.size(0) - 1, weight.size(1)).index_add(0, bag, rows)
    return summed, offsets, offsets, offsets
