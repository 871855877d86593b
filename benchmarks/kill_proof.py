"""Kill a training run over and over, at random moments, and compare its end with that of an undisturbed one.

    python benchmarks/kill_proof.py --kills 100 --terms 20 --set threads=2 --out docs/reliability/two-threads.md

Each run is ``agdn train --resume``, killed as often as it takes to reach its end. Most kills fall while it trains and
writes a checkpoint ten times a second, the others anywhere from the start of the process on. Then a full disk and a
folder that cannot be written: the run must say so, and go on from what was saved once there is room again.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import torch

AGDN = [sys.executable, "-c", "from agdn.cli import main; main()"]
LONGEST_WAIT = 1.5  # seconds from the first new epoch to the signal


@dataclass
class Tally:
    """What the signals hit, and what became of the runs."""

    moments: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    equal: int = 0
    codes: Counter[int] = field(default_factory=Counter)


def command(options: argparse.Namespace, out: Path, *extra: str) -> list[str]:
    changes = [word for change in options.set for word in ("--set", change)]
    fixed = ["--quiet", "--checkpoint-seconds", "0.1", "--out", str(out)]
    return [*AGDN, "train", options.recipe, *changes, *fixed, *extra]


def folder(options: argparse.Namespace, out: Path) -> Path:
    return out / options.recipe / "seed-0"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def disturbed(options: argparse.Namespace, process: subprocess.Popen[bytes], number: int, run: Path) -> str | None:
    """Send the signal at a random moment; what it hit, or None where the run ended before."""
    log = run / "metrics.jsonl"
    before = log.stat().st_mtime_ns if log.exists() else 0
    anywhere = options.rng.random() < 0.2
    until = time.monotonic() + (options.rng.uniform(0, 8) if anywhere else 120)
    while process.poll() is None and time.monotonic() < until:
        if not anywhere and log.exists() and log.stat().st_mtime_ns != before:
            time.sleep(options.rng.uniform(0, LONGEST_WAIT))
            break
        time.sleep(0.005)
    if process.poll() is not None:
        return None
    process.send_signal(number)
    process.wait()
    if number == signal.SIGKILL and list(run.rglob("*.tmp")):
        return "while a file was being written"
    trained = log.exists() and log.stat().st_mtime_ns != before
    return "between two writes" if trained else "before the first new epoch"


def hunted(options: argparse.Namespace, number: int, wanted: int, reference: str, work: Path) -> Tally:
    """Runs that are disturbed until they end, one after another, until enough signals were sent."""
    tally = Tally()
    stop_at = time.monotonic() + 60 * options.minutes * wanted / (options.kills + options.terms)
    while tally.moments.total() < wanted and time.monotonic() < stop_at:
        out = work / f"run-{number}-{tally.runs}"
        out.mkdir()
        while True:
            full = tally.moments.total() >= wanted or time.monotonic() > stop_at
            with (out / "said").open("ab") as said:
                process = subprocess.Popen(command(options, out, "--resume"), stderr=said, stdout=subprocess.DEVNULL)
            moment = None if full else disturbed(options, process, number, folder(options, out))
            process.wait()
            if moment is None:
                break
            tally.moments[moment] += 1
            tally.codes[process.returncode] += 1
        tally.runs += 1
        equal = digest(folder(options, out) / "model.safetensors") == reference
        tally.equal += equal
        if equal or options.keep is None:
            shutil.rmtree(out)
        else:
            shutil.move(out, options.keep / out.name)
    return tally


def last_line(text: str, work: Path) -> str:
    return (text.strip().splitlines() or ["nothing was said"])[-1].replace(str(work), "")


def starved(options: argparse.Namespace, reference: str, work: Path) -> list[str]:
    """A disk that is full and a folder that cannot be written; needs the right to mount."""
    lines = []
    out = work / "full"
    out.mkdir()
    model = folder(options, work / "whole") / "model.safetensors"
    size = 40 + 5 * model.stat().st_size // 1024  # room for one checkpoint and a part of the next
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(out)], check=False).returncode:
        return ["Not tried: this account may not mount a small file system."]
    try:
        first = subprocess.run(command(options, out), capture_output=True, text=True, check=False)
        saved = sorted(path.name for path in folder(options, out).rglob("epoch-*.json"))
        said = last_line(first.stderr, work)
        lines.append(f"Disk of {size} kB: exit code {first.returncode}, `{said}`; {len(saved)} checkpoints kept.")
        subprocess.run(["mount", "-o", "remount,size=64m", str(out)], check=True)
        again = subprocess.run(command(options, out, "--resume"), capture_output=True, text=True, check=False)
        equal = again.returncode == 0 and digest(folder(options, out) / "model.safetensors") == reference
        lines.append(f"With room again, `--resume` ends with the same bytes: {'yes' if equal else 'NO'}.")
        shutil.rmtree(out / options.recipe.split("/")[0])
        subprocess.run(["mount", "-o", "remount,ro", str(out)], check=True)
        barred = subprocess.run(command(options, out), capture_output=True, text=True, check=False)
        said = last_line(barred.stderr, work)
        lines.append(f"Read-only folder: exit code {barred.returncode}, `{said}`.")
    finally:
        subprocess.run(["umount", str(out)], check=True)
    return lines


def page(options: argparse.Namespace, tallies: dict[str, Tally], starving: list[str], seconds: float) -> str:
    rows = []
    for name, tally in tallies.items():
        moments = ", ".join(f"{count} {moment}" for moment, count in sorted(tally.moments.items()))
        codes = ", ".join(f"{code} ({count} times)" for code, count in sorted(tally.codes.items()))
        rows.append(f"| {name} | {tally.moments.total()} | {moments} | {codes} | {tally.equal} of {tally.runs} |")
    changes = " ".join(f"--set {change}" for change in options.set)
    return "\n".join(
        [
            "# Runs that are killed",
            "",
            "Written by `benchmarks/kill_proof.py`; run it again to renew this page.",
            "",
            f"{datetime.date.today().isoformat()}, {platform.machine()}, {os.cpu_count()} cores, "
            f"Python {platform.python_version()}, torch {torch.__version__}. "
            f"`agdn train {options.recipe} {changes} --checkpoint-seconds 0.1 --resume`, disturbed until it ends.",
            "",
            "| signal | sent | moments | exit codes | runs whose model file is byte-equal to the undisturbed one |",
            "|---|---|---|---|---|",
            *rows,
            "",
            "SIGKILL leaves no time for anything. After SIGTERM a run ends its step, saves, prints how to go on, and",
            "exits with 143; before the first epoch and after the last it ends at once (-15): all is saved by then.",
            "",
            *[f"* {line}" for line in starving],
            "",
            f"The whole took {seconds / 60:.1f} minutes.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", default="digits/mlp")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--terms", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=60, help="Stop sending signals after so long.")
    parser.add_argument("--keep", type=Path, help="Where runs that end otherwise are kept, with what they said.")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    options.rng = random.Random(0)
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        subprocess.run(command(options, work / "whole"), check=True, stdout=subprocess.DEVNULL)
        reference = digest(folder(options, work / "whole") / "model.safetensors")
        starving = starved(options, reference, work)
        tallies = {
            "SIGKILL": hunted(options, signal.SIGKILL, options.kills, reference, work),
            "SIGTERM": hunted(options, signal.SIGTERM, options.terms, reference, work),
        }
    text = page(options, tallies, starving, time.monotonic() - start)
    sys.stdout.write(text)
    if options.out is not None:
        options.out.write_text(text)
    if any(tally.equal < tally.runs for tally in tallies.values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
