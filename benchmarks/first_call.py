"""How often the first vector function of a process gives other bits on two threads, without and with agdn's remedy.

    python benchmarks/first_call.py --processes 5000 --out docs/reliability/first-call.md

Every process is a fork of one that has imported torch and called nothing of it.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import os
import platform
import runpy
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import torch

FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sqrt": torch.sqrt,
    "exp": torch.exp,
    "tanh": torch.tanh,
}
# read from its file, as the import of agdn would settle this process and its forks
SOURCE = Path(__file__).resolve().parents[1] / "src/agdn/ops/first_call.py"
REMEDY = runpy.run_path(str(SOURCE))["settle_vector_math"]
LONGEST = 20  # seconds after which a process counts as stuck


def bits(function: Callable[[torch.Tensor], torch.Tensor], *, settled: bool) -> bytes:
    """A digest of the function's result in a new process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(LONGEST)
        torch.set_num_threads(2)
        numbers = torch.rand(64, 64, generator=torch.Generator().manual_seed(0))
        if settled:
            REMEDY()
        os.write(writer, hashlib.sha256(function(numbers).numpy().tobytes()).digest())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        digest = pipe.read()
    os.waitpid(child, 0)
    return digest or b"stuck"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=5000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows, failed = [], False
    for name, function in FUNCTIONS.items():
        odd = {}
        for settled in (False, True):
            counts = Counter(bits(function, settled=settled) for _ in range(options.processes))
            odd[settled] = options.processes - counts.most_common(1)[0][1]
        failed |= odd[True] > 0
        rows.append(f"| `{name}` | {odd[False]} of {options.processes} | {odd[True]} of {options.processes} |")
    text = "\n".join(
        [
            "# The first vector function of a process",
            "",
            "Written by `benchmarks/first_call.py`; run it again to renew this page.",
            "",
            f"{datetime.date.today().isoformat()}, {platform.machine()}, {os.cpu_count()} cores, "
            f"torch {torch.__version__}. Processes in which the first call on two threads gave other bits:",
            "",
            "| function | plain torch | after `settle_vector_math` |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )
    sys.stdout.write(text)
    if options.out is not None:
        options.out.write_text(text)
    sys.exit(failed)


if __name__ == "__main__":
    main()
