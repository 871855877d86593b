"""The most memory that a run held at once."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import torch

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
FORGET_PEAK = "5"  # the kernel's word for: the peak begins again at what is resident now


class PeakMemory:
    """Watches from its making on: the process's resident memory on the CPU, torch's allocations on a GPU."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)
        else:
            with suppress(OSError):  # then the peak is that of the process so far
                CLEAR.write_text(FORGET_PEAK)

    def bytes(self) -> int | None:
        """None where the system does not tell."""
        if self.device.type == "cuda":
            return torch.cuda.max_memory_allocated(self.device)
        try:
            lines = STATUS.read_text().splitlines()
        except OSError:
            return None
        peaks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
        return 1024 * peaks[0] if peaks else None


def resident() -> int | None:
    """Bytes of this process that are in memory; None where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
