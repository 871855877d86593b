from dataclasses import replace

import pytest
import torch
from torch import nn

from agdn.graph import Graph
from agdn.models.agdn import AGDN
from agdn.models.rev_agdn import RevAGDN
from agdn.models.sign import SIGN
from agdn.ops.sparse_rows import compact
from agdn.sampling.node_batches import NodeBatches
from agdn.tasks.inputs import Inputs, Signals
from agdn.training import memory_estimate
from agdn.training.memory_estimate import ALLOWANCE, available, estimate
from agdn.training.settings import Settings

SGD = Settings.model_validate({"optimizer": {"name": "sgd"}})


def signals(nodes: int, edges: int, channels: int = 16) -> Signals:
    return Signals(torch.rand(nodes, channels), Graph(torch.randint(nodes, (2, edges)), nodes))


@pytest.mark.parametrize(
    "options", [{}, {"memory": "recompute"}, {"weighting": "HC", "dropout": 0.5, "edge_dropout": 0.1}, {"heads": 8}]
)
def test_scaled_up_it_meets_what_the_real_size_needs(options: dict[str, object]) -> None:
    model = AGDN(16, 16, 4, 2, **{"hops": 3, "heads": 2, **options})
    real = signals(1500, 12_000)
    weights = sum(p.nbytes for p in model.parameters())
    expected = (estimate(model, Inputs(real, real), SGD) - weights) / ALLOWANCE
    assert expected == pytest.approx(memory_estimate._peak_of_step(model, real), rel=0.05)


def test_walking_again_needs_less() -> None:
    real = signals(3000, 6000)
    models = (AGDN(16, 32, 4, 2, hops=8, memory=memory) for memory in ("store", "recompute"))
    store, recompute = (estimate(model, Inputs(real, real), SGD) for model in models)
    assert recompute < 0.6 * store


def test_reversible_layers_need_no_more() -> None:
    real = signals(3000, 6000)
    models = [RevAGDN(16, 16, 4, layers, heads=2) for layers in (4, 16)]
    few, many = (
        estimate(model, Inputs(real, real), SGD) - sum(p.nbytes for p in model.parameters()) for model in models
    )
    assert many < 1.3 * few


@pytest.mark.parametrize(("batch", "most"), [(300, 0.3), (3000, 1.4)])
def test_of_batches_of_nodes_the_rows_count(batch: int, most: float) -> None:
    real, model = signals(3000, 12_000), SIGN(16, 64, 4, hops=3)
    weights = sum(p.nbytes for p in model.parameters())
    inputs = Inputs(real, real, NodeBatches(real.graph, torch.arange(3000), batch))
    found = (estimate(model, inputs, SGD) - weights) / ALLOWANCE
    followed = memory_estimate._Peak()
    with followed:
        real.piece(inputs.sampler.batch(0, 0)).outputs(model).log_softmax(1).square().mean().backward()  # type: ignore[union-attr]
    assert followed.peak <= found < most * (estimate(model, Inputs(real, real), SGD) - weights) / ALLOWANCE
    assert found < 1.5 * followed.peak


def test_a_linear_map_by_hand() -> None:
    class Linear(nn.Linear):
        def forward(self, x: torch.Tensor, graph: Graph) -> torch.Tensor:
            return super().forward(x)

    real = signals(10_000, 10)
    found = estimate(Linear(16, 8), Inputs(real, real), SGD) / ALLOWANCE
    output = 4 * 10_000 * 8
    assert 3 * output < found < 6 * output  # outputs, their logarithms, squares and gradients


def test_optimiser_average_and_best_are_copies_of_the_weights() -> None:
    model, real = AGDN(16, 16, 4, 2), signals(100, 100)
    inputs, weights = Inputs(real, real), sum(p.nbytes for p in model.parameters())
    needs = [
        estimate(model, inputs, Settings.model_validate(chosen))
        for chosen in (
            {"optimizer": {"name": "sgd"}},
            {"optimizer": {"name": "sgd", "momentum": 0.9}},
            {"optimizer": {"name": "adam"}},
            {"optimizer": {"name": "adam"}, "ema_decay": 0.9},
        )
    ]
    assert [need - needs[0] for need in needs] == pytest.approx([0, weights, 2 * weights, 3 * weights], abs=2)


def test_measuring_changes_neither_model_nor_generator() -> None:
    model, real = AGDN(16, 16, 4, 2, dropout=0.5), signals(50, 200)
    before, state = {name: t.clone() for name, t in model.state_dict().items()}, torch.get_rng_state()
    estimate(model, Inputs(real, real), SGD)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    assert all(p.grad is None for p in model.parameters())


def test_this_machine_tells_what_is_free() -> None:
    free = available(torch.device("cpu"))
    assert free is None or 0 < free < 2**50
    assert available(torch.device("meta")) is None


def test_sparse_features_count_by_their_entries() -> None:
    dense = signals(2000, 4000, 800)
    dense.x.mul_(torch.rand(dense.x.shape) < 0.02)
    sparse = replace(dense, x=compact(dense.x))
    model = AGDN(800, 4, 4, 1, encoder_channels=4, encoder_dropout=0.5)
    expected = (estimate(model, Inputs(sparse, sparse), SGD) - sum(p.nbytes for p in model.parameters())) / ALLOWANCE
    assert expected == pytest.approx(memory_estimate._peak_of_step(model, sparse), rel=0.15)
    assert expected < 0.5 * memory_estimate._peak_of_step(model, dense)
