import subprocess
import sys

import agdn


def test_import_is_light() -> None:
    """Beyond torch, `import agdn` takes well under a second and pulls in none of the heavy libraries."""
    program = (
        "import time, torch, sys; before = set(sys.modules); start = time.perf_counter(); import agdn;"
        "print(time.perf_counter() - start); print(*sorted({m.split('.')[0] for m in set(sys.modules) - before}))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True) for _ in range(3)
    ]
    assert min(float(run.stdout.splitlines()[0]) for run in runs) < 1
    loaded = set(runs[0].stdout.splitlines()[1].split())
    heavy = {"torch_geometric", "sklearn", "scipy", "numba", "click", "rich", "pydantic", "yaml", "pyarrow"}
    assert not heavy & loaded


def test_everything_public_is_there() -> None:
    assert all(hasattr(agdn, name) for name in agdn.__all__)
