"""Modules of the user that add to the tables of parts, such as ``WEIGHTINGS["last"] = LastHop``.

The environment names them, never a recipe or a run folder: a file that is read must not be able to run code.
"""

from __future__ import annotations

import importlib
import os

VARIABLE = "AGDN_IMPORT"


def import_own_parts() -> None:
    """Import the modules that $AGDN_IMPORT names, separated by commas."""
    for name in filter(None, map(str.strip, os.environ.get(VARIABLE, "").split(","))):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise ValueError(
                f"{VARIABLE} names the module {name!r}, but there is no module {error.name!r}; "
                "name one that Python finds, for example with PYTHONPATH=."
            ) from None
