"""Where the real data sets lie."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_root() -> Path:
    root = os.environ.get("AGDN_DATA")
    if not root:
        pytest.skip("AGDN_DATA is not set: it names the folder of the real data sets")
    return Path(root)
