import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import agdn
from agdn import AGDN
from agdn.data import store
from agdn.data.dataset import Dataset, NodeSplit
from agdn.experiments import exporting
from agdn.experiments.config import Data
from agdn.experiments.experiment import Experiment
from agdn.experiments.exporting import ExportError, export
from agdn.experiments.load import TrainedModel
from agdn.experiments.portable import Portable
from agdn.graph import Graph
from agdn.ops import plain_operators
from agdn.tasks.output import NodeOutput
from small_runs import small

ALONE = """
import json, sys
sys.modules.update(agdn=None, numba=None, sklearn=None)
import torch
extra = {"agdn.json": ""}
program = torch.export.load(sys.argv[1], extra_files=extra).module()
inputs = torch.load(sys.argv[2], weights_only=True)
torch.save(program(inputs.pop("x"), inputs.pop("edge_index"), **inputs), sys.argv[3])
print(extra["agdn.json"])
"""


def trained_on(folder: Path, *changes: str) -> TrainedModel:
    return agdn.load(Experiment(small("training.epochs=2", *changes), 0, folder / "run").run())


def listed(trained: TrainedModel) -> dict[str, torch.Tensor]:
    """Features and edges of the run's data as they were before anything was done to them."""
    data = agdn.load_dataset(trained.config.data.name, seed=0, options=trained.config.data.options)
    signals = {"x": data.x, "edge_index": data.graph.edge_index}
    signals |= {"edge_attr": data.edge_attr, "edge_weight": data.edge_weight}
    return {name: signal for name, signal in signals.items() if signal is not None}


def run_alone(file: Path, signals: dict[str, torch.Tensor]) -> tuple[torch.Tensor, dict]:
    """What the file gives in a process that has torch and nothing of ours."""
    given, answer = file.with_name("given.pt"), file.with_name("answer.pt")
    torch.save(signals, given)
    said = subprocess.run(
        [sys.executable, "-P", "-c", ALONE, file, given, answer],
        capture_output=True,
        text=True,
        check=True,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        cwd=file.parent,
    ).stdout
    return torch.load(answer, weights_only=True), json.loads(said)


def test_the_file_runs_without_the_library_on_the_data_of_the_run(tmp_path: Path) -> None:
    trained = trained_on(tmp_path)
    written = export(trained, tmp_path / "model.pt2")
    outputs, told = run_alone(written.file, listed(trained))
    torch.testing.assert_close(outputs, trained.outputs(), rtol=1e-4, atol=1e-4)
    assert told == json.loads(json.dumps(written.description))
    assert told["inputs"] == {
        "x": "(nodes, 16) float32 features",
        "edge_index": "(2, edges) int64, sources in row 0 and targets in row 1",
    }
    assert told["done_inside"] == ["every node has exactly one self-loop"]
    assert written.difference < 1e-4


def numeric_with_edge_signals(folder: Path, **changes: object) -> Path:
    """A stored set with a number a node, and features and weights on the edges."""
    draw, nodes = torch.Generator().manual_seed(0), torch.arange(40)
    fields = {
        "name": "numbers",
        "graph": Graph(torch.randint(40, (2, 150), generator=draw), 40),
        "target": "numeric",
        "metric": "mae",
        "splits": (NodeSplit(nodes[:20], nodes[20:30], nodes[30:]),),
        "x": torch.randn(40, 3, generator=draw),
        "y": 100 + 10 * torch.randn(40, generator=draw),
        "edge_attr": torch.rand(150, 2, generator=draw),
        "edge_weight": torch.rand(150, generator=draw),
    }
    store.save(Dataset(**{**fields, **changes}), folder / "stored", key="")
    return folder / "stored"


def test_edge_signals_are_inputs_and_numbers_come_in_the_users_units(tmp_path: Path) -> None:
    name = numeric_with_edge_signals(tmp_path)
    changes = ("data.options={}", "data.reverse_edges=merge", "data.self_loops=add", "model.edge_dim=2")
    trained = trained_on(tmp_path, f"data.name={name}", *changes)
    written = export(trained, tmp_path / "model.pt2")
    outputs, told = run_alone(written.file, listed(trained))
    assert list(told["inputs"]) == ["x", "edge_index", "edge_attr", "edge_weight"]
    assert outputs.tolist() == pytest.approx(trained.predict().columns["prediction"], rel=1e-4)


MODELS = {
    "hops of every kind": "model={name: AGDN, hidden_channels: 4, heads: 2, transition: gat_sym, weighting: HA+HC, "
    "hop_norm: layer, position: true, norm: layer, encoder_channels: 5}",
    "fixed weights": "model={name: AGDN, hidden_channels: 4, transition: sym, weighting: PPR, output: linear}",
    "adjusted attention": "model={name: AGDN, hidden_channels: 4, transition: gat_adj, weighting: HC, skip: input}",
    "GCN": "model={name: GCN, hidden_channels: 4}",
    "GAT": "model={name: GAT, hidden_channels: 4, heads: 2}",
    "GraphSAGE": "model={name: GraphSAGE, hidden_channels: 4}",
    "MLP": "model={name: MLP, hidden_channels: 4}",
    "APPNP": "model={name: APPNP, hidden_channels: 4}",
    "ChebNet": "model={name: ChebNet, hidden_channels: 4}",
    "DAGNN": "model={name: DAGNN, hidden_channels: 4, hops: 3}",
    "DCNN": "model={name: DCNN}",
    "GPRGNN": "model={name: GPRGNN, hidden_channels: 4, hops: 3}",
    "MixHop": "model={name: MixHop, hidden_channels: 4}",
    "NGCN": "model={name: NGCN, hidden_channels: 4, hops: 2, combine: attention}",
    "SGC": "model={name: SGC}",
    "SIGN": "model={name: SIGN, hidden_channels: 4}",
    "SSGC": "model={name: SSGC, hops: 3}",
    "TAGCN": "model={name: TAGCN, hidden_channels: 4}",
}


@pytest.mark.parametrize("model", MODELS)
def test_every_model_is_the_same_outside(model: str, tmp_path: Path) -> None:
    trained = trained_on(tmp_path, MODELS[model])
    export(trained, tmp_path / "model.pt2")
    outputs = torch.export.load(tmp_path / "model.pt2").module()(*listed(trained).values())
    torch.testing.assert_close(outputs, trained.outputs(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("scaling", ["none", "row"])
@pytest.mark.parametrize("self_loops", ["keep", "add", "remove"])
@pytest.mark.parametrize("reverse_edges", ["none", "merge", "append"])
def test_edges_are_prepared_as_in_training(reverse_edges: str, self_loops: str, scaling: str) -> None:
    """With edges that repeat, lead backwards and loop; attention that asks both ends; features and weights on edges."""
    data = Data(name="x", reverse_edges=reverse_edges, self_loops=self_loops, scaling=scaling)
    model = AGDN(3, 4, 2, transition="gat_sym", edge_dim=2).eval()
    portable = Portable(model, data, NodeOutput("class"))
    signals = {
        "x": torch.rand(5, 3),
        "edge_index": torch.tensor([[0, 1, 1, 2, 2, 2, 4], [1, 0, 2, 1, 1, 2, 2]]),
        "edge_attr": torch.rand(7, 2),
        "edge_weight": torch.rand(7),
    }
    with torch.no_grad(), plain_operators():
        torch.testing.assert_close(portable(**signals), portable.expected(signals))


def test_without_node_features_they_are_the_sums_of_edge_features(tmp_path: Path) -> None:
    name = numeric_with_edge_signals(tmp_path, x=None)
    changes = ("data.options={}", "data.self_loops=keep", "model.edge_dim=2")
    trained = trained_on(tmp_path, f"data.name={name}", *changes)
    written = export(trained, tmp_path / "model.pt2")
    assert "the sum of the features of the edges" in written.description["inputs"]["x"]
    signals = listed(trained)
    signals["x"] = torch.zeros(40, 2).index_add(0, signals["edge_index"][1], signals["edge_attr"])
    edges = {name: signals[name] for name in ("edge_attr", "edge_weight")}
    outputs = torch.export.load(written.file).module()(signals["x"], signals["edge_index"], **edges)
    assert outputs.tolist() == pytest.approx(trained.predict().columns["prediction"], rel=1e-4)
    changed = trained_on(tmp_path / "b", f"data.name={name}", *changes, "data.self_loops=add")
    with pytest.raises(ValueError, match="cannot change the edges that they are the sums of"):
        export(changed, tmp_path / "model.pt2")


def test_a_mean_over_all_nodes_and_edges_that_change_do_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="norm pair takes a mean over all nodes"):
        export(trained_on(tmp_path, "model.norm=pair"), tmp_path / "model.pt2")


def test_a_model_that_differs_outside_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = trained_on(tmp_path)
    faithful = exporting.traced

    def unfaithful(model, signals):
        program = faithful(model, signals)
        next(iter(program.state_dict.values())).data.add_(0.1)
        return program

    def on_copy(model, signals):
        import copy

        return unfaithful(copy.deepcopy(model), signals)

    monkeypatch.setattr(exporting, "traced", on_copy)
    with pytest.raises(ExportError, match=r"differs by .* on a graph of 64 nodes and 300 edges; nothing was written"):
        export(trained, tmp_path / "model.pt2")
    assert not (tmp_path / "model.pt2").exists()


def test_our_own_operators_do_not_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import nullcontext

    trained = trained_on(tmp_path)
    monkeypatch.setattr(exporting, "plain_operators", nullcontext)
    with pytest.raises(ExportError, match=r"would need the operator agdn\."):
        export(trained, tmp_path / "model.pt2")


def test_models_that_need_labels_stay(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is given the labels of its training nodes"):
        export(trained_on(tmp_path / "a", "task.labels={}"), tmp_path / "model.pt2")
    with pytest.raises(ValueError, match="is given degrees as features"):
        export(trained_on(tmp_path / "c", "data.degree=true"), tmp_path / "model.pt2")
    with pytest.raises(ValueError, match="knows its nodes by themselves"):
        export(trained_on(tmp_path / "i", "data.node_ids=join"), tmp_path / "model.pt2")
    with pytest.raises(ValueError, match="is given features of walks"):
        export(trained_on(tmp_path / "w", "data.walks={channels: 4}"), tmp_path / "model.pt2")
    with pytest.raises(ValueError, match="are corrected by the labels of its data"):
        export(trained_on(tmp_path / "b", "task.correct_and_smooth={}"), tmp_path / "model.pt2")


@pytest.mark.parametrize(
    ("file", "form", "sentence"),
    [
        ("model.pth", None, "ends in .pt2 or .onnx"),
        ("model.pt2", "onnx", "ends as pt2 does, but the format is to be onnx"),
        ("nowhere/model.pt2", None, "does not exist"),
    ],
)
def test_a_place_that_will_not_do_is_found_out_first(file: str, form: str | None, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        exporting.chosen_format(Path(file), form)
