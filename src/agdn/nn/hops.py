"""What happens to a diffused hop before it is weighed: normalisation and positional embedding.

    layer  (z - mean) / sqrt(var + 1e-9) * scale_k + offset_k     over the D channels of a node and head
    L2     z / max(|z|, 1e-12)
    then   + position_k

Neither enters the propagation itself.
"""

from __future__ import annotations

from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agdn.nn.init import RELU_GAIN, glorot_normal_

LAYER_EPS = 1e-9
L2_EPS = 1e-12
HopNorm = Literal["layer", "l2"]
PositionInit = Literal["stack", "slice", "joint"]


class HopTransform(nn.Module):
    """Per-hop normalisation and positional embedding for the hops in ``used_hops``.

    Args:
        norm: None, ``"layer"`` or ``"l2"``.
        position: Whether to add a learned vector to each hop.
        position_init: How Glorot's fans are taken: of the (K+1, H, D) ``"stack"`` with gain 1, of each (H, D)
            ``"slice"``, or of the ``"joint"`` (1, H, K+1, D) tensor.
    """

    def __init__(
        self,
        used_hops: tuple[int, ...],
        heads: int,
        channels: int,
        *,
        norm: HopNorm | None = None,
        position: bool = False,
        position_init: PositionInit = "stack",
    ) -> None:
        super().__init__()
        if norm not in (None, "layer", "l2"):
            raise ValueError(f"hop_norm must be None, layer or l2, got {norm!r}")
        if position_init not in ("stack", "slice", "joint"):
            raise ValueError(f"position_init must be stack, slice or joint, got {position_init!r}")
        shape = (len(used_hops), heads, channels)
        self.norm, self.position_init = norm, position_init
        self.scale = nn.Parameter(torch.empty(shape)) if norm == "layer" else None
        self.offset = nn.Parameter(torch.empty(shape)) if norm == "layer" else None
        self.position = nn.Parameter(torch.empty(shape)) if position else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.scale is not None and self.offset is not None:
            nn.init.ones_(self.scale)
            nn.init.zeros_(self.offset)
        if self.position is not None:
            hops, heads, channels = self.position.shape
            fan_in, fan_out, gain = {
                "stack": (heads * channels, hops * channels, 1.0),
                "slice": (channels, heads, RELU_GAIN),
                "joint": (heads * hops * channels, hops * channels, RELU_GAIN),
            }[self.position_init]
            glorot_normal_(self.position, fan_in, fan_out, gain)

    @property
    def is_identity(self) -> bool:
        return self.norm is None and self.position is None

    def forward(self, hops: list[Tensor]) -> list[Tensor]:
        return [self._transformed(hop, row) for row, hop in enumerate(hops)]

    def _transformed(self, hop: Tensor, row: int) -> Tensor:
        if self.scale is not None and self.offset is not None:
            var, mean = torch.var_mean(hop, dim=-1, correction=0, keepdim=True)
            hop = (hop - mean) * (var + LAYER_EPS).rsqrt() * self.scale[row] + self.offset[row]
        elif self.norm == "l2":
            hop = F.normalize(hop, dim=-1, eps=L2_EPS)
        return hop if self.position is None else hop + self.position[row]

    def terms(self) -> dict[str, Any]:
        """The same transform in the words of :class:`agdn.ops.Combination`."""
        parts = [part for part in (self.offset, self.position) if part is not None]
        return {"norm": self.norm, "scale": self.scale, "shift": sum(parts[1:], start=parts[0]) if parts else None}

    def extra_repr(self) -> str:
        return f"norm={self.norm}, position={self.position is not None}"
