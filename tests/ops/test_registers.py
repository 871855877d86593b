"""Kernels on processors with other vector registers than this one's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
from llvmlite import binding

features = binding.FeatureMap({name: True for name in sys.argv[2:]})
binding.get_host_cpu_features = lambda: features

import torch
from agdn import Graph
from agdn.ops import propagate
from agdn.ops.kernels import vectors

assert vectors.REGISTER == int(sys.argv[1])
torch.manual_seed(0)
graph = Graph(torch.randint(20, (2, 90)), 20)
for dtype in (torch.float32, torch.float64):
    for heads, channels in ((1, 1), (1, 7), (3, 1), (5, 2), (8, 3), (5, 4), (9, 8), (3, 16), (1, 40), (2, 70)):
        x = torch.randn(20, heads, channels, dtype=dtype, requires_grad=True)
        weight = torch.rand(90, heads, dtype=dtype, requires_grad=True)
        expected = torch.zeros_like(x).index_add(0, graph.targets.long(), weight[..., None] * x[graph.indices.long()])
        probe = torch.randn_like(x)
        ours, theirs = (
            (out.detach(), *torch.autograd.grad((out * probe).sum(), (x, weight)))
            for out in (propagate(x, weight, graph), expected)
        )
        for mine, other in zip(ours, theirs):
            torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-4 if dtype == torch.float32 else 1e-9)
"""


@pytest.mark.parametrize("features", [(16,), (32, "avx2")], ids=["SSE and NEON", "AVX2"])
def test_hops_are_right_on_registers_of_every_size(features: tuple[int | str, ...], tmp_path: Path) -> None:
    words = [sys.executable, "-c", SCRIPT, *map(str, features)]
    ended = subprocess.run(
        words, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}, capture_output=True, text=True, timeout=600
    )
    assert ended.returncode == 0, ended.stderr
