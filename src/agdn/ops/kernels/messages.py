"""Messages made of a source's row and an edge's attributes, gathered channel by channel: softmax, powers, maxima."""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.jit import borrowing_function, kernel

SOFTMAX, SEMI_SOFTMAX, POWER, MAX, SUM = range(5)
LOW, HIGH = 1e-7, 10.0  # between which powers are taken


@borrowing_function
def message(row, own, weight, bias, eps, out):
    """out = relu(row + own W + bias) + eps."""
    for c in range(len(out)):
        out[c] = row[c] + bias[c]
    for f in range(len(own)):
        factor, line = own[f], weight[f]
        for c in range(len(out)):
            out[c] += factor * line[c]
    for c in range(len(out)):
        out[c] = (out[c] if not out[c] < 0 else 0) + eps


@kernel
def gather(chunks, indptr, indices, x, attributes, places, weight, bias, mode, t, eps, out, kept, winners):
    """out (N, C); ``kept`` (N, C) is log sum exp of a softmax, ``winners`` (N, C) the edge of a maximum."""
    for chunk in prange(len(chunks) - 1):
        m = np.empty(x.shape[1], x.dtype)
        total = np.empty(x.shape[1], x.dtype)
        for i in range(chunks[chunk], chunks[chunk + 1]):
            o = out[i]
            begin, end = indptr[i], indptr[i + 1]
            for c in range(len(o)):
                o[c] = 0
            if mode <= SEMI_SOFTMAX:
                peak = kept[i]
                for c in range(len(o)):
                    peak[c], total[c] = -np.inf, 0
                for e in range(begin, end):
                    message(x[indices[e]], attributes[places[e]], weight, bias, eps, m)
                    for c in range(len(o)):
                        peak[c] = t * m[c] if not t * m[c] <= peak[c] else peak[c]
                for e in range(begin, end):
                    message(x[indices[e]], attributes[places[e]], weight, bias, eps, m)
                    for c in range(len(o)):
                        share = np.exp(t * m[c] - peak[c])
                        total[c] += share
                        o[c] += share * m[c]
                if end > begin:
                    for c in range(len(o)):
                        o[c] /= total[c]
                        peak[c] += np.log(total[c])
            elif mode == POWER:
                for e in range(begin, end):
                    message(x[indices[e]], attributes[places[e]], weight, bias, eps, m)
                    for c in range(len(o)):
                        o[c] += min(max(m[c], LOW), HIGH) ** t
            elif mode == MAX:
                first = winners[i]
                for c in range(len(o)):
                    first[c] = -1
                for e in range(begin, end):
                    message(x[indices[e]], attributes[places[e]], weight, bias, eps, m)
                    for c in range(len(o)):
                        if first[c] < 0 or not m[c] <= o[c]:
                            o[c], first[c] = m[c], e
            else:
                for e in range(begin, end):
                    message(x[indices[e]], attributes[places[e]], weight, bias, eps, m)
                    for c in range(len(o)):
                        o[c] += m[c]


@kernel
def gather_back(
    chunks, indptr, targets, order, x, attributes, places, weight, bias, mode, t, eps, g, out, kept, winners,
    x_grad, sums, scale_sums,
):  # fmt: skip
    """By source: x_grad (N, C); sums (chunks, F + 1, C) of the edge map and the bias; scale_sums (chunks,) of t."""
    for chunk in prange(len(chunks) - 1):
        m = np.empty(x.shape[1], x.dtype)
        d = np.empty(x.shape[1], x.dtype)
        for j in range(chunks[chunk], chunks[chunk + 1]):
            row = x_grad[j]
            for c in range(len(row)):
                row[c] = 0
            for p in range(indptr[j], indptr[j + 1]):
                e, i = order[p], targets[p]
                own, up, result, log_sum = attributes[places[e]], g[i], out[i], kept[i]
                message(x[j], own, weight, bias, eps, m)
                if mode == SOFTMAX:
                    for c in range(len(d)):
                        share = up[c] * np.exp(t * m[c] - log_sum[c])
                        d[c] = share * (1 + t * (m[c] - result[c]))
                        scale_sums[chunk] += share * m[c] * (m[c] - result[c])
                elif mode == SEMI_SOFTMAX:
                    for c in range(len(d)):
                        d[c] = up[c] * np.exp(t * m[c] - log_sum[c])
                elif mode == POWER:
                    for c in range(len(d)):
                        base = min(max(m[c], LOW), HIGH)
                        power = up[c] * base**t
                        d[c] = t * power / base if LOW <= m[c] <= HIGH else 0
                        scale_sums[chunk] += power * np.log(base)
                elif mode == MAX:
                    for c in range(len(d)):
                        d[c] = up[c] if winners[i, c] == e else 0
                else:
                    for c in range(len(d)):
                        d[c] = up[c]
                for c in range(len(d)):
                    d[c] = d[c] if m[c] > eps else 0
                    row[c] += d[c]
                if len(own):
                    for f in range(len(own)):
                        factor, line = own[f], sums[chunk, f]
                        for c in range(len(d)):
                            line[c] += factor * d[c]
                    line = sums[chunk, len(own)]
                    for c in range(len(d)):
                        line[c] += d[c]
