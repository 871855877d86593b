"""The first call of MKL's vector functions, made before two threads can make it at once."""

from __future__ import annotations

import torch


def settle_vector_math() -> None:
    """Call one of torch's vector functions (``sqrt``, ``exp``, ``tanh``...) on a single number, so on one thread.

    They choose their code in the first call of a process. Where two threads of one operation make that call together,
    the result has other bits in some process of hundreds or thousands, and so has the model that is trained in it
    (docs/reliability).
    """
    torch.ones(1).sqrt()
