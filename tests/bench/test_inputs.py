from pathlib import Path

import numpy as np
import torch

from agdn import AGDN, AGDNConv
from agdn.bench import graphs, inputs


def arrays(folder: Path) -> dict[str, np.ndarray]:
    return {file.stem: np.load(file, allow_pickle=False) for file in folder.glob("*.npy")}


def weights(folder: Path) -> dict[str, torch.Tensor]:
    with np.load(folder / "weights.npz", allow_pickle=False) as file:
        return {name: torch.from_numpy(file[name]) for name in file.files}


def test_layer_inputs_fit_the_layer(tmp_path: Path) -> None:
    graph = graphs.power_law(50, 200)
    folder = inputs.write_layer(tmp_path / "a", graph, in_channels=6, channels=4, heads=2)
    given = arrays(folder)
    assert {name: value.shape for name, value in given.items()} == {
        "edge_index": (2, 200),
        "x": (50, 6),
        "upstream": (50, 8),
        "sample": (50,),
    }
    assert given["x"].dtype == np.float32
    AGDNConv(6, 4, heads=2, hops=7).load_state_dict(weights(folder))  # strict: the names and shapes are those


def test_model_inputs_fit_the_preset(tmp_path: Path) -> None:
    folder = inputs.write_model(tmp_path / "a", graphs.power_law(50, 200), in_channels=6, channels=4, classes=5)
    given = arrays(folder)
    assert given["train"].shape == (27,)
    assert set(given["labels"]) == set(range(5))
    AGDN.preset("arxiv", 6, 5, hidden_channels=4).load_state_dict(weights(folder))


def test_the_same_inputs_every_time(tmp_path: Path) -> None:
    first, second = (
        arrays(inputs.write_pairs(tmp_path / name, num_nodes=9, channels=3, num_pairs=20)) for name in "ab"
    )
    assert first["pairs"].shape == (2, 20)
    assert all(np.array_equal(first[name], second[name]) for name in first)
