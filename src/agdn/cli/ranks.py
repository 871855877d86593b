"""A command as one of several ranks: who starts them, who speaks for them, and how they end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NoReturn, TypeVar

import click

Answer = TypeVar("Answer")


def start_ranks(nproc: int, threads: int | None, max_restarts: int) -> NoReturn:
    """Run this very command as ``nproc`` ranks, and end as they end."""
    from agdn.distributed.launch import launch
    from agdn.experiments.jobs import threads_each

    code, said = launch(sys.argv[1:], nproc=nproc, threads=threads or threads_each(nproc), max_restarts=max_restarts)
    if said is not None:
        click.echo(f"agdn: {said}", err=True)
    sys.exit(code)


def as_rank(action: Callable[[], Answer], timeout: float) -> Answer:
    """What the action returns among the ranks that this process belongs to.

    Rank 0 speaks for all where all found the same; a lost rank is named by everyone who misses it.
    """
    from agdn.distributed.launch import ended
    from agdn.distributed.world import joined
    from agdn.training.errors import LostRank
    from agdn.training.signals import Interrupted

    rank = int(os.environ["RANK"])
    try:
        with joined(timeout):
            answer = action()
    except LostRank as lost:
        click.echo(f"agdn: {lost}; go on with --resume", err=True)
        sys.exit(1)
    except Interrupted as interrupted:
        if rank == 0:
            click.echo(f"agdn: {interrupted}; go on with --resume", err=True)
        sys.exit(ended(interrupted.exit_code, rank))
    except ValueError as mistake:
        if rank == 0:
            click.echo(f"agdn: {mistake}", err=True)
        sys.exit(ended(2, rank))
    except OSError as error:
        if rank == 0:
            click.echo(f"agdn: {error.filename or 'a file'} cannot be used: {error.strerror or error}", err=True)
        sys.exit(ended(2, rank))
    ended(0, rank)
    return answer
