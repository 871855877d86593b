"""Hop weighting: how much of each diffused hop a node, or a channel, takes.

    out = sum over k of theta_k * Z_k

    HA     theta_ik = softmax over k of act(<b_query, z_i(q)> + <b_key, z_i(k)>)      node-wise, per head
    HC     theta_kc free parameters                                                    channel-wise
    HA+HC  the product of both
    mean, sum, PPR, heat                                                               fixed by k alone

A weighting maps the list of hops in ``used_hops``, each (N, H, D), to their combination (N, H, D). A user's own is a
module with the same ``forward``; without ``used_hops`` it receives hops 0..K.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agdn.nn.init import glorot_uniform_, query_

Activation = Literal["leaky_relu", "relu", "sigmoid", "standardize", "none"]
KernelInit = Literal["xavier", "ones", "PPR"]
KERNEL_INITS = ("xavier", "ones", "PPR")


class HopWeighting(nn.Module):
    """What the built-in weightings share: the hops that take part, first_hop..K."""

    def __init__(self, hops: int, first_hop: int = 0) -> None:
        super().__init__()
        if not 0 <= first_hop <= hops:
            raise ValueError(f"first_hop must lie in 0..{hops} (the number of hops), got {first_hop}")
        self.hops, self.first_hop = hops, first_hop

    @property
    def num_weighted(self) -> int:
        return self.hops + 1 - self.first_hop

    @property
    def used_hops(self) -> tuple[int, ...]:
        return tuple(range(self.first_hop, self.hops + 1))

    def forward(self, hops: list[Tensor]) -> Tensor:
        weights, weighted = self.weights(hops), hops[-self.num_weighted :]
        return sum((weights[:, :, k] * hop for k, hop in enumerate(weighted)), start=torch.zeros_like(weighted[0]))

    def weights(self, hops: list[Tensor]) -> Tensor:
        """Theta, broadcastable to (N, H, hops in the sum, D)."""
        raise TypeError(f"{type(self).__name__} defines no weights")

    def terms(self) -> dict[str, Any]:
        """The same weighting in the words of :class:`agdn.ops.Combination`."""
        return {"hops": self.hops, "first_hop": self.first_hop}


class HopAttention(HopWeighting):
    """HA: every node weighs its own hops by attention.

    Args:
        activation: Of the logits; ``"standardize"`` maps them to 0..1 over the hops.
        init: ``"xavier"``, or ``"zeros"`` to start from the mean.
        query_hop: The hop that asks.
        scale: Multiply each head's weights by a learned exp(beta), so that they need not sum to one.
        negative_slope: Of a ``"leaky_relu"`` over the logits.
    """

    def __init__(
        self,
        hops: int,
        heads: int,
        channels: int,
        *,
        first_hop: int = 0,
        activation: Activation = "leaky_relu",
        init: Literal["xavier", "zeros"] = "xavier",
        query_hop: int = 0,
        scale: bool = False,
        negative_slope: float = 0.2,
    ) -> None:
        super().__init__(hops, first_hop)
        if not 0 <= query_hop <= hops:
            raise ValueError(f"query_hop must lie in 0..{hops} (the number of hops), got {query_hop}")
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, got {activation!r}")
        if init not in ("xavier", "zeros"):
            raise ValueError(f"init must be xavier or zeros, got {init!r}")
        self.activation, self.init, self.query_hop, self.negative_slope = activation, init, query_hop, negative_slope
        self.query = nn.Parameter(torch.empty(heads, channels))
        self.key = nn.Parameter(torch.empty(heads, channels))
        self.log_scale = nn.Parameter(torch.empty(heads)) if scale else None
        self.reset_parameters()

    @property
    def used_hops(self) -> tuple[int, ...]:
        return tuple(sorted({self.query_hop, *range(self.first_hop, self.hops + 1)}))

    def reset_parameters(self) -> None:
        for parameter in (self.query, self.key):
            query_(parameter) if self.init == "xavier" else nn.init.zeros_(parameter)
        if self.log_scale is not None:
            nn.init.uniform_(self.log_scale)

    def logits(self, hops: list[Tensor]) -> Tensor:
        """(N, H, hops in the sum) before activation and softmax."""
        asked = torch.einsum("nhd,hd->nh", hops[self.used_hops.index(self.query_hop)], self.query)
        return torch.stack(
            [asked + torch.einsum("nhd,hd->nh", hop, self.key) for hop in hops[-self.num_weighted :]], -1
        )

    def weights(self, hops: list[Tensor]) -> Tensor:
        theta = _activate(self.logits(hops), self.activation, self.negative_slope).softmax(-1)
        if self.log_scale is not None:
            theta = theta * self.log_scale.exp()[:, None]
        return theta.unsqueeze(-1)

    def terms(self) -> dict[str, Any]:
        return {
            **super().terms(),
            "key": self.key,
            "query": self.query,
            "query_hop": self.query_hop,
            "log_scale": self.log_scale,
            "activation": self.activation,
            "negative_slope": self.negative_slope,
        }

    def extra_repr(self) -> str:
        return f"hops={self.first_hop}..{self.hops}, query_hop={self.query_hop}, activation={self.activation}"


class HopConvolution(HopWeighting):
    """HC: every channel weighs the hops by a learned kernel.

    Args:
        init: ``"xavier"``, ``"ones"`` to start from the sum, or ``"PPR"`` to start from the weights of that name.
        alpha: Restart probability of an ``init`` by PPR.
    """

    def __init__(
        self,
        hops: int,
        heads: int,
        channels: int,
        *,
        first_hop: int = 0,
        init: KernelInit = "xavier",
        alpha: float = 0.1,
    ) -> None:
        super().__init__(hops, first_hop)
        if init not in KERNEL_INITS:
            raise ValueError(f"init must be one of {', '.join(KERNEL_INITS)}, got {init!r}")
        if init == "PPR" and first_hop:
            raise ValueError(f"an init by PPR weighs hop 0 too; leave first_hop={first_hop} out")
        self.init, self.alpha = init, alpha
        self.kernel = nn.Parameter(torch.empty(self.num_weighted, heads, channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.init == "ones":
            nn.init.ones_(self.kernel)
        elif self.init == "PPR":
            first = torch.tensor(pagerank_coefficients(self.hops, self.alpha))
            with torch.no_grad():
                self.kernel.copy_(first[:, None, None])
        else:
            hops, heads, channels = self.kernel.shape
            glorot_uniform_(self.kernel, heads * hops * channels, hops * channels)

    def weights(self, hops: list[Tensor]) -> Tensor:
        return self.kernel.transpose(0, 1).unsqueeze(0)

    def terms(self) -> dict[str, Any]:
        return {**super().terms(), "kernel": self.kernel}

    def extra_repr(self) -> str:
        return f"hops={self.first_hop}..{self.hops}"


class HopAttentionConvolution(HopAttention):
    """HA+HC: attention over the hops times a channel-wise kernel.

    Args:
        kernel_init, alpha: As ``init`` and ``alpha`` of HC.
    """

    def __init__(
        self,
        hops: int,
        heads: int,
        channels: int,
        *,
        first_hop: int = 0,
        activation: Activation = "leaky_relu",
        init: Literal["xavier", "zeros"] = "xavier",
        query_hop: int = 0,
        scale: bool = False,
        kernel_init: KernelInit = "ones",
        alpha: float = 0.1,
    ) -> None:
        super().__init__(
            hops,
            heads,
            channels,
            first_hop=first_hop,
            activation=activation,
            init=init,
            query_hop=query_hop,
            scale=scale,
        )
        self.convolution = HopConvolution(hops, heads, channels, first_hop=first_hop, init=kernel_init, alpha=alpha)

    def reset_parameters(self) -> None:
        super().reset_parameters()
        if hasattr(self, "convolution"):
            self.convolution.reset_parameters()

    def weights(self, hops: list[Tensor]) -> Tensor:
        return super().weights(hops) * self.convolution.weights(hops)

    def terms(self) -> dict[str, Any]:
        return {**super().terms(), "kernel": self.convolution.kernel}


class FixedWeighting(HopWeighting):
    """The same coefficients for every node and channel."""

    coefficients: Tensor

    def __init__(self, coefficients: list[float], first_hop: int = 0) -> None:
        super().__init__(first_hop + len(coefficients) - 1, first_hop)
        self.register_buffer("coefficients", torch.tensor(coefficients, dtype=torch.float64), persistent=False)

    def weights(self, hops: list[Tensor]) -> Tensor:
        return self.coefficients.to(hops[0].dtype).view(1, 1, -1, 1)

    def terms(self) -> dict[str, Any]:
        plain_sum = bool((self.coefficients == 1).all())
        return {**super().terms(), **({} if plain_sum else {"kernel": self.coefficients.view(-1, 1, 1)})}

    def extra_repr(self) -> str:
        return f"hops={self.first_hop}..{self.hops}, " + ", ".join(f"{c:.3g}" for c in self.coefficients.tolist())


def mean(hops: int, *, first_hop: int = 0) -> FixedWeighting:
    """theta_k = 1 / number of hops."""
    count = hops + 1 - first_hop
    return FixedWeighting([1 / count] * count, first_hop)


def total(hops: int, *, first_hop: int = 0) -> FixedWeighting:
    """theta_k = 1."""
    return FixedWeighting([1.0] * (hops + 1 - first_hop), first_hop)


def personalised_pagerank(hops: int, *, alpha: float = 0.1) -> FixedWeighting:
    """K steps of Z <- (1 - alpha) A Z + alpha Z0: theta_k = alpha (1 - alpha)^k, theta_K = (1 - alpha)^K, sum 1.

    Args:
        alpha: Restart probability, the share of hop 0.
    """
    return FixedWeighting(pagerank_coefficients(hops, alpha))


def pagerank_coefficients(hops: int, alpha: float) -> list[float]:
    """The weights of hops 0..K by PPR."""
    if not 0 < alpha <= 1:
        raise ValueError(f"PPR needs a restart probability alpha in (0, 1], got {alpha}")
    return [alpha * (1 - alpha) ** k for k in range(hops)] + [(1 - alpha) ** hops]


def heat(hops: int, *, t: float = 5.0) -> FixedWeighting:
    """theta_k proportional to t^k / k!, normalised to sum 1 over the hops.

    Args:
        t: Time of the diffusion: the longer, the more of far hops.
    """
    if t < 0:
        raise ValueError(f"heat needs a time t >= 0, got {t}")
    terms = [t**k / math.factorial(k) for k in range(hops + 1)]
    return FixedWeighting([term / sum(terms) for term in terms])


ACTIVATIONS = ("leaky_relu", "relu", "sigmoid", "standardize", "none")


def _activate(logits: Tensor, activation: Activation, negative_slope: float) -> Tensor:
    if activation == "leaky_relu":
        return F.leaky_relu(logits, negative_slope)
    if activation == "relu":
        return logits.relu()
    if activation == "sigmoid":
        return logits.sigmoid()
    if activation == "standardize":
        low = logits.amin(-1, keepdim=True)
        return (logits - low) / (logits.amax(-1, keepdim=True) - low).clamp(min=1e-9)
    return logits


WEIGHTINGS: dict[str, Callable[..., nn.Module]] = {
    "HA": HopAttention,
    "HC": HopConvolution,
    "HA+HC": HopAttentionConvolution,
    "mean": mean,
    "sum": total,
    "PPR": personalised_pagerank,
    "heat": heat,
}
