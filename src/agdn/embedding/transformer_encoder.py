"""Texts -> vectors by a pretrained transformer of sentence-transformers, fine-tuned as a whole.

An extra: ``pip install 'agdn[text]'``. The model is a folder on the disk, or a name that the library knows and keeps;
weights are read from safetensors files, and code that comes with a model is not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

ENCODED_AT_ONCE = 256


class TransformerEncoder:
    """Args:
    model: A module whose ``tokenize`` (or ``preprocess``) turns texts into its input and whose output holds
        ``sentence_embedding``, as those of sentence-transformers; see :func:`sentence_transformer`.
    lr: Step of AdamW.
    """

    def __init__(self, texts: Sequence[str], model: nn.Module, *, lr: float) -> None:
        self.texts, self.model, self.lr = texts, model, lr
        with torch.no_grad():
            self.width = self._vectors(["a text"]).size(1)
        self.begin_level()

    def begin_level(self) -> None:
        self._optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.lr, weight_decay=0.01)

    def encode(self) -> Tensor:
        self.model.eval()
        by_length = torch.tensor([len(text) for text in self.texts]).argsort(stable=True)
        out = torch.empty(len(self.texts), self.width)
        with torch.no_grad():
            for rows in by_length.split(ENCODED_AT_ONCE):
                out[rows] = self._vectors([self.texts[row] for row in rows.tolist()])
        self.model.train()
        return out

    def forward(self, rows: Tensor) -> Tensor:
        return self._vectors([self.texts[row] for row in rows.tolist()])

    def backward(self, h: Tensor, gradient: Tensor, *, rate: float) -> None:
        h.backward(gradient)
        self._optimizer.param_groups[0]["lr"] = self.lr * rate
        self._optimizer.step()
        self._optimizer.zero_grad()

    def _vectors(self, texts: Sequence[str]) -> Tensor:
        model: Any = self.model
        prepare = getattr(model, "preprocess", None) or model.tokenize
        return normalize(self.model(prepare(list(texts)))["sentence_embedding"].float())


def sentence_transformer(model: str) -> nn.Module:
    """The model in a folder, or one that sentence-transformers keeps under this name."""
    if find_spec("sentence_transformers") is None:
        raise ValueError("a transformer needs sentence-transformers; install it with: pip install 'agdn[text]'")
    from sentence_transformers import SentenceTransformer

    try:
        loaded: nn.Module = SentenceTransformer(
            model, device="cpu", trust_remote_code=False, model_kwargs={"use_safetensors": True}
        )
    except (OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"{model} is no model of sentence-transformers, in a folder or by name: {reason}") from None
    return loaded
