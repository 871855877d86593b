import errno
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models import build_model
from agdn.models.agdn import AGDN
from agdn.models.gat import GAT
from agdn.models.gcn import GCN
from agdn.models.sage import GraphSAGE
from agdn.ops import storage as storage_module
from agdn.ops.storage import Storage, row_blocks

N, E, F = 400, 2500, 12


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_module, "ROW_BLOCK", 128)


def signals() -> tuple[Tensor, Graph, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    graph = Graph(torch.randint(N, (2, E), generator=generator), N).with_self_loops()
    edges = graph.full.num_edges
    features = torch.randn(N, F, generator=generator), torch.rand(edges, 3, generator=generator)
    return features[0], graph, features[1], torch.rand(edges, generator=generator) + 0.1


AGDNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "heads": {"heads": 3, "out_heads": 2},
    "concatenated": {"heads": 2, "out_heads": 2, "out_concat": True, "out_bias": True, "out_activation": True},
    "HC": {"heads": 2, "weighting": {"name": "HC"}, "hop_norm": "layer", "position": True, "residual": "bias"},
    "HA+HC": {"heads": 2, "weighting": {"name": "HA+HC", "scale": True, "query_hop": 1}, "first_hop": 1},
    "fixed": {"transition": "sym", "weighting": "PPR", "bias": True, "norm": "layer"},
    "input scores": {"heads": 2, "transition": {"name": "gat_sym", "score_space": "input"}, "skip": "sum"},
    "edges": {"heads": 2, "edge_dim": 3, "transition": {"name": "gat", "edge_score": "encoder"}, "skip": "input"},
    "edges, linear": {"heads": 2, "edge_dim": 3, "transition": {"name": "gat_adj"}, "hop_norm": "l2"},
    "clustered": {"heads": 2, "output": "linear", "encoder_channels": 10, "skip": "sum", "norm": "pair"},
    "normed input": {"input_norm": "batch", "encoder_channels": 10},
    "clustered input": {"input_norm": "pair"},
    "no residual": {"heads": 2, "residual": False, "hops": 0},
}


def trained(model: nn.Module) -> nn.Module:
    """With norms and biases that do something."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for tensor in model.state_dict().values():
            if tensor.is_floating_point():
                tensor += 0.2 * torch.rand(tensor.shape, generator=generator)
    return model.eval()


@pytest.mark.parametrize("options", AGDNS.values(), ids=AGDNS)
def test_blocks_give_what_the_whole_gives_and_the_same_bits_wherever_states_lie(
    options: dict[str, Any], tmp_path: Path
) -> None:
    torch.manual_seed(0)
    x, graph, edge_attr, edge_weight = (part.double() if isinstance(part, Tensor) else part for part in signals())
    model = trained(AGDN(F, 8, 5, 3, **{"hops": 2, **options})).double()
    edges = edge_attr if "edge_dim" in options else None
    with torch.no_grad():
        expected, weights = model(x, graph, edges, edge_weight, return_weights=True)
    out, thetas = model.in_blocks(x, graph, edges, edge_weight, storage=Storage())
    torch.testing.assert_close(out, expected, rtol=1e-9, atol=1e-10)
    for theta, told in zip(thetas, weights, strict=True):
        if told.hops is not None:
            shape = torch.broadcast_shapes(theta.shape, told.hops.shape)
            torch.testing.assert_close(theta.expand(shape), told.hops.expand(shape), rtol=1e-9, atol=1e-10)
    x, edges, edge_weight = (None if part is None else part.float() for part in (x, edges, edge_weight))
    in_memory, on_disk = (
        model.float().in_blocks(x, graph, edges, edge_weight, storage=storage)[0]
        for storage in (Storage(), Storage(limit=0, folder=tmp_path))
    )
    assert torch.equal(in_memory, on_disk)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [GCN, GAT, GraphSAGE])
@pytest.mark.parametrize("norm", ["batch", "none"])
def test_layers_of_one_hop(kind: type[nn.Module], norm: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    x, graph, _, edge_weight = signals()
    model = trained(kind(F, 8, 5, num_layers=2, norm=norm))
    with torch.no_grad():
        expected = model(x, graph, None, edge_weight)
    out, _ = model.in_blocks(x, graph, None, edge_weight, storage=Storage())
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)
    assert torch.equal(out, model.in_blocks(x, graph, None, edge_weight, storage=Storage(0, tmp_path))[0])


SYSTEMS: dict[str, dict[str, Any]] = {
    "APPNP": {"hidden_channels": 8},
    "ChebNet": {"hidden_channels": 8, "norm": "batch"},
    "DAGNN": {"hidden_channels": 8, "norm": "batch"},
    "DCNN": {},
    "GPRGNN": {"hidden_channels": 8},
    "MixHop": {"hidden_channels": 8, "norm": "layer", "powers": [0, 2]},
    "NGCN": {"hidden_channels": 8, "combine": "attention"},
    "SGC": {"hops": 3},
    "SIGN": {"hidden_channels": 8, "num_layers": 2},
    "SSGC": {},
    "TAGCN": {"hidden_channels": 8},
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_with_a_fixed_transition(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    x, graph, _, edge_weight = signals()
    model = trained(build_model({"name": name, **SYSTEMS[name]}, in_channels=F, out_channels=5))
    for weight in (None, edge_weight):
        with torch.no_grad():
            expected = model(x, graph, None, weight)
        out, told = model.in_blocks(x, graph, None, weight, storage=Storage())
        torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)
        assert told == []
        assert torch.equal(out, model.in_blocks(x, graph, None, weight, storage=Storage(0, tmp_path))[0])
    with pytest.raises(ValueError, match="eval"):
        model.train().in_blocks(x, graph, storage=Storage())


def test_a_norm_over_all_nodes_is_taken_over_all_nodes() -> None:
    x, graph, _, _ = signals()
    model = trained(build_model({"name": "DAGNN", "hidden_channels": 8, "norm": "pair"}, in_channels=F, out_channels=5))
    with torch.no_grad():
        expected = model(x, graph)
    torch.testing.assert_close(model.in_blocks(x, graph, storage=Storage())[0], expected, rtol=1e-4, atol=1e-5)


class Own(nn.Module):
    """A user's weighting: the last hop."""

    def forward(self, hops: list[Tensor]) -> Tensor:
        return hops[-1]


def test_a_part_of_the_users_own_is_computed_with_all_heads() -> None:
    x, graph, _, _ = signals()
    model = AGDN(F, 8, 5, 2, heads=2, weighting=Own()).eval()
    with torch.no_grad():
        expected = model(x, graph)
    torch.testing.assert_close(model.in_blocks(x, graph, storage=Storage())[0], expected, rtol=1e-4, atol=1e-5)


def test_training_mode_is_refused() -> None:
    x, graph, _, _ = signals()
    with pytest.raises(ValueError, match="eval"):
        AGDN(F, 8, 5).in_blocks(x, graph, storage=Storage())


def test_a_limit_is_kept_and_what_is_freed_counts_no_more(tmp_path: Path) -> None:
    storage = Storage(limit=1000, folder=tmp_path)
    first = storage.empty(200)
    second = storage.empty(100)
    assert (storage.in_memory, storage.in_files) == (800, 400)
    second.fill_(3)
    del first
    third = storage.empty(240)
    assert (storage.in_memory, storage.in_files) == (960, 400)
    third.fill_(1)
    assert second.tolist() == [3] * 100
    del second
    assert storage.in_files == 0


def test_large_buffers_of_the_kernels_lie_in_the_storage_too(tmp_path: Path) -> None:
    from agdn.ops.kernels.buffers import LARGE, empty

    storage = Storage(limit=0, folder=tmp_path)
    with storage.behind_kernels():
        buffer = empty((LARGE,), torch.uint8)
        small = empty((10,), torch.uint8)
    assert storage.in_files == LARGE
    outside = empty((LARGE,), torch.uint8)
    assert storage.in_files == LARGE
    del buffer, small, outside
    assert storage.in_files == 0


def test_a_full_disk_is_named_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    with pytest.raises(OSError, match=r"no room for 4\.0 GB of hidden states") as caught:
        Storage(limit=0, folder=tmp_path).empty(10**9)
    assert caught.value.filename == tmp_path


def test_blocks_of_rows_are_all_rows_once() -> None:
    assert [(block.start, block.stop) for block in row_blocks(300)] == [(0, 128), (128, 256), (256, 300)]
    assert list(row_blocks(0)) == []
