"""Backward of the compiled walk: hop by hop, a block of heads and channels at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from agdn.ops import cache_blocks
from agdn.ops.blocks import Block, blocks
from agdn.ops.kernels import attention, walk
from agdn.ops.kernels.buffers import empty
from agdn.ops.kernels.edges import permuted
from agdn.ops.kernels.jit import along
from agdn.ops.kernels.rows import ALPHA, GAIN
from agdn.ops.products import node_scores
from agdn.ops.walk import LAYER, Walk
from agdn.ops.walk_attention import add_attention, can_follow


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
        self.attention_follows = not len(stored) and can_follow(forward)
        self.signal = torch.zeros(len(forward.weighted), forward.nodes, forward.heads, dtype=forward.z.dtype)
        self.plain, self.level = self.signal[:0], self.signal[:0]
        self.logit_grad, self.query_grad = alpha[:0], asked[:0]

    def gradients(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        f = self.f
        if not self.attention_follows:
            self._collect_products()
            log_scale_grad = self._attention_backward()
        z_grad = empty(tuple(f.z.shape), f.z.dtype)
        sums = torch.zeros(f.hops + 1, 4, f.heads, f.channels, dtype=f.z.dtype)
        for block in self._blocks():
            self._walk_back(block, z_grad, sums)
        if self.attention_follows:
            log_scale_grad = self._attention_backward()
            add_attention(self, z_grad, sums)
        weight_grad = f.z.new_empty(0)
        if self.want_weight:
            weight_grad = torch.empty_like(f.weight)
            for ours, out in zip(self.weight_grad, weight_grad, strict=True):
                permuted(ours.numpy(), self.order, out.numpy(), True)
        return (z_grad, weight_grad, *self._parameter_gradients(sums), log_scale_grad)

    def _blocks(self) -> list[Block]:
        f = self.f
        return [f.whole] if len(self.stored) or f.hops == 0 else blocks(f.heads, f.channels, f.hops)

    def _hops(self, block: Block) -> list[Tensor]:
        """Z_0..Z_K of a block of channels."""
        f = self.f
        if len(self.stored) or f.hops == 0:
            return [f.z, *self.stored]
        return list(self._walked(block, keep=True))

    def _walked(self, block: Block, *, keep: bool) -> Iterator[Tensor]:
        f = self.f
        z = self._of_block(f.z, block)
        buffer = self._buffer("dropped", block) if f.p > 0 else None
        weight = self._of_heads(f.weight, block)
        yield z
        for k in range(1, f.hops + 1):
            following = self._buffer(k if keep else k % 2, block)
            x = f._as_transition_sees(f._dropped(z, k, block, buffer))
            a = weight[k - 1 if len(weight) > 1 else 0].numpy()
            cache_blocks.product(f.chunks, f.route, f.indptr, f.indices, a, x, f._as_transition_sees(following))
            z = following
            yield z

    def _buffer(self, name: str | int, block: Block) -> Tensor:
        """(N, heads and channels of the block), the same memory whenever the same name is asked for."""
        f, (heads, width) = self.f, block.shape
        if name not in self.buffers:
            self.buffers[name] = empty((f.nodes * heads * width,), f.z.dtype)
        return self.buffers[name][: f.nodes * heads * width].view(f.nodes, heads, width)

    def _of_heads(self, numbers: Tensor, block: Block) -> Tensor:
        """(..., heads of the block); the tensor itself where that is all of them, or where heads share one number."""
        shared = numbers.size(-1) == 1 or block.shape[0] == self.f.heads
        return numbers if shared else numbers[..., block.heads].contiguous()

    def _collect_products(self) -> None:
        """<g, kappa_k * X_k> and its companions for every hop, before the walk back."""
        f = self.f
        self.plain, self.level = torch.zeros_like(self.signal), torch.zeros_like(self.signal)
        self.logit_grad, self.query_grad = torch.zeros_like(self.alpha), torch.zeros_like(self.asked)
        if not (f.attends or f.norm):
            return
        for block in self._blocks():
            g = self._of_block(self.g, block)
            walked = self._hops(block) if len(self.stored) else self._walked(block, keep=False)
            for k, z in enumerate(walked):
                if k >= f.first_hop:
                    numbers = (self.signal, self.plain, self.level)
                    collected = [self._of_heads(number[k - f.first_hop], block) for number in numbers]
                    mean, rstd = (self._of_heads(statistic, block).numpy() for statistic in f.statistics(self.stats, k))
                    walk.gradient_products(
                        f.rows, z.numpy(), g.numpy(), f._gain(k, block), f._level(k, block), mean, rstd,
                        *(array.numpy() for array in collected),
                    )  # fmt: skip
                    for number, array in zip(numbers, collected, strict=True):
                        self._put(number[k - f.first_hop], array, block)

    def _attention_backward(self) -> Tensor:
        """Fill in the gradients of the logits; returns that of the log scale."""
        f = self.f
        log_scale_grad: Tensor = f.z.new_empty(0)
        if not f.attends:
            return log_scale_grad
        alpha_grad = self.signal if self.attention_follows else self.signal + self.level
        if self.attention_follows and f.shift is not None:
            levels = torch.stack([torch.from_numpy(f._level(k, f.whole)) for k in f.weighted])
            alpha_grad = alpha_grad + node_scores(self.g, levels)
        alpha_grad = alpha_grad.permute(1, 2, 0).contiguous()
        self.logit_grad, self.query_grad = torch.empty_like(self.alpha), torch.empty_like(self.asked)
        attention.attend_back(
            self.logits.numpy(), self.asked.numpy(), f.head_scale.numpy(), f.activation, f.slope,
            self.alpha.numpy(), alpha_grad.numpy(), self.logit_grad.numpy(), self.query_grad.numpy(),
        )  # fmt: skip
        return _node_sum((alpha_grad * self.alpha).sum(-1)) if f.has_log_scale else log_scale_grad

    def _coefficients(self, k: int, block: Block) -> Tensor | None:
        """(N, heads, 7) of hop k, in the columns that ``kernels.rows`` names; None where the combination skips it."""
        f = self.f
        if k not in f.row:
            return None
        if self.attention_follows:
            values = torch.zeros(f.nodes, block.shape[0], 7, dtype=f.z.dtype)
            if k >= f.first_hop:
                values[:, :, GAIN] = values[:, :, ALPHA] = self.alpha[:, block.heads, k - f.first_hop]
            return values
        values = self._all_coefficients(k)
        return values if block.shape[0] == f.heads else values[:, block.heads].contiguous()

    def _all_coefficients(self, k: int) -> Tensor:
        f = self.f
        whole = f.whole
        mean, rstd = f.statistics(self.stats, k)
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
        shift = f._vector("shift", k, 0.0, f.whole)
        return (shift * f.key).sum(-1), (shift * f.query).sum(-1)

    def _walk_back(self, block: Block, z_grad: Tensor, sums: Tensor) -> None:
        f = self.f
        hops, g = self._hops(block), self._of_block(self.g, block)
        edges = self._of_heads(self.weight, block), self._of_heads(self.weight_grad, block)
        whole = block == f.whole
        y = None
        for k in range(f.hops, -1, -1):
            out = self._buffer("odd", block) if k % 2 else z_grad if whole else self._buffer("even", block)
            y = self._gradient_of_hop(k, hops[k], y, out, g, edges, block, sums)
        self._put(self.weight_grad, edges[1], block)
        if not whole and y is not None:
            block.of(z_grad).copy_(y)

    def _gradient_of_hop(
        self,
        k: int,
        z: Tensor,
        above: Tensor | None,
        out: Tensor,
        g: Tensor,
        edges: tuple[Tensor, Tensor],
        block: Block,
        sums: Tensor,
    ) -> Tensor:
        f, coefficient = self.f, self._coefficients(k, block)
        own = coefficient is not None
        values = coefficient if coefficient is not None else torch.zeros(1, block.shape[0], 7, dtype=f.z.dtype)
        partial = np.zeros((len(self.chunks), 4, *block.shape), dtype=z.numpy().dtype)
        in_sum = k >= f.first_hop
        product = self._of_heads(self.signal[max(0, k - f.first_hop)], block)
        wants = (*self._wants(k), product.numpy(), self.attention_follows and in_sum)
        key = f._key(k, block)
        combined = (f._gain(k, block) if in_sum else key * 0, key, f._query(k, block))
        own_gradient = (z.numpy(), g.numpy(), *combined, values.numpy(), out.numpy())
        if above is None:
            walk.own_back(self.chunks, *own_gradient, True, partial, *wants)
        else:
            weight, weight_grad = (edge[k if len(edge) > 1 else 0].numpy() for edge in edges)
            y, x, x_grad = (f._as_transition_sees(tensor) for tensor in (above, z, out))
            hop = (self.chunks, self.route, self.indptr, self.indices, weight, y, x, x_grad, weight_grad)
            if f.p == 0 and cache_blocks.worthwhile(y, len(self.indices)):
                cache_blocks.product_back(*hop, self.want_weight)
                if own:
                    walk.own_back(self.chunks, *own_gradient, False, partial, *wants)
            else:
                walk.hop_back(
                    *hop, self.want_weight, z.numpy(), out.numpy(), g.numpy(), *combined, values.numpy(),
                    own, partial, *wants, f.seed + k + 1, *f.dropout_ids, f.p, block.offset(f.channels), f.channels,
                )  # fmt: skip
        if self.attention_follows and in_sum:
            self._put(self.signal[k - f.first_hop], product, block)
        block.of(sums[k]).copy_(torch.from_numpy(np.add.reduce(partial, axis=0)))
        return out

    def _put(self, numbers: Tensor, part: Tensor, block: Block) -> None:
        """Back to where :meth:`_of_heads` took a copy from."""
        if part is not numbers and part.data_ptr() != numbers.data_ptr():
            numbers[..., block.heads] = part

    def _wants(self, k: int) -> tuple[bool, bool, bool]:
        f = self.f
        in_sum = k >= f.first_hop
        parameters = f.kernel is not None or f.scale is not None or f.shift is not None
        before = f.attends and not self.attention_follows
        return (in_sum and parameters, in_sum and before, before and k == f.query_hop)

    def _of_block(self, tensor: Tensor, block: Block) -> Tensor:
        return tensor if block == self.f.whole else block.of(tensor).contiguous()

    def _zeros_for(self, parameter: Tensor | None) -> Tensor:
        return self.f.z.new_empty(0) if parameter is None else torch.zeros_like(parameter)

    def _parameter_gradients(self, sums: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """From the sums over nodes to scale, shift, kernel, key and query."""
        f, whole = self.f, self.f.whole
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
