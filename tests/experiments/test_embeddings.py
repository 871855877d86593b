import csv
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
import torch

import agdn
from agdn.experiments.experiment import Experiment
from agdn.experiments.load import TrainedModel
from small_runs import import_small, small


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> TrainedModel:
    folder = tmp_path_factory.mktemp("trained")
    return agdn.load(Experiment(small(f"data.name={import_small(folder)}"), 0, folder / "run").run())


def test_embeddings_lead_to_the_outputs(trained: TrainedModel) -> None:
    embeddings = trained.embed()
    assert (embeddings.layer, embeddings.values.shape) == (1, (60, 4))
    assert list(embeddings.ids) == [f"n{row}" for row in range(60)]
    last = trained.model.convs[-1](torch.from_numpy(embeddings.values), trained.dataset.graph)
    torch.testing.assert_close(last, trained.outputs())
    assert np.array_equal(trained.embed(layer=0).values, trained.dataset.x.numpy())


def test_labels_as_input_are_embedded_too(tmp_path: Path) -> None:
    run = Experiment(small("task.labels={reuse: 1}"), 0, tmp_path / "run").run()
    given = agdn.load(run).embed(layer=0).values
    assert given.shape == (120, run.dataset["in_channels"])
    assert given[:, -4:].sum(1) == pytest.approx(np.ones(120), abs=1e-5)


def test_files_hold_the_values_and_the_ids(trained: TrainedModel, tmp_path: Path) -> None:
    embeddings = trained.embed()
    for name in ("e.npy", "e.csv", "e.parquet"):
        embeddings.write(tmp_path / name)
    assert np.array_equal(np.load(tmp_path / "e.npy"), embeddings.values)
    with (tmp_path / "e.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == list(embeddings.ids)
    assert np.array_equal(np.array([row["embedding_3"] for row in rows], np.float32), embeddings.values[:, 3])
    table = pyarrow.parquet.read_table(tmp_path / "e.parquet")
    assert table.column_names == ["id", *(f"embedding_{column}" for column in range(4))]
    assert np.array_equal(table["embedding_0"].to_numpy(), embeddings.values[:, 0])
    with pytest.raises(
        ValueError, match=r"e.txt: embeddings are written to a file that ends in .npy, .csv or .parquet"
    ):
        embeddings.write(tmp_path / "e.txt")
