import csv
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest
import torch

import agdn
from agdn.experiments.experiment import Experiment
from agdn.experiments.load import TrainedModel
from small_runs import import_small, small, write_tables


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> TrainedModel:
    folder = tmp_path_factory.mktemp("trained")
    stored = import_small(folder)
    changes = (f"data.name={stored}", "training.epochs=40", "model.dropout=0")
    return agdn.load(Experiment(small(*changes), 0, folder / "run").run())


def test_a_loaded_model_scores_as_it_did(trained: TrainedModel) -> None:
    assert trained.evaluate() == trained.run.scores
    assert not trained.model.training
    assert trained(trained.dataset.x, trained.dataset.graph).shape == (60, 2)


def test_predictions_of_its_own_data(trained: TrainedModel) -> None:
    columns = trained.predict().columns
    assert list(columns) == [
        "id",
        "prediction",
        "probability_even",
        "probability_odd",
        *(f"layer_{layer}_hop_{hop}" for layer in (1, 2) for hop in (0, 1, 2)),
    ]
    assert columns["id"] == [f"n{row}" for row in range(60)]
    assert set(columns["prediction"]) == {"even", "odd"}
    sums = [even + odd for even, odd in zip(columns["probability_even"], columns["probability_odd"], strict=True)]
    assert sums == pytest.approx([1.0] * 60)
    hops = zip(*(columns[f"layer_1_hop_{hop}"] for hop in range(3)), strict=True)
    assert [sum(weights) for weights in hops] == pytest.approx([1.0] * 60, abs=1e-5)


def test_layer_by_layer_it_says_the_same(trained: TrainedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agdn.ops.storage.ROW_BLOCK", 16)
    bounded = agdn.load(trained.run.folder, memory="1kB")
    assert bounded.evaluate() == trained.evaluate()
    mine, others = bounded.predict().columns, trained.predict().columns
    assert list(mine) == list(others)
    assert mine["prediction"] == others["prediction"]
    for name in list(mine)[2:]:
        assert mine[name] == pytest.approx(others[name], abs=1e-5), name
    assert (bounded.embed().values == trained.embed().values).all()


def test_a_run_may_evaluate_layer_by_layer(tmp_path: Path) -> None:
    config = small("inference_memory=1kB", "task.labels={reuse: 1}")
    run = Experiment(config, 0, tmp_path / "bounded").run()
    bounded, whole = agdn.load(run), replace(agdn.load(run), inference_memory=None)
    assert bounded.evaluate() == run.scores
    torch.testing.assert_close(bounded.outputs(), whole.outputs().detach(), rtol=1e-4, atol=1e-5)


def test_new_tables_give_what_the_old_ones_gave(trained: TrainedModel, tmp_path: Path) -> None:
    """The same rows in new tables, without the target, are the same nodes to the model."""
    nodes, edges = write_tables(tmp_path / "again", target=False)
    old, new = trained.predict().columns, trained.predict(nodes, edges).columns
    assert new["prediction"] == old["prediction"]
    assert new["probability_odd"] == pytest.approx(old["probability_odd"], abs=1e-5)


def test_new_nodes_may_join_the_old_graph(trained: TrainedModel, tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("id,size,colour\nx,0.01,red\ny,1.01,blue\n")
    (tmp_path / "edges.csv").write_text("source,target\nx,n0\nx,n2\ny,n1\ny,n3\n")
    columns = trained.predict(tmp_path / "nodes.csv", tmp_path / "edges.csv").columns
    assert columns["id"] == ["x", "y"]
    assert columns["prediction"] == ["even", "odd"]


def test_mistakes_with_new_tables_are_sentences(trained: TrainedModel, tmp_path: Path) -> None:
    nodes, edges = write_tables(tmp_path / "new", first=100, count=10, target=False)
    with pytest.raises(ValueError, match="give both tables"):
        trained.predict(nodes)
    (tmp_path / "few.csv").write_text("id,size\nx,1\n")
    with pytest.raises(ValueError, match="no column 'colour'"):
        trained.predict(tmp_path / "few.csv", edges)
    (tmp_path / "strange.csv").write_text("source,target\nn100,nobody\n")
    with pytest.raises(ValueError, match="names the node 'nobody'"):
        trained.predict(nodes, tmp_path / "strange.csv")
    (tmp_path / "old.csv").write_text("id,size,colour\nn1,1,red\n")
    (tmp_path / "mixed.csv").write_text("source,target\nn1,n2\n")
    with pytest.raises(ValueError, match="holds the node 'n1' of the old data"):
        trained.predict(tmp_path / "old.csv", tmp_path / "mixed.csv")


def test_files_hold_what_was_predicted(trained: TrainedModel, tmp_path: Path) -> None:
    predictions = trained.predict()
    predictions.write(tmp_path / "p.csv")
    with (tmp_path / "p.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["prediction"] for row in rows] == predictions.columns["prediction"]
    predictions.write(tmp_path / "p.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "p.parquet").to_pydict() == predictions.columns
    for wrong, sentence in (("p.xlsx", "ends in .csv or .parquet"), ("no/p.csv", "does not exist")):
        with pytest.raises(ValueError, match=sentence):
            predictions.write(tmp_path / wrong)


def test_a_run_predicts_for_new_rows_without_its_data(trained: TrainedModel, tmp_path: Path) -> None:
    nodes, edges = write_tables(tmp_path / "again", target=False)
    moved = tmp_path / "moved"
    shutil.copytree(trained.run.folder, moved)
    config = (moved / "config.yaml").read_text()
    (moved / "config.yaml").write_text(config.replace(trained.config.data.name, str(tmp_path / "gone")))
    assert agdn.load(moved).predict(nodes, edges).columns["prediction"] == trained.predict().columns["prediction"]


def test_new_rows_need_imported_data(tmp_path: Path) -> None:
    run = Experiment(small(), 0, tmp_path / "run").run()
    nodes, edges = write_tables(tmp_path / "new", target=False)
    with pytest.raises(ValueError, match="was not imported from tables"):
        agdn.load(run.folder).predict(nodes, edges)
