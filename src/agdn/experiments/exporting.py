"""``agdn export``: a trained model as a file that runs without this library.

The model is traced on a small graph in torch's own operators. What the file gives is then compared with what the model
gives on graphs of other sizes, and only where they agree is the file written.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.export import Dim, ExportedProgram

from agdn.data.atomic import write_bytes
from agdn.experiments.load import TrainedModel
from agdn.experiments.portable import Portable, description, portable, random_signals
from agdn.ops import plain_operators

FORMATS = {".pt2": "pt2", ".onnx": "onnx"}
EXAMPLE = (13, 37)  # nodes and edges of the graph that is traced
OTHERS = ((64, 300), (401, 1500), (29, 11))
TOLERANCE = 1e-4  # of the largest output
DESCRIPTION = "agdn.json"

Signals = dict[str, Tensor]


class ExportError(ValueError):
    """The model cannot leave the library, or would not be the same outside; the message says why."""


@dataclass(frozen=True)
class Export:
    """A file that was written, and the largest difference from the model that was seen before."""

    file: Path
    format: str
    description: dict[str, Any]
    difference: float


def export(trained: TrainedModel, path: Path | str, form: str | None = None) -> Export:
    """Write the model of a run to ``path``; ``form`` is pt2 or onnx, by default what the path ends in."""
    path = Path(path)
    form = chosen_format(path, form)
    model, told = portable(trained), description(trained)
    program = traced(model, random_signals(trained, *EXAMPLE, seed=0))
    if form == "onnx":
        from agdn.experiments.onnx_file import onnx_bytes, onnx_function

        try:
            content = onnx_bytes(program, told)
            exported = onnx_function(content)
        except Exception as error:
            raise ExportError(f"this model cannot be written as ONNX: {_first_line(_root(error))}") from error
    else:
        content = _pt2_bytes(program, told)
        exported = torch.export.load(io.BytesIO(content)).module()
    difference = 0.0
    for seed, (nodes, edges) in enumerate(OTHERS, 1):
        signals = random_signals(trained, nodes, edges, seed=seed)
        difference = max(difference, _difference(model, exported, signals))
    write_bytes(path, content)
    return Export(path, form, told, difference)


def chosen_format(path: Path, form: str | None) -> str:
    """Before any work is done: what the file is to be, and that it can be written."""
    by_ending = FORMATS.get(path.suffix)
    if by_ending is None:
        raise ValueError(f"{path}: a model is exported to a file that ends in {' or '.join(FORMATS)}")
    if form is not None and form != by_ending:
        raise ValueError(f"{path} ends as {by_ending} does, but the format is to be {form}; change one of them")
    if not path.parent.is_dir():
        raise ValueError(f"the folder {path.parent} does not exist; a model goes into one that does")
    if by_ending == "onnx":
        from agdn.experiments.onnx_file import require_onnx

        require_onnx()
    return by_ending


def traced(model: Portable, signals: Signals) -> ExportedProgram:
    """The model as a graph of torch's own operators, for any number of nodes and edges."""
    nodes, edges = Dim("nodes"), Dim("edges")
    dimensions = {"x": {0: nodes}, "edge_index": {1: edges}, "edge_attr": {0: edges}, "edge_weight": {0: edges}}
    further = {name: signal for name, signal in signals.items() if name.startswith("edge_") and name != "edge_index"}
    try:
        with torch.no_grad(), plain_operators():
            program = torch.export.export(
                model,
                (signals["x"], signals["edge_index"]),
                kwargs=further,
                dynamic_shapes={name: dimensions[name] for name in signals},
            )
    except Exception as error:
        raise ExportError(f"torch cannot trace this model for any number of nodes: {_first_line(error)}") from error
    own = sorted({str(node.target) for node in program.graph.nodes if str(node.target).startswith("agdn.")})
    if own:
        raise ExportError(f"the file would need the operator {own[0]}, which torch alone does not have")
    return program


def _pt2_bytes(program: ExportedProgram, told: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    torch.export.save(program, buffer, extra_files={DESCRIPTION: json.dumps(told, indent=1, ensure_ascii=False)})
    return buffer.getvalue()


def _difference(model: Portable, exported: Callable[..., Tensor], signals: Signals) -> float:
    """The largest one, if it is within bounds."""
    given = dict(signals)
    x, edge_index = given.pop("x"), given.pop("edge_index")
    with torch.no_grad():
        expected = model.expected(signals)
        try:
            outputs = exported(x, edge_index, **given)
        except Exception as error:
            raise ExportError(
                f"the exported model fails on a graph of {len(x)} nodes and {edge_index.size(1)} edges: "
                f"{_first_line(error)}"
            ) from error
    if outputs.shape != expected.shape or not bool(expected.isfinite().all()):
        raise ExportError(f"the outputs have the shape {tuple(outputs.shape)}, or the model gives NaN or infinity")
    difference = float((outputs - expected).abs().max())
    if not difference <= TOLERANCE * max(1.0, float(expected.abs().max())):
        raise ExportError(
            f"the exported model differs by {difference:.2g} from the trained one on a graph of {len(x)} nodes and "
            f"{edge_index.size(1)} edges; nothing was written"
        )
    return difference


def _root(error: BaseException) -> BaseException:
    return error if error.__cause__ is None else _root(error.__cause__)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
