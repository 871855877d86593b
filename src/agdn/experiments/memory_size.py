"""Amounts of memory as people write them: ``8GB``, ``500 MB``, or a number of bytes."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def memory_size(text: str | int) -> int:
    """In bytes."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-zA-Z]*)\s*", str(text))
    if found is None or found[2].lower() not in UNITS:
        raise ValueError(f"an amount of memory is a number with a unit, such as 8GB or 500MB; got {text!r}")
    return int(float(found[1]) * UNITS[found[2].lower()])


MemorySize = Annotated[int, BeforeValidator(memory_size)]
