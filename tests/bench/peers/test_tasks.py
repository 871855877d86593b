from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from agdn import AGDN, AGDNConv, Graph
from agdn.bench import graphs, inputs
from agdn.bench.peers import on_pyg, ours, plain, products, tasks

GRAPH = graphs.power_law(60, 400)
LAYER = {"task": "layer", "threads": 1, "heads": 2, "channels": 4, "hops": 3, "memory": "store"}


def layer_inputs(folder: Path) -> dict:
    return {**LAYER, "folder": str(inputs.write_layer(folder / "in", GRAPH, in_channels=6, channels=4, heads=2))}


def test_the_layer_task_runs_the_layer_with_the_weights_handed_over(tmp_path: Path) -> None:
    spec = layer_inputs(tmp_path)
    program = tasks.build(ours, spec)
    answers = program.answers()

    folder = Path(spec["folder"])
    conv = AGDNConv(6, 4, heads=2)
    tasks.load_weights(conv, folder)
    x = tasks.load(folder, "x").requires_grad_()
    out = conv(x, Graph(torch.from_numpy(GRAPH.edge_index), GRAPH.num_nodes))
    out.backward(tasks.load(folder, "upstream"))
    sample = tasks.load(folder, "sample")
    np.testing.assert_array_equal(answers["output"], out[sample].detach().numpy())
    np.testing.assert_array_equal(answers["gradient of x"], x.grad[sample].numpy())
    names = {f"gradient of {name}" for name, _ in conv.named_parameters()}
    assert names <= answers.keys()

    program.reset()
    assert program.x.grad is None
    assert not program.phases["inference"]().requires_grad
    program.phases["forward + backward"]()
    assert program.x.grad is not None


def test_an_epoch_changes_the_weights_and_answers_come_without_dropout(tmp_path: Path) -> None:
    folder = inputs.write_model(tmp_path / "in", GRAPH, in_channels=6, channels=4, classes=3)
    spec = {"task": "model", "threads": 1, "folder": str(folder), "channels": 4, "classes": 3, "memory": "store"}
    program = tasks.build(ours, spec)
    first, second = program.answers(), program.answers()
    np.testing.assert_array_equal(first["output"], second["output"])
    fresh = AGDN.preset("arxiv", 6, 3, hidden_channels=4)
    assert {f"gradient of {name}" for name, _ in fresh.named_parameters()} < first.keys()
    before = [parameter.clone() for parameter in program.model.parameters()]
    program.reset()
    program.phases["epoch"]()
    assert program.model.training
    assert any(not torch.equal(a, b) for a, b in zip(before, program.model.parameters(), strict=True))


def test_pyg_is_one_hop_of_the_same_width(tmp_path: Path) -> None:
    program = tasks.build(on_pyg, layer_inputs(tmp_path))
    assert program.phases["inference"]().shape == (60, 8)
    program.phases["forward + backward"]()
    assert program.x.grad is not None


def test_the_products_alone_are_those_of_the_layer(tmp_path: Path, monkeypatch) -> None:
    spec = layer_inputs(tmp_path)
    dense = tasks.build(products, {**spec, "task": "dense"})
    assert [out.shape for out in dense.phases["inference"]()] == [(60, 8), (60, 8)]
    dense.phases["forward + backward"]()

    sparse = tasks.build(products, {**spec, "task": "csr"})
    adjacency = np.zeros((60, 60), dtype=np.float32)
    np.add.at(adjacency, (GRAPH.edge_index[1], GRAPH.edge_index[0]), 1)
    assert len(sparse.matrices) == 2
    for matrix in sparse.matrices:
        assert ((matrix.to_dense().numpy() > 0) == (adjacency > 0)).all()
    counts = []
    monkeypatch.setattr(sparse, "products", counts.append)
    sparse.phases["inference"]()
    sparse.phases["forward + backward"]()
    assert counts == [3, 6]


@pytest.mark.parametrize("peer", [ours, plain])
def test_operations(peer: ModuleType, tmp_path: Path) -> None:
    program = tasks.build(peer, {"task": "dropout", "threads": 1, "folder": "", "rows": 100, "channels": 100, "p": 0.5})
    kept = program.phases["forward"]() > 0
    assert 0.2 < kept.double().mean() < 0.3  # half of the numbers are negative, half of the rest is dropped
    program.phases["forward + backward"]()
    assert torch.equal(program.x.grad != 0, (program.x.grad != 0) & (program.x > 0))

    folder = inputs.write_pairs(tmp_path / "in", num_nodes=9, channels=3, num_pairs=40)
    answers = tasks.build(peer, {"task": "pairs", "threads": 1, "folder": str(folder)}).answers()
    h, (u, v) = tasks.load(folder, "h").numpy(), tasks.load(folder, "pairs").numpy()
    np.testing.assert_array_equal(answers["output"], h[u] * h[v])
    expected = np.zeros_like(h)
    upstream = tasks.load(folder, "upstream").numpy()
    np.add.at(expected, u, upstream * h[v])
    np.add.at(expected, v, upstream * h[u])
    np.testing.assert_allclose(answers["gradient of h"], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("peer", [ours, plain])
def test_walks(peer: ModuleType, tmp_path: Path) -> None:
    folder = inputs.write_graph(tmp_path / "in", GRAPH)
    spec = {"task": "walks", "threads": 1, "folder": str(folder), "nodes": 60, "steps": 5}
    program = tasks.build(peer, spec)
    walks = program.phases["uniform"]().long()
    assert walks.shape == (60, 6)
    linked = torch.eye(60, dtype=torch.bool)
    linked[tuple(torch.from_numpy(GRAPH.edge_index))] = True
    assert linked[walks[:, :-1], walks[:, 1:]].all()

    shape = {"dim": 8, "walk_length": 6, "window": 3, "walks_per_node": 2, "starts": 10}
    vectors = tasks.build(peer, {**spec, **shape, "task": "walk embedding"}).phases["epoch"]()
    assert vectors.shape == (60, 8)
    assert vectors.isfinite().all()


@pytest.mark.parametrize(
    ("sampler", "peers"), [("partition", (ours, on_pyg)), ("saint walks", (ours, plain)), ("neighbours", (ours,))]
)
def test_batches_are_alike_whoever_makes_them(sampler: str, peers: tuple[ModuleType, ...], tmp_path: Path) -> None:
    """The mean sizes agree, and another epoch gives other batches."""
    graph = graphs.power_law(400, 6000)
    folder = inputs.write_graph(tmp_path / "in", graph)
    spec = {"task": "batches", "sampler": sampler, "threads": 1, "folder": str(folder), "nodes": 400}
    shape = {"parts": 4, "roots": 40, "length": 2, "batches": 4, "batch_size": 50, "fanouts": [3, 2]}
    means = []
    for peer in peers:
        program = tasks.build(peer, {**spec, **shape})
        epochs = [program.phases["epoch"]() for _ in range(20)]
        assert {len(epoch) for epoch in epochs} == {4}
        assert epochs[0] != epochs[1]
        means.append(torch.tensor(epochs).double().mean((0, 1)))
    if sampler == "partition":
        assert means[0][0] == 100
        assert means[0][1] == pytest.approx(6000 / 4**2, rel=0.1)
    if sampler == "neighbours":
        assert 50 < means[0][0] <= 50 * (1 + 3 + 6)
    for mean in means[1:]:
        torch.testing.assert_close(mean, means[0], rtol=0.1, atol=0)


def test_a_link_step_changes_the_weights_and_answers_come_without_dropout(tmp_path: Path) -> None:
    folder = inputs.write_link_step(tmp_path / "in", GRAPH, channels=4, positives=20, per_edge=3)
    spec = {"task": "link step", "threads": 1, "folder": str(folder), "nodes": 60, "channels": 4, "positives": 20}
    program = tasks.build(ours, {**spec, "memory": "store"})
    first, second = program.answers(), program.answers()
    np.testing.assert_array_equal(first["scores"], second["scores"])
    assert first["scores"].shape == (80,)
    assert {f"gradient of {name}" for name, _ in inputs.ddi_model(60, 4).named_parameters()} < first.keys()
    before = [parameter.clone() for parameter in program.model.parameters()]
    program.reset()
    program.phases["step"]()
    assert any(not torch.equal(a, b) for a, b in zip(before, program.model.parameters(), strict=True))
