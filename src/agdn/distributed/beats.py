"""Signs of life: every rank tells the others how far it is, so that a failure can be laid at the right door.

A thread writes, every few seconds, the number of the last collective that its rank has begun and what it was for. When
a collective fails, what the others wrote last says who is gone and who is late.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from contextlib import suppress
from datetime import timedelta
from typing import NamedTuple

from torch.distributed import Store, TCPStore  # type: ignore[attr-defined]

PERIOD = 2.0  # seconds between two signs
SILENT = 3 * PERIOD  # after so long without a sign a rank is taken for gone
ANSWER = 10.0  # seconds that the store is given to answer
NO_ANSWER = "the place where ranks meet, on the host of rank 0, does not answer"


class Sign(NamedTuple):
    """What a rank wrote last."""

    collective: int
    what: str
    turn: int


class Beats:
    """The signs of all ranks, in a store of torch's.

    Attributes:
        count, what: The last collective that this rank has begun; plain attributes, set on every call.
    """

    def __init__(self, store: Store, rank: int, size: int) -> None:
        self.store, self.rank, self.size = store, rank, size
        self.count, self.what = 0, "start"
        self._turn, self._ended = 0, threading.Event()
        store.set(f"who/{rank}", f"{socket.gethostname()}, process {os.getpid()}")
        self._write()
        self._thread = threading.Thread(target=self._tell, name="agdn-beats", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join(2 * PERIOD)

    def diagnosis(self) -> str:
        """Who the others wait for, in words, after a collective has failed.

        A store behind a cut link does not answer, and says so only after many minutes: it is asked by a thread.
        """
        said = [NO_ANSWER]
        asking = threading.Thread(target=lambda: said.append(self._compared()), name="agdn-diagnosis", daemon=True)
        asking.start()
        asking.join(SILENT + ANSWER)
        return said[-1]

    def _compared(self) -> str:
        try:
            before = self._signs()
            time.sleep(SILENT)
            after = self._signs()
            silent = [rank for rank in range(self.size) if rank != self.rank and before[rank] == after[rank]]
            if silent:
                named = " and ".join(self._named(rank, after[rank]) for rank in silent)
                return f"no sign of life from {named}"
            late = min(range(self.size), key=lambda rank: after[rank].collective)
            if after[late].collective < self.count:
                return f"all ranks live, but {self._named(late, after[late])} is behind the others"
            return "all ranks live, but a connection between them failed"
        except Exception as error:  # whatever a store raises when nobody answers
            return f"{NO_ANSWER} ({(str(error).splitlines() or [type(error).__name__])[0][:120]})"

    def _named(self, rank: int, sign: Sign) -> str:
        who = self.store.get(f"who/{rank}").decode() if self.store.check([f"who/{rank}"]) else "unknown host"
        return f"rank {rank} ({who}; last at {sign.what!r}, collective {sign.collective})"

    def _signs(self) -> list[Sign]:
        keys = [f"beat/{rank}" for rank in range(self.size)]
        return [
            Sign(*json.loads(self.store.get(key))) if self.store.check([key]) else Sign(0, "nothing yet", 0)
            for key in keys
        ]

    def _write(self) -> None:
        self._turn += 1
        self.store.set(f"beat/{self.rank}", json.dumps([self.count, self.what, self._turn]))

    def _tell(self) -> None:
        with suppress(Exception):  # a store that is gone is told of by those who need it
            while not self._ended.wait(PERIOD):
                self._write()


def own_connection(timeout: float) -> Store:
    """A connection of its own to the store that torchrun has named, since a thread uses it."""
    host, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    return TCPStore(host, port, is_master=False, timeout=timedelta(seconds=timeout), wait_for_workers=False)
