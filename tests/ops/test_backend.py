"""Compiled code is kept for the next process, and a machine that cannot compile still computes."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch

from agdn import AGDNConv, Graph
from agdn.ops import SlowPathWarning, backend

PROGRAM = """
import time, warnings, torch
from agdn import AGDNConv, Graph
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    start = time.perf_counter()
    x = torch.ones(4, 3, requires_grad=True)
    out = AGDNConv(3, 2, 2)(x, Graph(torch.tensor([[0, 1, 2], [1, 2, 3]]), 4)).sum()
    out.backward()
    print(time.perf_counter() - start)
print([str(w.message) for w in caught if "SlowPath" in w.category.__name__])
print(bool(x.grad.isfinite().all()))
"""


NO_FOLDER = "import numba.core.caching as caching; caching.CacheImpl._locator_classes = []\n"


def run(before: str = "", **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", before + PROGRAM],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=True,
    )
    return done.stdout.splitlines()


def test_a_second_process_does_not_compile(tmp_path) -> None:
    first, second = (run(NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert first[1:] == second[1:] == ["[]", "True"]
    assert float(second[0]) < float(first[0]) / 3


def test_nowhere_to_keep_compiled_code_is_one_warning() -> None:
    lines = run(before=NO_FOLDER)
    assert lines[1].count("no writable folder for compiled kernels") == 1
    assert lines[2] == "True"


def test_a_machine_that_cannot_compile_uses_torch(monkeypatch) -> None:
    conv, x, graph = AGDNConv(3, 2, 2), torch.randn(4, 3), Graph(torch.tensor([[0, 1, 2], [1, 2, 3]]), 4)
    expected = conv(x, graph)
    monkeypatch.setattr(backend, "_verdict", [])
    monkeypatch.setitem(sys.modules, "agdn.ops.kernels.hop", None)
    with pytest.warns(SlowPathWarning, match="using plain torch operators"):
        out = conv(x, graph)
    torch.testing.assert_close(out, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        conv(x, graph)
    monkeypatch.setattr(backend, "_verdict", [])


def test_the_first_kernel_leaves_torchs_number_of_threads_alone() -> None:
    code = (
        "import torch; torch.set_num_threads(1)\n"
        "from agdn.ops import dropout\n"
        "dropout(torch.rand(2000, 300), 0.5, True)\n"
        "assert torch.get_num_threads() == 1, torch.get_num_threads()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "NUMBA_NUM_THREADS": "2"})


def test_kernels_are_kept_for_the_sources_of_all_of_them(tmp_path: Path) -> None:
    """A kernel is made of pieces from other files, at whose changes the cache does not look."""
    from agdn.ops.kernels import hop, jit

    folders = [tmp_path / name for name in ("first", "same", "changed")]
    for folder in folders:
        folder.mkdir()
        (folder / "kernel.py").write_text("from piece import add")
        (folder / "piece.py").write_text("add = 1" if folder.name != "changed" else "add = 2")
    first, same, changed = map(jit.sources, folders)
    assert first == same != changed
    assert hop.product.serial.__name__.endswith(jit.sources(Path(jit.__file__).parent))
