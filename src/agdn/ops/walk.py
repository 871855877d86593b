"""The compiled walk behind :mod:`agdn.ops.diffuse`: what is computed when, on which buffers."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agdn.ops import cache_blocks
from agdn.ops.blocks import Block, whole
from agdn.ops.kernels import attention, walk
from agdn.ops.kernels.buffers import empty
from agdn.ops.kernels.dropout import drop
from agdn.ops.kernels.jit import along, row_chunks, use_threads

LAYER, L2 = 1, 2
EPS = {0: 0.0, LAYER: 1e-9, L2: 1e-12}


class Walk:
    """One call of the operator: its inputs, with every option turned into per-hop vectors."""

    def __init__(
        self, z, weight, indptr, indices, visits, scale, shift, kernel, key, query, log_scale, seed,
        hops, first_hop, query_hop, norm, activation, slope, p,
    ) -> None:  # fmt: skip
        use_threads()
        self.z, self.weight, self.indptr, self.indices = z, weight, indptr.numpy(), indices.numpy()
        self.nodes, self.heads, self.channels = z.shape
        self.whole = whole(self.heads, self.channels)
        self.hops, self.first_hop, self.query_hop, self.norm = hops, first_hop, query_hop, norm
        self.activation, self.slope, self.seed, self.p = activation, slope, seed, p
        self.attends = key is not None
        self.weighted = range(first_hop, hops + 1)
        used = sorted({query_hop, *self.weighted}) if self.attends else list(self.weighted)
        self.row = {k: row for row, k in enumerate(used)}
        self.scale, self.shift, self.kernel, self.key, self.query = scale, shift, kernel, key, query
        self.head_scale = torch.ones(self.heads, dtype=z.dtype) if log_scale is None else log_scale.exp()
        self.has_log_scale = log_scale is not None
        self.rows = row_chunks(self.nodes)
        self.ids: np.ndarray | None = None  # of the rows, for dropout; None where they are the positions
        self.visits = visits
        self.chunks, self.route = along(visits, indptr)

    # The per-hop vectors (H, D) of the formulas, restricted to a block.

    def _vector(self, name: str, k: int, fill: float, block: Block) -> Tensor:
        stacked: Tensor | None = getattr(self, name)
        row = k - self.first_hop if name == "kernel" else self.row.get(k, 0)
        if stacked is None:
            return torch.full(block.shape, fill, dtype=self.z.dtype)
        return block.of(stacked[row].expand(self.heads, self.channels))

    def _scale(self, k: int, block: Block) -> Tensor:
        return self._vector("scale", k, 1.0, block)

    def _gain(self, k: int, block: Block) -> np.ndarray:
        return (self._vector("kernel", k, 1.0, block) * self._scale(k, block)).contiguous().numpy()

    def _level(self, k: int, block: Block) -> np.ndarray:
        return (self._vector("kernel", k, 1.0, block) * self._vector("shift", k, 0.0, block)).contiguous().numpy()

    def _attention(self, vector: Tensor | None, k: int, block: Block) -> np.ndarray:
        scale = self._scale(k, block)
        return (torch.zeros_like(scale) if vector is None else block.of(vector) * scale).contiguous().numpy()

    def _key(self, k: int, block: Block) -> np.ndarray:
        return self._attention(self.key if k >= self.first_hop else None, k, block)

    def _query(self, k: int, block: Block) -> np.ndarray:
        return self._attention(self.query if k == self.query_hop else None, k, block)

    @staticmethod
    def statistics(stats: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """(N, H) mean and 1 / spread of hop k's rows; without a hop norm all hops may share 0 and 1."""
        row = min(k, stats.size(1) - 1)
        return stats[0, row], stats[1, row]

    def _hop_weight(self, k: int) -> np.ndarray:
        array: np.ndarray = self.weight[k - 1 if self.weight.size(0) > 1 else 0].numpy()
        return array

    def _as_transition_sees(self, z: Tensor) -> np.ndarray:
        """Rows with one head for a transition that all heads share."""
        rows, heads, channels = len(z), z.size(1), prod(z.shape[2:])
        shared = self.weight.size(2) == 1
        array: np.ndarray = z.view((rows, 1, heads * channels) if shared else (rows, heads, channels)).numpy()
        return array

    @property
    def dropout_ids(self) -> tuple[np.ndarray, bool]:
        """Ids of the rows, and whether they are to be looked at."""
        return (self.indptr, False) if self.ids is None else (self.ids, True)

    def _dropped(self, z: Tensor, k: int, block: Block, buffer: Tensor | None) -> Tensor:
        """What hop k reads: z, or z with channels dropped out."""
        if self.p == 0:
            return z
        out = empty(tuple(z.shape), z.dtype) if buffer is None else buffer
        drop(
            self.rows,
            z.numpy(),
            *self.dropout_ids,
            self.seed + k,
            self.p,
            block.offset(self.channels),
            self.channels,
            out.numpy(),
        )
        return out

    def forward(self, store: bool, *, overwrite: bool = False) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        """``overwrite``: hop 0 is not needed any more, and its memory may be used."""
        dtype, shape, whole = self.z.dtype, tuple(self.z.shape), self.whole
        stored = empty((self.hops if store else 0, *shape), dtype)
        stats = torch.zeros(2, self.hops + 1 if store or self.norm else 1, *shape[:2], dtype=dtype)
        stats[1] = 1
        key_dots = torch.zeros(self.hops + 1, *shape[:2], dtype=dtype)
        asked = torch.zeros(shape[:2], dtype=dtype)
        out = empty(shape, dtype)
        online = (
            not store and self.attends and self.activation != attention.STANDARDIZE and self.query_hop <= self.first_hop
        )
        running = (torch.empty(shape[:2], dtype=dtype), torch.empty(shape[:2], dtype=dtype))

        def each(k: int, z: Tensor) -> None:
            if online and k >= self.first_hop:
                self._take_online(k, z, key_dots[k], asked, running, stats, out)
            elif not store and not self.attends and k >= self.first_hop:
                ones = torch.ones(shape[:2], dtype=dtype)
                self._take(k, z, ones, stats, out)

        self._walk(stored, stats, key_dots, asked, each, overwrite=overwrite and (online or not self.attends))
        alpha, logits = self._weights(key_dots, asked)
        if store:
            hop = [self.z, *stored]
            gains = np.stack([self._gain(k, whole) for k in self.weighted])
            levels = np.stack([self._level(k, whole) for k in self.weighted])
            mean, rstd = stats[:, self.first_hop :].numpy()
            walk.combine(
                self.rows, hop[self.first_hop].numpy(), stored[self.first_hop :].numpy(), gains, levels, alpha.numpy(),
                mean, rstd, out.numpy(),
            )  # fmt: skip
        elif online:
            walk.scale_rows(self.rows, out.numpy(), (self.head_scale / running[1]).numpy())
        elif self.attends:  # the weights are known only after a first walk

            def take(k: int, z: Tensor) -> None:
                if k >= self.first_hop:
                    self._take(k, z, alpha[:, :, k - self.first_hop].contiguous(), stats, out)

            self._walk(stored, stats.clone(), key_dots.clone(), asked.clone(), take)
        return out, alpha, logits, asked, stats, stored

    def _walk(
        self, stored: Tensor, stats: Tensor, key_dots: Tensor, asked: Tensor, each, *, overwrite: bool = False
    ) -> None:
        """Hops 0..K, into ``stored`` or two buffers in turn; each is probed, then handed to ``each``."""
        shape, dtype, whole = tuple(self.z.shape), self.z.dtype, self.whole
        spare = [self.z] if overwrite and self.hops > 1 else []  # a single hop would write the rows that it reads
        spare += [empty(shape, dtype) for _ in range(0 if len(stored) else min(self.hops, 2) - len(spare))]
        buffer = empty(shape, dtype) if self.p > 0 else None
        probed = self.norm or self.attends
        z = self.z
        for k in range(self.hops + 1):
            query_dot = asked if self.attends and k == self.query_hop else torch.empty_like(asked)
            probes = (
                self._key(k, whole), self._query(k, whole), self.norm, EPS[self.norm],
                *(array.numpy() for array in self.statistics(stats, k)), key_dots[k].numpy(), query_dot.numpy(),
            )  # fmt: skip
            if k == 0:
                if probed:
                    walk.probe_rows(self.rows, z.numpy(), *probes)
            else:
                following = stored[k - 1] if len(stored) else spare[k % len(spare)]
                self._hop(k, self._dropped(z, k, whole, buffer), following, probes if probed else ())
                z = following
            if self.attends:
                self._add_constants(k, key_dots, asked, whole)
            each(k, z)

    def _hop(self, k: int, z: Tensor, following: Tensor, probes: tuple[Any, ...]) -> None:
        """Hop k of the rows z into ``following``, whose rows are probed where there are ``probes``."""
        x, y = self._as_transition_sees(z), self._as_transition_sees(following)
        edges = (self.chunks, self.route, self.indptr, self.indices, self._hop_weight(k), x)
        if probes and not cache_blocks.worthwhile(x, len(self.indices)):
            walk.product_probed(*edges, y, following.numpy(), *probes)
            return
        cache_blocks.product(*edges, y)
        if probes:
            walk.probe_rows(self.rows, following.numpy(), *probes)

    def _add_constants(self, k: int, key_dots: Tensor, asked: Tensor, whole: Block) -> None:
        if self.shift is not None and self.key is not None and self.query is not None and k in self.row:
            key_dots[k] += (self._vector("shift", k, 0.0, whole) * self.key).sum(-1)
            if k == self.query_hop:
                asked += (self._vector("shift", k, 0.0, whole) * self.query).sum(-1)

    def _take(self, k: int, z: Tensor, alpha: Tensor, stats: Tensor, out: Tensor) -> None:
        whole = self.whole
        walk.combine_one(
            self.rows, z.numpy(), self._gain(k, whole), self._level(k, whole), k == self.first_hop, alpha.numpy(),
            *(array.numpy() for array in self.statistics(stats, k)), out.numpy(),
        )  # fmt: skip

    def _take_online(self, k, z, logit, asked, running, stats, out) -> None:
        whole = self.whole
        walk.combine_online(
            self.rows, z.numpy(), self._gain(k, whole), self._level(k, whole), k == self.first_hop, logit.numpy(),
            asked.numpy(), self.activation, self.slope, running[0].numpy(), running[1].numpy(),
            *(array.numpy() for array in self.statistics(stats, k)), out.numpy(),
        )  # fmt: skip

    def _weights(self, key_dots: Tensor, asked: Tensor) -> tuple[Tensor, Tensor]:
        logits = key_dots[self.first_hop :].permute(1, 2, 0).contiguous()
        if not self.attends:
            return torch.ones_like(logits), logits
        alpha = torch.empty_like(logits)
        attention.attend(
            logits.numpy(), asked.numpy(), self.head_scale.numpy(), self.activation, self.slope, alpha.numpy()
        )
        return alpha, logits

    def backward(
        self,
        g: Tensor,
        by_source: tuple[Tensor, Tensor, Tensor],
        alpha: Tensor,
        logits: Tensor,
        asked: Tensor,
        stats: Tensor,
        stored: Tensor,
        want_weight: bool,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        from agdn.ops.walk_back import WalkBack

        return WalkBack(self, g, by_source, alpha, logits, asked, stats, stored, want_weight).gradients()
