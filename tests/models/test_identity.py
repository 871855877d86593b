import pytest
import torch

from agdn.models import Identity


def test_what_changes_nothing_keeps_its_channels() -> None:
    x = torch.randn(6, 5)
    assert Identity(5, 5)(x, torch.empty(2, 0)) is x
    with pytest.raises(ValueError, match="as many channels out as in, not 3 for 5"):
        Identity(5, 3)
