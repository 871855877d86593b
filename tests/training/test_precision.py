from contextlib import nullcontext

import pytest
import torch

from agdn.training import precision
from agdn.training.errors import TrainingError
from agdn.training.loop import fit
from toy_run import built, settings

CPU = torch.device("cpu")


def test_full_precision_needs_nothing() -> None:
    assert isinstance(precision.autocast("fp32", CPU), nullcontext)


def test_a_device_without_bfloat16_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "has_bf16", lambda device: False)
    with pytest.raises(TrainingError, match="cpu does not compute in bfloat16"):
        precision.autocast("bf16", CPU)


@pytest.mark.usefixtures("plain_operators")
def test_a_run_in_bfloat16_computes_in_it_and_still_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "has_bf16", lambda device: True)
    model, task, inputs = built()
    seen = []
    model.convs[0].transform.register_forward_hook(lambda module, args, out: seen.append(out.dtype))
    epochs = list(fit(model, task, inputs, settings(epochs=8, precision="bf16", warmup_epochs=0)))
    assert set(seen) == {torch.bfloat16}
    assert all(parameter.dtype == torch.float32 for parameter in model.parameters())
    assert epochs[-1].loss < epochs[0].loss
