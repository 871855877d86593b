import os
from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)  # the tensors are small, and tests run side by side


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data sets; tests that need it skip where it is not there."""
    folder = os.environ.get("AGDN_DATA")
    if not folder:
        pytest.skip("real data sets: set AGDN_DATA to the folder that holds them")
    if not Path(folder).is_dir():
        pytest.fail(f"AGDN_DATA={folder} is not a folder")
    return Path(folder)
