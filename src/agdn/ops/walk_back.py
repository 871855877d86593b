"""Backward of the compiled walk: attention first, then hop by hop, a block of channels at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from agdn.ops.kernels import attention, walk
from agdn.ops.kernels.buffers import empty
from agdn.ops.kernels.edges import permuted
from agdn.ops.kernels.hop import product
from agdn.ops.kernels.jit import along
from agdn.ops.walk import BLOCK_BUFFERS, LAYER, Walk

CACHE_LINE = 16  # floats: a block's rows should begin where a line of the cache does


class WalkBack:
    """One backward call. Hops are read from where forward stored them, or walked again block by block."""

    def __init__(
        self,
        forward: Walk,
        g: Tensor,
        by_source: tuple[Tensor, Tensor, Tensor],
        alpha: Tensor,
        logits: Tensor,
        asked: Tensor,
        stats: Tensor,
        stored: Tensor,
        want_weight: bool,
    ) -> None:
        self.f, self.g, self.alpha, self.logits, self.asked, self.stats = forward, g, alpha, logits, asked, stats
        self.stored, self.want_weight = stored, want_weight
        self.indptr, self.indices, self.order = (tensor.numpy() for tensor in by_source)
        self.chunks, self.route = along(forward.visits, by_source[0])
        self.buffers: dict[str | int, Tensor] = {}
        self.weight = torch.empty_like(forward.weight)  # in the by-source order
        for mine, theirs in zip(self.weight, forward.weight, strict=True):
            permuted(theirs.numpy(), self.order, mine.numpy(), False)
        self.weight_grad = torch.zeros_like(self.weight) if want_weight else self.weight[:, :0]

    def gradients(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        f = self.f
        log_scale_grad = self._attention_backward()
        z_grad = empty(tuple(f.z.shape), f.z.dtype)
        sums = torch.zeros(f.hops + 1, 4, f.heads, f.channels, dtype=f.z.dtype)
        for block in self._blocks():
            self._walk_back(block, z_grad, sums)
        weight_grad = f.z.new_empty(0)
        if self.want_weight:
            weight_grad = torch.empty_like(f.weight)
            for ours, out in zip(self.weight_grad, weight_grad, strict=True):
                permuted(ours.numpy(), self.order, out.numpy(), True)
        return (z_grad, weight_grad, *self._parameter_gradients(sums), log_scale_grad)

    def _blocks(self) -> list[slice]:
        if len(self.stored) or self.f.hops == 0:
            return [slice(0, self.f.channels)]
        width = max(1, min(self.f.channels, int(BLOCK_BUFFERS * self.f.channels / (self.f.hops + 4))))
        if width >= CACHE_LINE:
            width -= width % CACHE_LINE
        return [slice(start, min(start + width, self.f.channels)) for start in range(0, self.f.channels, width)]

    def _hops(self, block: slice) -> list[Tensor]:
        """Z_0..Z_K of a block of channels."""
        f = self.f
        if len(self.stored) or f.hops == 0:
            return [f.z, *self.stored]
        return list(self._walked(block, keep=True))

    def _walked(self, block: slice, *, keep: bool) -> Iterator[Tensor]:
        f = self.f
        z = self._of_block(f.z, block)
        buffer = self._buffer("dropped", block) if f.p > 0 else None
        yield z
        for k in range(1, f.hops + 1):
            following = self._buffer(k if keep else k % 2, block)
            x = f._as_transition_sees(f._dropped(z, k, block, buffer))
            product(f.chunks, f.route, f.indptr, f.indices, f._hop_weight(k), x, f._as_transition_sees(following))
            z = following
            yield z

    def _buffer(self, name: str | int, block: slice) -> Tensor:
        """(N, H, width of the block), the same memory whenever the same name is asked for."""
        f, width = self.f, block.stop - block.start
        if name not in self.buffers:
            self.buffers[name] = empty((f.nodes * f.heads * width,), f.z.dtype)
        return self.buffers[name][: f.nodes * f.heads * width].view(f.nodes, f.heads, width)

    def _attention_backward(self) -> Tensor:
        """Fill in the gradients of the logits and what the coefficients of a hop are made of."""
        f = self.f
        shape = (len(f.weighted), f.nodes, f.heads)
        signal, plain, level = (torch.zeros(shape, dtype=f.z.dtype) for _ in range(3))
        if f.attends or f.norm:
            for block in self._blocks():
                g = self._of_block(self.g, block)
                walked = self._hops(block) if len(self.stored) else self._walked(block, keep=False)
                for k, z in enumerate(walked):
                    if k >= f.first_hop:
                        at = k - f.first_hop
                        walk.gradient_products(
                            f.rows, z.numpy(), g.numpy(), f._gain(k, block), f._level(k, block),
                            self.stats[0, k].numpy(), self.stats[1, k].numpy(),
                            signal[at].numpy(), plain[at].numpy(), level[at].numpy(),
                        )  # fmt: skip
        self.logit_grad, self.query_grad = torch.zeros_like(self.alpha), torch.zeros_like(self.asked)
        log_scale_grad: Tensor = f.z.new_empty(0)
        if f.attends:
            alpha_grad = (signal + level).permute(1, 2, 0).contiguous()
            attention.attend_back(
                self.logits.numpy(), self.asked.numpy(), f.head_scale.numpy(), f.activation, f.slope,
                self.alpha.numpy(), alpha_grad.numpy(), self.logit_grad.numpy(), self.query_grad.numpy(),
            )  # fmt: skip
            if f.has_log_scale:
                log_scale_grad = _node_sum((alpha_grad * self.alpha).sum(-1))
        self.signal, self.plain = signal, plain
        return log_scale_grad

    def _coefficients(self, k: int) -> Tensor | None:
        """(N, H, 7) of hop k, in the columns that ``kernels.rows`` names; None where the combination skips the hop."""
        f = self.f
        if k not in f.row:
            return None
        whole = slice(0, f.channels)
        mean, rstd = self.stats[0, k], self.stats[1, k]
        zero = torch.zeros_like(mean)
        alpha = key = inner = flat = zero
        if k >= f.first_hop:
            at = k - f.first_hop
            alpha, key = self.alpha[:, :, at], self.logit_grad[:, :, at]
            inner, flat = alpha * self.signal[at], alpha * self.plain[at]
        query = self.query_grad if f.attends and k == f.query_hop else zero
        slope = constant = zero
        if f.norm:
            if f.attends:
                key_level, query_level = self._attention_level(k)
                seen = self.logits[:, :, k - f.first_hop] - key_level if k >= f.first_hop else zero
                inner = inner + key * seen + query * (self.asked - query_level)
                flat = flat + key * torch.from_numpy(f._key(k, whole)).sum(-1)
                flat = flat + query * torch.from_numpy(f._query(k, whole)).sum(-1)
            if f.norm == LAYER:
                m1, m2 = flat / f.channels, inner / f.channels
            else:  # a row shorter than the floor is divided by the floor, a constant
                m1, m2 = zero, torch.where(rstd >= 1e12, zero, inner)
            slope = rstd * rstd * m2
            constant = rstd * m1 - mean * slope
        return torch.stack([rstd * alpha, rstd * key, rstd * query, constant, slope, mean, alpha], dim=-1)

    def _attention_level(self, k: int) -> tuple[Tensor, Tensor]:
        """<O_k, b_key> and <O_k, b_query>: the part of a logit that does not depend on the features."""
        f = self.f
        zero = torch.zeros(f.heads, dtype=f.z.dtype)
        if f.shift is None or f.key is None or f.query is None:
            return zero, zero
        shift = f._vector("shift", k, 0.0, slice(0, f.channels))
        return (shift * f.key).sum(-1), (shift * f.query).sum(-1)

    def _walk_back(self, block: slice, z_grad: Tensor, sums: Tensor) -> None:
        f = self.f
        hops, g = self._hops(block), self._of_block(self.g, block)
        whole = block == slice(0, f.channels)
        y = None
        for k in range(f.hops, -1, -1):
            out = self._buffer("odd", block) if k % 2 else z_grad if whole else self._buffer("even", block)
            y = self._gradient_of_hop(k, hops[k], y, out, g, block, sums)
        if not whole and y is not None:
            z_grad[:, :, block] = y

    def _gradient_of_hop(
        self, k: int, z: Tensor, above: Tensor | None, out: Tensor, g: Tensor, block: slice, sums: Tensor
    ) -> Tensor:
        f, coefficient = self.f, self._coefficients(k)
        own = coefficient is not None
        values = coefficient if coefficient is not None else torch.zeros(1, f.heads, 7, dtype=f.z.dtype)
        partial = np.zeros((len(self.chunks), 4, f.heads, z.size(2)), dtype=z.numpy().dtype)
        wants = self._wants(k)
        combined = (
            f._gain(k, block) if k >= f.first_hop else f._key(k, block) * 0,
            f._key(k, block),
            f._query(k, block),
        )
        if above is None:
            walk.start_back(
                self.chunks, z.numpy(), g.numpy(), *combined, values.numpy(), out.numpy(), partial, *wants
            )  # fmt: skip
        else:
            at = k if self.weight.size(0) > 1 else 0
            x, x_grad = f._as_transition_sees(z), f._as_transition_sees(out)
            edge_grad = self.weight_grad[at].numpy() if self.want_weight else np.zeros((0, 1), x.dtype)
            walk.hop_back(
                self.chunks, self.route, self.indptr, self.indices, self.weight[at].numpy(),
                f._as_transition_sees(above), x, x_grad, edge_grad, self.want_weight,
                z.numpy(), out.numpy(), g.numpy(), *combined, values.numpy(),
                own, partial, *wants, f.seed + k + 1, f.p, block.start or 0, f.channels,
            )  # fmt: skip
        sums[k, :, :, block] = torch.from_numpy(np.add.reduce(partial, axis=0))
        return out

    def _wants(self, k: int) -> tuple[bool, bool, bool]:
        f = self.f
        in_sum = k >= f.first_hop
        parameters = f.kernel is not None or f.scale is not None or f.shift is not None
        return (in_sum and parameters, in_sum and f.attends, f.attends and k == f.query_hop)

    def _of_block(self, tensor: Tensor, block: slice) -> Tensor:
        return tensor if block == slice(0, self.f.channels) else tensor[:, :, block].contiguous()

    def _zeros_for(self, parameter: Tensor | None) -> Tensor:
        return self.f.z.new_empty(0) if parameter is None else torch.zeros_like(parameter)

    def _parameter_gradients(self, sums: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """From the sums over nodes to scale, shift, kernel, key and query."""
        f, whole = self.f, slice(0, self.f.channels)
        scale_grad = self._zeros_for(f.scale)
        shift_grad = self._zeros_for(f.shift)
        kernel_grad = self._zeros_for(f.kernel)
        key_grad = self._zeros_for(f.key)
        query_grad = self._zeros_for(f.query)
        key_sums, query_sum = _node_sum(self.logit_grad), _node_sum(self.query_grad)  # (H, K'), (H,)
        for k, row in f.row.items():
            scale, shift = f._scale(k, whole), f._vector("shift", k, 0.0, whole)
            signal, plain, keyed, queried = sums[k]
            for_scale, for_shift = torch.zeros_like(signal), torch.zeros_like(signal)
            if k >= f.first_hop:
                kernel = f._vector("kernel", k, 1.0, whole)
                for_scale, for_shift = kernel * signal, kernel * plain
                if f.kernel is not None:
                    full = scale * signal + shift * plain
                    kernel_grad[k - f.first_hop] = full.sum_to_size(kernel_grad.shape[1:])
                if f.key is not None:
                    key_sum = key_sums[:, k - f.first_hop, None]
                    key_grad += scale * keyed + shift * key_sum
                    for_scale, for_shift = for_scale + f.key * keyed, for_shift + f.key * key_sum
            if f.query is not None and k == f.query_hop:
                query_grad += scale * queried + shift * query_sum[:, None]
                for_scale, for_shift = for_scale + f.query * queried, for_shift + f.query * query_sum[:, None]
            if f.scale is not None:
                scale_grad[row] = for_scale
            if f.shift is not None:
                shift_grad[row] = for_shift
        return scale_grad, shift_grad, kernel_grad, key_grad, query_grad


def _node_sum(values: Tensor) -> Tensor:
    """Sum over the nodes in an order that does not depend on the number of threads."""
    return torch.from_numpy(np.asarray(np.add.reduce(values.numpy(), axis=0)))
