"""Several processes of one command on this machine: what torchrun does, with nothing that listens beyond loopback.

torch's elastic agent starts the ranks and starts all of them anew when one dies; they go on from the last checkpoint.
Ranks and agent meet in a folder instead of at a port. A mistake of the user's would be no better the next time, so a
rank that finds one leaves a note there and ends well: see :func:`ended`.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from agdn.data.atomic import write_bytes
from agdn.distributed.world import MEETING

NOTE = "note.json"
AGENTS = "agents"
SHUTDOWN_SECONDS = 600  # for a step to end and its state to be saved
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def environment(threads: int, folder: Path) -> dict[str, str]:
    """What ranks on this machine need."""
    return {
        **dict.fromkeys(THREADS, str(threads)),
        MEETING: str(folder),
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",  # else ranks that were started anew may find dead peers' addresses
        "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": str(SHUTDOWN_SECONDS),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }


def launch(words: Sequence[str], *, nproc: int, threads: int, max_restarts: int = 3) -> tuple[int, str | None]:
    """Run ``python -m agdn WORDS`` as ``nproc`` ranks; the exit code, and a sentence where the ranks left none."""
    os.environ.setdefault("LOGLEVEL", "CRITICAL")  # of the agent: what it has to say is said below, in a sentence
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    with tempfile.TemporaryDirectory(prefix="agdn-ranks-") as name:
        folder = Path(name)
        os.environ |= environment(threads, folder)
        config = LaunchConfig(
            min_nodes=1,
            max_nodes=1,
            nproc_per_node=nproc,
            run_id=uuid.uuid4().hex,
            rdzv_backend="c10d",
            rdzv_endpoint=str(folder / AGENTS),
            rdzv_configs={"store_type": "file"},
            max_restarts=max_restarts,
            monitor_interval=0.2,
            local_addr="127.0.0.1",
        )
        code, said = 0, None
        try:
            elastic_launch(config, sys.executable)("-m", "agdn", *words)
        except ChildFailedError as error:
            rank, failure = error.get_first_failure()
            how = f"signal {-failure.exitcode}" if failure.exitcode < 0 else f"exit code {failure.exitcode}"
            code, said = 1, f"rank {rank} ended with {how}, and so did the {max_restarts} restarts; go on with --resume"
        except SignalException as caught:
            code, said = 128 + caught.sigval, f"stopped by {caught.sigval.name} while nothing was trained"
        note = _note(folder)
        if note is not None:
            return int(note["code"]), None  # type: ignore[call-overload]
        return code, said


def ended(code: int, rank: int) -> int:
    """The code that a rank ends with where its command ends with ``code``: 0 when a launcher reads the note."""
    meeting = os.environ.get(MEETING)
    if meeting is None:
        return code
    if rank == 0:
        write_bytes(Path(meeting) / NOTE, json.dumps({"code": code}).encode())
    return 0


def _note(folder: Path) -> Mapping[str, object] | None:
    path = folder / NOTE
    if not path.is_file():
        return None
    note: Mapping[str, object] = json.loads(path.read_bytes())
    return note
