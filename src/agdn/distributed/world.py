"""The ranks of a run: who there is, and what they do together.

torchrun starts the processes and names them by environment variables; :func:`joined` makes them one group, with gloo
between CPUs and nccl between GPUs. Whatever goes wrong between ranks is one :class:`LostRank` that names the rank.
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import FileStore, PrefixStore, Store  # type: ignore[attr-defined]

from agdn.distributed.beats import Beats, own_connection
from agdn.ops.halo import Waiting
from agdn.training.errors import LostRank

TIMEOUT = 1800.0  # seconds that ranks wait for each other at most
MEETING = "AGDN_MEETING"  # a folder in which ranks of one machine meet, instead of at a port
INTERFACE = "GLOO_SOCKET_IFNAME"

Kept = TypeVar("Kept")


class World:
    """The group of ranks that this process belongs to.

    Attributes:
        rank: The number of this process, from 0.
        size: How many there are.
        sent: Bytes that this rank gave to others in all-to-all exchanges so far, by what they were for.
    """

    def __init__(self, rank: int, size: int, beats: Beats | None = None) -> None:
        self.rank, self.size, self.beats = rank, size, beats
        self.sent: Counter[str] = Counter()

    def begin_all_to_all(self, values: Tensor, outgoing: list[int], incoming: list[int], what: str) -> Waiting:
        """``outgoing[r]`` of the values (M,) go to rank r; call what is returned to wait for those that come in."""
        received = values.new_empty(sum(incoming))
        self.sent[what] += values.nbytes - outgoing[self.rank] * values.element_size()
        with self._watched(what):
            work = dist.all_to_all_single(received, values.contiguous(), incoming, outgoing, async_op=True)

        def wait() -> Tensor:
            with self._watched(what, begins=False):
                work.wait()
            return received

        return wait

    def sum(self, values: Tensor, what: str = "sum") -> Tensor:
        """The sum of all ranks' values; no gradient."""
        total = values.detach().clone()
        with self._watched(what):
            dist.all_reduce(total)
        return total

    def highest(self, value: int, what: str = "agreement") -> int:
        """The largest of the ranks' numbers."""
        largest = torch.tensor(value)
        with self._watched(what):
            dist.all_reduce(largest, dist.ReduceOp.MAX)
        return int(largest)

    def from_first(self, content: bytes | None, what: str = "broadcast") -> bytes:
        """What rank 0 gives, on every rank."""
        length = torch.tensor(len(content) if self.rank == 0 and content is not None else 0)
        with self._watched(what):
            dist.broadcast(length, 0)
        values = torch.empty(int(length), dtype=torch.uint8)
        if self.rank == 0 and content:
            values = torch.frombuffer(bytearray(content), dtype=torch.uint8)
        if len(values):
            with self._watched(what):
                dist.broadcast(values, 0)
        return values.numpy().tobytes()

    def told_by_first(self, value: Any = None, what: str = "broadcast") -> Any:
        """The same for what JSON can hold."""
        return json.loads(self.from_first(json.dumps(value).encode() if self.rank == 0 else None, what))

    def first_does(self, action: Callable[[], Any]) -> Any:
        """What rank 0 returns (JSON can hold it) on every rank; a mistake that it finds is one on all of them."""
        answer: dict[str, Any] = {}
        if self.rank == 0:
            try:
                answer = {"value": action()}
            except ValueError as error:
                answer = {"mistake": str(error)}
            except OSError as error:
                answer = {"errno": error.errno, "reason": error.strerror or str(error), "file": str(error.filename)}
        return _outcome(self.told_by_first(answer, "an answer of rank 0"))

    def all_do(self, action: Callable[[], Kept]) -> Kept:
        """What the action returns here, once no rank has found a mistake; that of the lowest rank is raised on all."""
        mistake, value = None, None
        try:
            value = action()
        except ValueError as error:
            mistake = str(error)
        for found in self.told_by_all(mistake, "a look for mistakes"):
            if found is not None:
                raise ValueError(found)
        return value  # type: ignore[return-value]

    def __deepcopy__(self, memo: dict[int, Any]) -> World:
        return self

    def collected(self, rows: Tensor, what: str = "gather") -> Tensor | None:
        """The rows (M, ...) of all ranks one behind the other, on rank 0; None on the others."""
        counts = self._counts(len(rows), what)
        width = prod(rows.shape[1:])
        outgoing = [0] * self.size
        outgoing[0] = rows.numel()
        incoming = [count * width for count in counts] if self.rank == 0 else [0] * self.size
        flat = self.begin_all_to_all(rows.reshape(-1), outgoing, incoming, what)()
        return flat.view(-1, *rows.shape[1:]) if self.rank == 0 else None

    def told_by_all(self, value: Any, what: str = "gather") -> list[Any]:
        """What every rank says (JSON), by rank, on every rank."""
        content = torch.frombuffer(bytearray(json.dumps(value).encode()), dtype=torch.uint8)
        counts = self._counts(len(content), what)
        own = torch.zeros(self.size, max(counts), dtype=torch.uint8)
        own[self.rank, : len(content)] = content
        rows = self.sum(own, what).numpy()
        return [json.loads(row[:count].tobytes()) for row, count in zip(rows, counts, strict=True)]

    def _counts(self, own: int, what: str) -> list[int]:
        counts = torch.zeros(self.size, dtype=torch.int64)
        counts[self.rank] = own
        found: list[int] = self.sum(counts, what).tolist()
        return found

    @contextmanager
    def _watched(self, what: str, *, begins: bool = True) -> Iterator[None]:
        """A collective that fails is an error that says who is to blame."""
        if self.beats is not None and begins:
            self.beats.count, self.beats.what = self.beats.count + 1, what
        try:
            yield
        except RuntimeError as error:  # what torch raises for all of them; ours come through from below
            if isinstance(error, LostRank):
                raise
            who = "" if self.beats is None else f"{self.beats.diagnosis()}; "
            raise LostRank(f"rank {self.rank} failed at {what!r}: {who}{_reason(error)}") from error


def _reason(error: BaseException) -> str:
    """The first line of torch's message, without the place in its source."""
    lines = str(error).splitlines() or [type(error).__name__]
    return re.sub(r"^\[[^]]*\] ", "", lines[0])[:200]


def _outcome(answer: dict[str, Any]) -> Any:
    if "mistake" in answer:
        raise ValueError(answer["mistake"])
    if "errno" in answer:
        raise OSError(answer["errno"], answer["reason"], answer["file"])
    return answer["value"]


_current: list[World] = []


def current() -> World | None:
    """The world of this process; None where it is alone."""
    return _current[-1] if _current else None


def launched() -> bool:
    """Whether torchrun started this process as one of several, or as one that may become so."""
    return "RANK" in os.environ and "WORLD_SIZE" in os.environ and "MASTER_ADDR" in os.environ


def local_size() -> int:
    """Ranks on this machine."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", os.environ.get("WORLD_SIZE", "1")))


def restarts() -> int:
    """How often the processes of this run were started again."""
    return int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))


@contextmanager
def joined(timeout: float = TIMEOUT) -> Iterator[World]:
    """This process as one of those that torchrun has started; the group ends with the block."""
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    _choose_interface(size)
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    limit = timedelta(seconds=timeout)
    try:
        store: Store | None = None
        if MEETING in os.environ:
            path = Path(os.environ[MEETING]) / f"ranks-{restarts()}"
            store = FileStore(str(path), size)
        if store is None:
            dist.init_process_group(backend, rank=rank, world_size=size, timeout=limit)
            store = own_connection(min(timeout, 60))
        else:
            dist.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=limit)
    except (RuntimeError, dist.DistNetworkError) as error:
        raise LostRank(f"rank {rank} of {size} could not join the others: {_reason(error)}") from error
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    store.set_timeout(timedelta(seconds=10))
    beats = Beats(PrefixStore("agdn", store), rank, size)
    world = World(rank, size, beats)
    _current.append(world)
    try:
        yield world
    finally:
        _current.remove(world)
        beats.close()
        with suppress(Exception):  # a group with a dead member need not end well
            dist.destroy_process_group()


def _choose_interface(size: int) -> None:
    """Loopback on one machine; between machines only what was asked for."""
    if os.environ.get(INTERFACE):
        return
    if local_size() != size:
        names = ", ".join(name for _, name in socket.if_nameindex())
        raise ValueError(
            f"ranks on several hosts speak to each other unencrypted: name the network interface of a network that you "
            f"trust in the environment variable {INTERFACE} (here there are {names})"
        )
    loopback = next((name for _, name in socket.if_nameindex() if name.startswith("lo")), None)
    if loopback is not None:
        os.environ[INTERFACE] = loopback
