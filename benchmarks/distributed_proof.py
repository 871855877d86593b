"""Runs on several processes, disturbed in every way that one machine can: what comes out, as a page.

    python benchmarks/distributed_proof.py parts --recipe ogbn-arxiv/agdn --epochs 5    one process against two
    python benchmarks/distributed_proof.py kills --count 20    a rank killed at random moments
    python benchmarks/distributed_proof.py hosts    two network namespaces as hosts
    python benchmarks/distributed_proof.py batches --recipe coauthor-cs/agdn    batches dealt out to two ranks

``hosts`` needs the right to make network namespaces. Every command prints a page, and ``--out FILE`` writes it.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import platform
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import Any

from agdn.distributed.plan import layers_of, plan
from agdn.experiments.load import load
from agdn.experiments.recipes import read_recipe
from agdn.experiments.result import Run, read_run

AGDN = [sys.executable, "-m", "agdn"]
HOSTS = {"agdn-a": ("veth-agdn-a", "10.77.0.1"), "agdn-b": ("veth-agdn-b", "10.77.0.2")}
PORT = 29577
LATE = 5
TITLES = {
    "parts": "A graph in parts against one process",
    "batches": "Batches dealt out against one process",
    "kills": "Ranks that are killed",
    "hosts": "Two hosts and the link between them",
}


def trained(options: argparse.Namespace, out: Path, *words: str) -> Run:
    """A run to its end in a process of its own, which starts others."""
    command = [*AGDN, "train", options.recipe, *changes(options), "--quiet", "--out", str(out), *words]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    return read_run(folder(options, out))


def changes(options: argparse.Namespace) -> list[str]:
    given = [f"training.epochs={options.epochs}", *options.set] if options.epochs else options.set
    return [word for change in given for word in ("--set", change)]


def folder(options: argparse.Namespace, out: Path) -> Path:
    return out / options.recipe / "seed-0"


def records(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


def digest(run: Path) -> str:
    return hashlib.sha256((run / "model.safetensors").read_bytes()).hexdigest()[:16]


def parts(options: argparse.Namespace, work: Path) -> list[str]:
    """The same recipe on one process and on a graph in parts: losses, memory, and traffic as the formula says."""
    one = trained(options, work / "one", "--set", "threads=1")
    many = trained(options, work / "many", "--nproc", str(options.nproc), "--set", "threads=1")
    model = load(many).model
    config = read_recipe(options.recipe, changes(options)[1::2])
    evaluations = sum("valid" in record and record["valid"] is not None for record in records(many.folder))
    foretold = []
    for part in many.parts:
        planned = plan(
            layers_of(model), nodes=part["nodes"], edges=part["edges"], features=many.dataset["in_channels"],
            halo=part["halo"], given=part["given"], memory=config.model.get("memory", "store"),
        )  # fmt: skip
        foretold.append((planned.sent * many.epochs + planned.sent_in_evaluation * evaluations, planned.memory))
    sent, memory = max(sent for sent, _ in foretold), max(memory for _, memory in foretold)
    lines = [
        f"`{options.recipe}`, {many.epochs} epochs, {many.dataset['nodes']:,} nodes, {many.dataset['edges']:,} edges, "
        f"{options.nproc} ranks.",
        "",
        "| | one process | a rank | |",
        "|---|---|---|---|",
        f"| loss of the last epoch | {losses(one)[-1]:.6f} | {losses(many)[-1]:.6f} | {told(differences(one, many))} |",
        f"| most memory | {(one.peak_memory or 0) / 1e9:.2f} GB | {(many.peak_memory or 0) / 1e9:.2f} GB | "
        f"{100 * (many.peak_memory or 0) / max(1, one.peak_memory or 0):.0f} %; formula {memory / 1e9:.2f} GB |",
        *rounding(options, one, work),
        f"| sent to others | - | {(many.sent or 0) / 1e9:.4f} GB | formula {sent / 1e9:.4f} GB |",
        "",
        "| rank | nodes | edges | halo | given |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {rank} | {part['nodes']:,} | {part['edges']:,} | {part['halo']:,} | {part['given']:,} |"
        for rank, part in enumerate(many.parts)
    ]
    return lines


def losses(run: Run) -> list[float]:
    return [record["loss"] for record in records(run.folder)]


def differences(one: Run, other: Run) -> list[float]:
    """Relative, epoch by epoch."""
    return [abs(a - b) / abs(a) for a, b in zip(losses(one), losses(other), strict=True)]


def rounding(options: argparse.Namespace, one: Run, work: Path) -> list[str]:
    """What another order of summation alone does: one process again, its matrix products on two threads."""
    if not options.rounding:
        return []
    apart = differences(one, trained(options, work / "again", "--set", "threads=2"))
    return [f"| the same on two threads | - | - | {told(apart)} |"]


def told(apart: list[float]) -> str:
    return f"relative difference {apart[0]:.1e} in the first epoch, at most {max(apart):.1e}"


def batches(options: argparse.Namespace, work: Path) -> list[str]:
    """Batches dealt out to ranks against one process that takes them all."""
    if options.finished:
        one, many = map(read_run, options.finished)
    else:
        one = trained(options, work / "one", "--set", "threads=1")
        own = [word for change in options.set_shared for word in ("--set", change)]
        many = trained(options, work / "many", "--nproc", str(options.nproc), "--set", "threads=1", *own)
    rows = [("one process", one), (f"{options.nproc} ranks", many)]
    return [
        f"`{one.name}`, {one.epochs} and {many.epochs} epochs, {one.metric} in percent:",
        "",
        "| | validation | test | best epoch | test, last epochs | loss of the last epoch |",
        "|---|---|---|---|---|---|",
        *(
            f"| {name} | {100 * run.score('valid'):.2f} | {100 * run.score():.2f} | {run.best_epoch} | "
            f"{100 * late_score(run):.2f} | {losses(run)[-1]:.4f} |"
            for name, run in rows
        ),
        "",
        f"Apart on test: {100 * abs(one.score() - many.score()):.2f} points at the best epochs on validation, "
        f"{100 * abs(late_score(one) - late_score(many)):.2f} over the last {LATE} evaluations.",
    ]


def late_score(run: Run) -> float:
    """The mean over the last evaluations, which depends less on a lucky epoch."""
    scored = [record["test"][run.metric] for record in records(run.folder) if record.get("test")]
    return statistics.fmean(scored[-LATE:])


def ranks_of(agent: int) -> dict[int, int]:
    """Processes of an agent by rank."""
    found = {}
    try:
        children = Path(f"/proc/{agent}/task/{agent}/children").read_text().split()
        for child in children:
            environment = Path(f"/proc/{child}/environ").read_bytes().decode(errors="replace").split("\0")
            named = dict(entry.split("=", 1) for entry in environment if "=" in entry)
            if "RANK" in named:
                found[int(named["RANK"])] = int(child)
    except OSError:  # one that has just ended
        pass
    return found


def kills(options: argparse.Namespace, work: Path) -> list[str]:
    """One rank killed in each of so many runs; every run must end as one that was left alone."""
    rng = random.Random(options.seed)
    calm = trained(options, work / "calm", "--nproc", str(options.nproc))
    reference, moments, equal, seconds = digest(calm.folder), Counter[str](), 0, []
    for number in range(options.count):
        out = work / f"run-{number}"
        words = ["--nproc", str(options.nproc), "--checkpoint-seconds", "0.1", "--quiet", "--out", str(out)]
        command = [*AGDN, "train", options.recipe, *changes(options), *words]
        start = time.monotonic()
        with (work / f"said-{number}").open("wb") as said:
            process = subprocess.Popen(command, stdout=said, stderr=said)
            moments[_killed(process, folder(options, out), options.nproc, rng)] += 1
            code = process.wait()
        seconds.append(time.monotonic() - start)
        same = code == 0 and digest(folder(options, out)) == reference
        equal += same
        sys.stderr.write(f"{equal} of {number + 1} alike\n")
        if not same:
            sys.stderr.write(f"run {number} ended with {code}:\n{(work / f'said-{number}').read_text()[-2000:]}\n")
    told = ", ".join(f"{count} {moment}" for moment, count in sorted(moments.items()))
    return [
        f"`{options.recipe}` on {options.nproc} ranks, one rank killed in each of {options.count} runs ({told}): "
        f"{equal} of {options.count} ended with the weights of a run that was left alone."
    ]


def _killed(process: subprocess.Popen[bytes], run: Path, nproc: int, rng: random.Random) -> str:
    """SIGKILL for one rank at a random moment; what it was doing."""
    log, anywhere = run / "metrics.jsonl", rng.random() < 0.25
    until = time.monotonic() + (rng.uniform(1, 20) if anywhere else 600)
    while process.poll() is None and time.monotonic() < until and (anywhere or not log.exists()):
        time.sleep(0.01)
    time.sleep(rng.uniform(0, 2.0))
    rank = rng.randrange(nproc)
    while process.poll() is None and rank not in (found := ranks_of(process.pid)):
        time.sleep(0.01)
    if process.poll() is not None:
        return "too late: the run had ended"
    trains = log.exists()
    os.kill(found[rank], signal.SIGKILL)
    return "while training" if trains else "before the first epoch"


def hosts(options: argparse.Namespace, work: Path) -> list[str]:
    """Two network namespaces with addresses of their own as two hosts; then the link between them is cut."""
    _make_hosts()
    try:
        run = _on_hosts(options, work / "whole")
        codes = [process.wait() for process, _ in run]
        if any(codes):
            raise SystemExit("\n".join(path.read_text()[-2000:] for _, path in run))
        lines = [f"* Two hosts, {' and '.join(address for _, address in HOSTS.values())}: exit codes {codes}."]
        here = trained(options, work / "loopback", "--nproc", "2")
        same = [record["loss"] for record in records(folder(options, work / "whole"))]
        lines.append(f"* Losses equal to those on loopback: {same == [r['loss'] for r in records(here.folder)]}.")
        limit = ("--set", f"distributed.timeout={options.timeout}")
        cut = _on_hosts(options, work / "cut", *limit, "--checkpoint-seconds", "0.1")
        log = folder(options, work / "cut") / "metrics.jsonl"
        while not (log.exists() and len(log.read_text().splitlines()) >= 3):
            time.sleep(0.05)
        _link("down")
        said = sorted(_last_words(path, options.timeout + 120) for _, path in cut)
        ends = [_ended(process) for process, _ in cut]
        epochs = len(log.read_text().splitlines())
        lines.append(f"* The link cut after {epochs} epochs: {' and '.join(ends)}. What the ranks said:")
        lines += [f"    * `{line}`" for line in said]
        _link("up")
        again = _on_hosts(options, work / "cut", "--resume", *limit)
        codes = [process.wait() for process, _ in again]
        if any(codes):
            raise SystemExit("\n".join(path.read_text()[-2000:] for _, path in again))
        same = digest(folder(options, work / "cut")) == digest(folder(options, work / "whole"))
        return [*lines, f"* Resumed over a mended link: exit codes {codes}, weights of the undisturbed run: {same}."]
    finally:
        for name in HOSTS:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def _last_words(path: Path, seconds: float) -> str:
    """What a rank says when it gives up."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for line in path.read_text().splitlines():
            if line.startswith("agdn: rank"):
                return line
        time.sleep(0.5)
    return "nothing"


def _ended(process: subprocess.Popen[bytes], seconds: float = 60) -> str:
    """How a torchrun ended; one that waits for the lost host, which TCP gives up after many minutes, is stopped."""
    try:
        return f"exit code {process.wait(seconds)}"
    except subprocess.TimeoutExpired:
        for pid in [*ranks_of(process.pid).values(), process.pid]:
            os.kill(pid, signal.SIGKILL)
        process.wait()
        return f"a torchrun that still waited for the other host {seconds:.0f} s later and was stopped"


def _make_hosts() -> None:
    (first, (near, _)), (second, (far, _)) = HOSTS.items()
    for name in HOSTS:
        subprocess.run(["ip", "netns", "delete", name], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "netns", "add", name], check=True)
    pair = ["ip", "link", "add", near, "netns", first, "type", "veth", "peer", "name", far, "netns", second]
    subprocess.run(pair, check=True)
    for name, (interface, address) in HOSTS.items():
        inside = ["ip", "-n", name]
        subprocess.run([*inside, "address", "add", f"{address}/24", "dev", interface], check=True)
        for each in ("lo", interface):
            subprocess.run([*inside, "link", "set", each, "up"], check=True)


def _link(state: str) -> None:
    name, (interface, _) = next(iter(HOSTS.items()))
    subprocess.run(["ip", "-n", name, "link", "set", interface, state], check=True)


def _on_hosts(options: argparse.Namespace, out: Path, *words: str) -> list[tuple[subprocess.Popen[bytes], Path]]:
    """The run under torchrun, one rank a host, without restarts."""
    started, meeting = [], next(iter(HOSTS.values()))[1]
    out.mkdir(parents=True, exist_ok=True)
    for name, (interface, address) in HOSTS.items():
        said = out / f"said-{name}-{time.monotonic_ns()}"
        torchrun = [
            sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1", "--max-restarts",
            "0", "--rdzv-backend", "c10d", "--rdzv-endpoint", f"{meeting}:{PORT}", "--rdzv-id", str(out.stat().st_ino),
            "--rdzv-conf", f"is_host={int(address == meeting)}", "--local-addr", address,
            "-m", "agdn", "train", options.recipe, *changes(options), "--quiet", "--out", str(out), *words,
        ]  # fmt: skip
        own = {"GLOO_SOCKET_IFNAME": interface, "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1", "OMP_NUM_THREADS": "1"}
        with said.open("wb") as file:
            process = subprocess.Popen(
                ["ip", "netns", "exec", name, *torchrun], stdout=file, stderr=file, env={**os.environ, **own}
            )
        started.append((process, said))
    return started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("proof", choices=TITLES)
    parser.add_argument("--recipe", default="digits/agdn")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--rounding", action="store_true", help="parts: also one process on another number of threads")
    parser.add_argument("--set-shared", action="append", default=[], metavar="KEY=VALUE", help="of the ranks alone")
    parser.add_argument(
        "--finished",
        type=Path,
        nargs=2,
        metavar=("ONE", "SHARED"),
        help="batches: two runs that have ended, not new ones",
    )
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--nproc", type=int, default=2)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=20.0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        lines = {"parts": parts, "batches": batches, "kills": kills, "hosts": hosts}[options.proof](options, Path(work))
    names = ", ".join(f"{name} {metadata.version(name)}" for name in ("torch", "pymetis"))
    machine = f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, {names}"
    words = re.sub(r"[^\s=]*/(?=[^\s/]+\.\w+\b)", "", " ".join(sys.argv[1:]))  # of files their names alone
    head = [f"# {TITLES[options.proof]}", "", f"Written by `benchmarks/distributed_proof.py {words}`; {machine}.", ""]
    page = "\n".join([*head, *lines, ""])
    sys.stdout.write(page)
    if options.out is not None:
        options.out.write_text(page)


if __name__ == "__main__":
    main()
