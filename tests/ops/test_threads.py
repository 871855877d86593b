import subprocess
import sys


def test_the_first_kernel_leaves_torch_its_threads() -> None:
    """Numba's OpenMP threads, when they start, must not change the number that the user gave torch."""
    program = (
        "import torch; torch.set_num_threads(1)\n"
        "from agdn import Graph; from agdn.ops import propagate\n"
        "graph = Graph(torch.tensor([[0, 1], [1, 0]]), 2)\n"
        "propagate(torch.ones(2, 1, 2), torch.ones(2, 1), graph)\n"
        "print(torch.get_num_threads())"
    )
    environment = {"NUMBA_NUM_THREADS": "2", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "1"
