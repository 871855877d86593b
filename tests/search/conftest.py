import pytest


@pytest.fixture(autouse=True)
def _plain_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models run on torch's own operators: no compiled kernels to load for a graph of a hundred nodes."""
    monkeypatch.setenv("AGDN_KERNELS", "torch")
