"""Reversible blocks give the gradients of the plain ones, drop the same entries again and count a batch once."""

import copy
import json
import subprocess
import sys

import pytest
import torch
from torch import Tensor, nn

from agdn import Graph
from agdn.models import build_model
from agdn.nn.reversible import Reversible
from agdn.ops import dropout
from agdn.training.memory_estimate import _Peak

N, WIDTH, BLOCKS = 30, 5, 6


class Function(nn.Module):
    """A batch norm, a map, dropout and a factor that comes from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.linear = nn.BatchNorm1d(WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, h: Tensor, factor: Tensor) -> Tensor:
        return self.linear(dropout(torch.relu(self.norm(h)), 0.4, self.training)) * factor


def both(groups: int, dtype: torch.dtype) -> tuple[Reversible, Reversible]:
    saving = Reversible([[Function() for _ in range(groups)] for _ in range(BLOCKS)]).to(dtype)
    plain = copy.deepcopy(saving)
    plain.reversible = False
    return saving, plain


def step(model: Reversible, x: Tensor, factor: Tensor) -> list[Tensor]:
    torch.manual_seed(5)
    out = model(x, factor)
    wanted = [x, factor, *model.parameters()]
    found = torch.autograd.grad((out * torch.linspace(-1, 1, out.numel()).view_as(out)).sum(), wanted)
    return [out, *found, torch.rand(3), *model.buffers()]


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-4), (torch.float64, 1e-8)])
@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("training", [True, False])
def test_gradients_dropout_statistics_and_generator(
    groups: int, training: bool, dtype: torch.dtype, tolerance: float
) -> None:
    saving, plain = (model.train(training) for model in both(groups, dtype))
    x = torch.randn(N, groups * WIDTH, dtype=dtype, requires_grad=True)
    factor = torch.rand(WIDTH, dtype=dtype, requires_grad=True)
    for a, b in zip(step(saving, x, factor), step(plain, x, factor), strict=True):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)


def test_the_equation_and_back() -> None:
    model, _ = both(3, torch.float64)
    model.eval()
    parts = list(model.blocks[0])
    one, x, factor = Reversible([parts]).eval(), torch.randn(N, 3 * WIDTH).double(), torch.ones(WIDTH).double()
    x1, x2, x3 = x.chunk(3, 1)
    y1 = x1 + parts[0](x2 + x3, factor)
    y2 = x2 + parts[1](y1, factor)
    y3 = x3 + parts[2](y2, factor)
    torch.testing.assert_close(one(x, factor), torch.cat([y1, y2, y3], 1))


def test_gradcheck() -> None:
    model = Reversible([[nn.Bilinear(3, 3, 3) for _ in range(2)] for _ in range(3)]).double()
    x = (0.3 * torch.randn(4, 6, dtype=torch.float64)).requires_grad_()
    other = (0.3 * torch.randn(4, 3, dtype=torch.float64)).requires_grad_()
    assert torch.autograd.gradcheck(lambda x, other: model(x, other), (x, other))


def test_frozen_parts_and_inputs_without_gradient() -> None:
    saving, plain = both(2, torch.float64)
    factor = torch.ones(WIDTH, dtype=torch.float64)
    x = torch.randn(N, 2 * WIDTH, dtype=torch.float64)
    gradients = []
    for model in (saving, plain):
        model.blocks[2][0].linear.requires_grad_(False)
        torch.manual_seed(1)
        model(x, factor).square().sum().backward()
        assert model.blocks[2][0].linear.weight.grad is None
        gradients.append([p.grad for p in model.parameters() if p.requires_grad])
    for a, b in zip(*gradients, strict=True):
        torch.testing.assert_close(a, b)


def test_no_blocks_are_nothing() -> None:
    x = torch.randn(3, 4)
    assert Reversible([])(x) is x


def test_bfloat16_is_computed_again_in_bfloat16() -> None:
    saving, plain = both(2, torch.float32)
    x, factor = torch.randn(N, 2 * WIDTH), torch.rand(WIDTH)
    gradients = []
    for model in (saving, plain):
        torch.manual_seed(1)
        with torch.autocast("cpu", torch.bfloat16):
            out = model(x, factor)
        out.float().square().sum().backward()
        gradients.append(torch.cat([p.grad.flatten() for p in model.parameters()]))
    assert torch.nn.functional.cosine_similarity(*gradients, dim=0) > 0.99


SAVING = {
    "RevGNN": {"name": "RevGNN", "hidden_channels": 64, "dropout": 0.2},
    "RevGNN of means": {"name": "RevGNN", "hidden_channels": 64, "conv": "sage", "norm": "batch"},
    "RevGAT": {"name": "RevGAT", "hidden_channels": 16, "dropout": 0.2, "edge_dropout": 0.1},
    "RevAGDN": {"name": "RevAGDN", "hidden_channels": 32, "heads": 2, "hops": 3, "dropout": 0.2},
}


def most_alive(options: dict[str, object]) -> int:
    """Bytes of all tensors of a training step, gradients included, while most of them were alive."""
    model = build_model(options, in_channels=8, out_channels=3)
    graph, x = Graph(torch.randint(2000, (2, 6000)), 2000), torch.randn(2000, 8)
    for _ in range(2):  # in the first, structures are made that the graph keeps
        model.zero_grad(set_to_none=True)
        with _Peak() as followed:
            model(x, graph).square().mean().backward()
    return followed.peak


@pytest.mark.parametrize("name", SAVING)
def test_four_times_the_depth_in_almost_the_same_memory(name: str) -> None:
    shallow, deep = (most_alive({**SAVING[name], "num_layers": layers}) for layers in (5, 20))
    assert deep < 1.3 * shallow


def test_four_times_the_hops_in_almost_the_same_memory() -> None:
    few, many = (most_alive({**SAVING["RevAGDN"], "num_layers": 4, "hops": hops}) for hops in (3, 12))
    assert many < 1.3 * few


def test_plain_blocks_need_more() -> None:
    plain = {**SAVING["RevGNN"], "reversible": False}
    shallow, deep = (most_alive({**plain, "num_layers": layers}) for layers in (5, 20))
    assert deep > 2.5 * shallow


IN_A_NEW_PROCESS = """
import json, sys, torch
from agdn import Graph
from agdn.models import build_model
from agdn.training.peak_memory import PeakMemory

torch.set_num_threads(1)
model = build_model(json.loads(sys.argv[1]), in_channels=8, out_channels=3)
small, large = (Graph(torch.randint(n, (2, 3 * n)), n) for n in (50, 40_000))
model(torch.randn(50, 8), small).sum().backward()
watched = PeakMemory(torch.device("cpu"))
before = watched.bytes()
model(torch.randn(40_000, 8), large).square().mean().backward()
print(watched.bytes() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak can be forgotten on Linux alone")
@pytest.mark.parametrize("name", ["RevGNN", "RevAGDN"])
def test_what_the_process_holds_is_almost_the_same(name: str) -> None:
    held = []
    for layers in (4, 16):
        options = json.dumps({**SAVING[name], "num_layers": layers})
        answer = subprocess.run([sys.executable, "-c", IN_A_NEW_PROCESS, options], check=True, capture_output=True)
        held.append(int(answer.stdout))
    assert held[1] < 1.3 * held[0]
