"""ONNX files give what the model gives, in a runtime that is not torch; with ``agdn[onnx]`` installed."""

import json
from pathlib import Path

import pytest
import torch

import agdn
from agdn.experiments import onnx_file
from agdn.experiments.experiment import Experiment
from agdn.experiments.exporting import export
from small_runs import small

MODELS = {
    "attention": "model={name: AGDN, hidden_channels: 4, heads: 2, transition: gat_sym, weighting: HA+HC, "
    "hop_norm: layer, position: true}",
    "fixed weights": "model={name: AGDN, hidden_channels: 4, transition: sym, weighting: PPR, output: linear}",
    "MLP": "model={name: MLP, hidden_channels: 4}",
}


@pytest.mark.parametrize("model", MODELS)
def test_onnxruntime_agrees_on_the_data_of_the_run(model: str, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: pip install 'agdn[onnx]'")
    pytest.importorskip("onnxscript", reason="onnxscript is not installed: pip install 'agdn[onnx]'")
    config = small("training.epochs=1", "data.reverse_edges=merge", MODELS[model])
    trained = agdn.load(Experiment(config, 0, tmp_path / "run").run())
    written = export(trained, tmp_path / "model.onnx")
    session = runtime.InferenceSession(written.file, providers=["CPUExecutionProvider"])
    told = json.loads(session.get_modelmeta().custom_metadata_map["agdn"])
    assert list(told["inputs"]) == ["x", "edge_index"]
    data = agdn.load_dataset("csbm", seed=0, options={"num_nodes": 120})
    given = {"x": data.x.numpy(), "edge_index": data.graph.edge_index.numpy()}
    known = [entry.name for entry in session.get_inputs()]
    outputs = session.run(None, {name: given[name] for name in known})[0]
    torch.testing.assert_close(torch.from_numpy(outputs), trained.outputs(), rtol=1e-4, atol=1e-4)


def test_a_package_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_file, "PACKAGES", ("a_package_that_nobody_has",))
    trained = agdn.load(Experiment(small("training.epochs=1"), 0, tmp_path / "run").run())
    with pytest.raises(ValueError, match=r"ONNX needs a_package_that_nobody_has: pip install 'agdn\[onnx\]'"):
        export(trained, tmp_path / "model.onnx")
