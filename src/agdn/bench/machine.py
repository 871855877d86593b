"""What the benchmark ran on, and how much memory it may take."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
PACKAGES = ("agdn", "torch", "numba", "torch_geometric")


def describe() -> dict[str, str]:
    """Date, processor, cores, memory and versions, by name."""
    facts = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{total_memory() / 2**30:.0f} GiB",
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            continue
    return facts


def require_linux() -> None:
    """Peak memory and address-space caps come from Linux."""
    if not Path("/proc/self/clear_refs").exists():
        raise ValueError(f"agdn bench measures memory through /proc and runs on Linux only, not on {platform.system()}")


def total_memory() -> int:
    """Bytes of RAM that this process may use: the machine's, or its control group's if that is less."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    group = Path("/sys/fs/cgroup/memory.max")
    limit = group.read_text().strip() if group.exists() else "max"
    return total if limit == "max" else min(total, int(limit))


def memory_size(text: str) -> int:
    """Bytes from ``"1000000"``, ``"20G"`` or, as a share of :func:`total_memory`, ``"85%"``."""
    number, unit = (text[:-1], text[-1:].upper()) if text[-1:].isalpha() or text.endswith("%") else (text, "")
    factor = {**UNITS, "": 1, "%": total_memory() / 100}.get(unit, 0)
    try:
        size = int(float(number) * factor)
    except (ValueError, OverflowError):
        size = 0
    if size <= 0:
        raise ValueError(f"memory cap {text!r} is not a size: give bytes, a unit such as 20G, or a share such as 85%")
    return size


def available_memory() -> int:
    """Bytes that can be taken now without swapping."""
    return _bytes_of("MemAvailable", Path("/proc/meminfo"))


def address_space(pid: int) -> int:
    """Bytes of address space that a process holds; none for one that has ended."""
    try:
        return _bytes_of("VmSize", Path(f"/proc/{pid}/status"))
    except FileNotFoundError:
        return 0


def _bytes_of(field: str, file: Path) -> int:
    for line in file.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return 0


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()
