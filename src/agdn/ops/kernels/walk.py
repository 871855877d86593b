"""The K-hop walk with its combination, forward and backward; see :mod:`agdn.ops.diffuse` for the formulas."""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.attention import activate
from agdn.ops.kernels.dropout import keep_row
from agdn.ops.kernels.hop import gather, gather_back
from agdn.ops.kernels.jit import kernel
from agdn.ops.kernels.rows import accumulate, add_own_gradient, add_product, add_to_sums, probe


@kernel
def probe_rows(chunks, z, key, query, norm, eps, mean, rstd, key_dot, query_dot):
    """Statistics and attention products of hop 0."""
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            probe(z[i], key, query, norm, eps, mean[i], rstd[i], key_dot[i], query_dot[i])


@kernel
def product_probed(chunks, route, indptr, indices, a, x, y, z, key, query, norm, eps, mean, rstd, key_dot, query_dot):
    """y = A x, each row probed while it is warm; ``z`` is ``y`` with its rows seen as (H, D)."""
    for chunk in prange(len(chunks) - 1):
        for at in range(chunks[chunk], chunks[chunk + 1]):
            i, following = route[at], indptr[route[min(at + 1, len(route) - 1)]]
            gather(indptr[i], indptr[i + 1], following, indices, a, x, y[i])
            probe(z[i], key, query, norm, eps, mean[i], rstd[i], key_dot[i], query_dot[i])


@kernel
def combine(chunks, first, hops, gain, shift, alpha, mean, rstd, out):
    """out = sum over k of alpha_k * (normalised hop k * gain_k + shift_k); ``first`` is the first hop in the sum."""
    heads = out.shape[1]
    for chunk in prange(len(chunks) - 1):
        keep = np.zeros(heads, out.dtype)
        for i in range(chunks[chunk], chunks[chunk + 1]):
            keep[:] = 0
            accumulate(out[i], first[i], gain[0], shift[0], keep, alpha[i, :, 0], mean[0, i], rstd[0, i])
            keep[:] = 1
            for k in range(1, alpha.shape[2]):
                accumulate(
                    out[i], hops[k - 1, i], gain[k], shift[k], keep, alpha[i, :, k], mean[k, i], rstd[k, i]
                )  # fmt: skip


@kernel
def combine_one(chunks, z, gain, shift, fresh, alpha, mean, rstd, out):
    """out (+)= alpha * (normalised hop * gain + shift), with the weights given."""
    heads = out.shape[1]
    for chunk in prange(len(chunks) - 1):
        keep = np.ones(heads, out.dtype)
        if fresh:
            keep[:] = 0
        for i in range(chunks[chunk], chunks[chunk + 1]):
            accumulate(out[i], z[i], gain, shift, keep, alpha[i], mean[i], rstd[i])


@kernel
def combine_online(chunks, z, gain, shift, fresh, logit, query, activation, slope, peak, total, mean, rstd, out):
    """One more hop of a softmax-weighted sum whose later logits are not known yet.

    ``peak`` and ``total`` hold the running maximum and denominator; ``out`` is the sum relative to the peak.
    """
    heads = out.shape[1]
    for chunk in prange(len(chunks) - 1):
        keep, weight = np.zeros(heads, out.dtype), np.zeros(heads, out.dtype)
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for h in range(heads):
                score = activate(logit[i, h] + query[i, h], activation, slope)
                if fresh:
                    keep[h], weight[h], peak[i, h], total[i, h] = 0, 1, score, 1
                else:
                    new = score if not score <= peak[i, h] else peak[i, h]
                    keep[h], weight[h] = np.exp(peak[i, h] - new), np.exp(score - new)
                    peak[i, h], total[i, h] = new, total[i, h] * keep[h] + weight[h]
            accumulate(out[i], z[i], gain, shift, keep, weight, mean[i], rstd[i])


@kernel
def scale_rows(chunks, out, factor):
    """out[i, h] *= factor[i, h]."""
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for h in range(out.shape[1]):
                row, f = out[i, h], factor[i, h]
                for c in range(out.shape[2]):
                    row[c] *= f


@kernel
def gradient_products(chunks, z, g, gain, shift, mean, rstd, signal, plain, level):
    """Add <g * gain, normalised z>, <g, gain> and <g, shift> of every node and head."""
    heads, channels = z.shape[1], z.shape[2]
    zero = z.dtype.type(0)
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for h in range(heads):
                row, up, ga, s, centre = z[i, h], g[i, h], gain[h], shift[h], mean[i, h]
                a, b, c_ = zero, zero, zero
                for c in range(channels):
                    weighted = up[c] * ga[c]
                    a += weighted * (row[c] - centre)
                    b += weighted
                    c_ += up[c] * s[c]
                signal[i, h] += a * rstd[i, h]
                plain[i, h] += b
                level[i, h] += c_


@kernel
def own_back(
    chunks, z, g, gain, key, query, coefficient, y, fresh,
    sums, want_signal, want_key, want_query, products, want_product,
):  # fmt: skip
    """Gradient that reaches a hop from the combination alone: all of it (``fresh``) for the last hop."""
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            add_own_gradient(y[i], z[i], g[i], gain, key, query, coefficient[i], fresh)
            add_to_sums(sums[chunk], z[i], g[i], coefficient[i], want_signal, want_key, want_query)
            if want_product:
                add_product(z[i], g[i], gain, products[i])


@kernel
def hop_back(
    chunks, route, indptr, indices, a, y, x, x_grad, a_grad, want_a,
    z, z_grad, g, gain, key, query, coefficient, own, sums, want_signal, want_key, want_query, products, want_product,
    seed, ids, with_ids, p, offset, full_channels,
):  # fmt: skip
    """Gradient of hop k - 1 from that of hop k (``y``) and from the combination, edge weights in the same gather.

    ``x`` and ``x_grad`` are ``z`` and ``z_grad`` with rows seen as the transition sees them. With ``p`` > 0 the hop
    read a dropped-out ``x``; the same mask is drawn again, by the rows' ``ids`` or positions.
    """
    for chunk in prange(len(chunks) - 1):
        mask = np.ones((z.shape[1], z.shape[2]), z.dtype)
        dropped = np.empty((x.shape[1], x.shape[2]), x.dtype)
        for at in range(chunks[chunk], chunks[chunk + 1]):
            j, following = route[at], indptr[route[min(at + 1, len(route) - 1)]]
            begin, end = indptr[j], indptr[j + 1]
            if p > 0:
                keep_row(seed, ids[j] if with_ids else j, p, offset, full_channels, mask)
                flat_mask, flat_x, flat_dropped = mask.reshape(-1), z[j].reshape(-1), dropped.reshape(-1)
                for c in range(len(flat_mask)):
                    flat_dropped[c] = flat_x[c] * flat_mask[c]
                gather_back(begin, end, following, indices, a, y, dropped, x_grad[j], a_grad, want_a)
                flat_grad = z_grad[j].reshape(-1)
                for c in range(len(flat_mask)):
                    flat_grad[c] *= flat_mask[c]
            else:
                gather_back(begin, end, following, indices, a, y, x[j], x_grad[j], a_grad, want_a)
            if own:
                add_own_gradient(z_grad[j], z[j], g[j], gain, key, query, coefficient[j], False)
                add_to_sums(sums[chunk], z[j], g[j], coefficient[j], want_signal, want_key, want_query)
                if want_product:
                    add_product(z[j], g[j], gain, products[j])
