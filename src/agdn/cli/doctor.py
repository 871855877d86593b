"""``agdn doctor``: what this machine and this installation have, and what is wrong with them."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import click

from agdn.cli.options import JSON
from agdn.cli.printing import print_json, print_table

NEEDED = ("torch", "numpy", "scipy", "numba", "scikit-learn", "torch_geometric", "pydantic", "pyyaml", "safetensors")
OPTIONAL = ("pyarrow", "tensorboard", "onnx", "onnxscript", "onnxruntime")
Row = tuple[str, str, str]


@click.command()
@click.option(
    "--distributed", is_flag=True, help="Check how ranks work together; start it by torchrun, or with --nproc."
)
@click.option("--nproc", type=click.IntRange(min=1), help="With --distributed: ranks to start on this machine.")
@click.option("--dataset", help="With --distributed: a data set that all ranks must have alike.")
@click.option(
    "--timeout", type=click.FloatRange(min=1), default=60.0, show_default=True, help="Seconds that ranks wait for one."
)
@JSON
def doctor(distributed: bool, nproc: int | None, dataset: str | None, timeout: float, as_json: bool) -> None:
    """Check the installation: versions, cores, memory, kernels, data and cache folders. Exits with 1 on a problem.

    With --distributed, check ranks instead: who they are, that they have the same code, versions and data, their
    clocks, what passes between them, and that a layer on a graph in parts gives the numbers of the whole graph.
    """
    if distributed:
        rows = _ranks(nproc, dataset, timeout)
        if not rows:
            return
    elif nproc is not None or dataset is not None:
        raise click.UsageError("--nproc and --dataset belong to --distributed")
    else:
        rows = [*_versions(), *_machine(), _kernels(), *_folders()]
    if as_json:
        print_json([dict(zip(("what", "found", "state"), row, strict=True)) for row in rows])
    else:
        print_table("doctor", ("what", "found", "state"), rows)
    if any(state.startswith("problem") for _, _, state in rows):
        sys.exit(1)


def _ranks(nproc: int | None, dataset: str | None, timeout: float) -> list[Row]:
    """What the ranks found, for rank 0 to print; nothing on the others."""
    from agdn.cli.ranks import as_rank, start_ranks
    from agdn.distributed.world import current, launched

    if not launched():
        if nproc is None:
            raise click.UsageError(
                "--distributed needs ranks: start it with torchrun ... -m agdn doctor, or give --nproc"
            )
        start_ranks(nproc, None, 0)

    def examined() -> list[Row]:
        from agdn.distributed.doctor import examined

        world = current()
        assert world is not None
        found = examined(world, world.all_do(lambda: None if dataset is None else _fingerprint(dataset)))
        return found if world.rank == 0 else []

    return as_rank(examined, timeout)


def _fingerprint(dataset: str) -> str:
    """Of a data set's structure and signals: equal sets give equal words."""
    import hashlib

    from agdn.data.names import load_dataset
    from agdn.distributed.part_store import is_in_parts, read_partition

    if is_in_parts(dataset):
        record = read_partition(dataset)
        return f"{record.key}, {record.nodes:,} nodes, {len(record.parts)} parts"
    loaded = load_dataset(dataset)
    digest = hashlib.sha256()
    for tensor in (loaded.graph.indptr, loaded.graph.indices, loaded.x, loaded.y, loaded.edge_attr):
        if tensor is not None:
            digest.update(tensor.contiguous().numpy().data)
    return f"{loaded.name}, {loaded.graph.num_nodes:,} nodes, {digest.hexdigest()[:16]}"


def _versions() -> list[Row]:
    rows: list[Row] = [("python", platform.python_version(), "ok")]
    for package in ("agdn", *NEEDED, *OPTIONAL):
        try:
            rows.append((package, metadata.version(package), "ok"))
        except metadata.PackageNotFoundError:
            state = "not needed" if package in OPTIONAL else "problem: install it with pip install agdn"
            rows.append((package, "not installed", state))
    return rows


def _machine() -> list[Row]:
    import torch

    from agdn.experiments.jobs import cores
    from agdn.training.memory_estimate import available

    free = available(torch.device("cpu"))
    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    return [
        ("cores", str(cores()), "ok"),
        ("threads of torch", str(torch.get_num_threads()), "ok"),
        ("free memory", "unknown" if free is None else f"{free / 1e9:.1f} GB", "ok"),
        ("devices", ", ".join(devices), "ok"),
    ]


def _kernels() -> Row:
    """A hop on a graph of three nodes, compiled and compared with the sum that it stands for."""
    import torch

    from agdn.graph import Graph
    from agdn.ops import propagate

    graph = Graph(torch.tensor([[0, 1, 2], [1, 2, 0]]), 3)
    x = torch.arange(6.0).view(3, 1, 2)
    try:
        right = torch.equal(propagate(x, torch.ones(3, 1), graph), x[[2, 0, 1]])
    except Exception as error:
        return "kernels", type(error).__name__, f"problem: {error}"
    return "kernels", "compiled and run", "ok" if right else "problem: a hop gives a wrong sum"


def _folders() -> list[Row]:
    from agdn.data.cache import cache_root
    from agdn.data.catalogue import PLACES
    from agdn.data.names import data_root

    root, cache = data_root(), cache_root()
    present = [name for name, places in PLACES.items() if any(place.found(root) for place in places)]
    state = "ok" if root.is_dir() else "none yet: agdn data download, or set AGDN_DATA"
    return [
        ("data folder", str(root), state),
        ("data sets in it", ", ".join(present) or "none", "ok"),
        ("cache folder", str(cache), "ok" if _writable(cache) else "problem: cannot be written; set AGDN_CACHE"),
    ]


def _writable(folder: Path) -> bool:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            return os.access(existing, os.W_OK)
    except OSError:
        return False
