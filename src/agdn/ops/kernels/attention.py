"""Softmax over edges, attention scores, and softmax over hops."""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.jit import borrowing_function, kernel

LEAKY_RELU, RELU, SIGMOID, STANDARDIZE, NONE = range(5)
FLOOR = 1e-9


@kernel
def softmax(chunks, indptr, order, ordered, scores, out):
    """Softmax of each column over each group of rows, or (``ordered``) of the rows order[begin:end]."""
    heads = scores.shape[1]
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            begin, end = indptr[i], indptr[i + 1]
            for h in range(heads):
                peak = scores.dtype.type(-np.inf)
                for p in range(begin, end):
                    score = scores[order[p] if ordered else p, h]
                    if not score <= peak:  # true for NaN
                        peak = score
                total = scores.dtype.type(0)
                for p in range(begin, end):
                    e = order[p] if ordered else p
                    weight = np.exp(scores[e, h] - peak)
                    out[e, h] = weight
                    total += weight
                share = 1 / total
                for p in range(begin, end):
                    out[order[p] if ordered else p, h] *= share


@kernel
def softmax_back(chunks, indptr, order, ordered, g, a, out):
    """ds = a * (g - sum over the group of a * g)."""
    heads = a.shape[1]
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for h in range(heads):
                total = a.dtype.type(0)
                for p in range(indptr[i], indptr[i + 1]):
                    e = order[p] if ordered else p
                    total += g[e, h] * a[e, h]
                for p in range(indptr[i], indptr[i + 1]):
                    e = order[p] if ordered else p
                    out[e, h] = a[e, h] * (g[e, h] - total)


@kernel
def edge_scores(chunks, indptr, indices, source, target, edge, with_target, with_edge, slope, out):
    """LeakyReLU(source[j] + target[i] + edge[e])."""
    heads = source.shape[1]
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for e in range(indptr[i], indptr[i + 1]):
                for h in range(heads):
                    score = source[indices[e], h]
                    if with_target:
                        score += target[i, h]
                    if with_edge:
                        score += edge[e, h]
                    out[e, h] = score if not score < 0 else score * slope


@kernel
def edge_scores_back(chunks, indptr, order, ordered, g, scores, slope, out):
    """Sum over each group of the gradient before the LeakyReLU; its sign is that of the score after."""
    heads = g.shape[1]
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for h in range(heads):
                total = g.dtype.type(0)
                for p in range(indptr[i], indptr[i + 1]):
                    e = order[p] if ordered else p
                    total += g[e, h] * (slope if scores[e, h] < 0 else 1)
                out[i, h] = total


@borrowing_function
def activate(logit, activation, slope):
    """The activations that look at one logit alone."""
    if activation == LEAKY_RELU:
        return logit if not logit < 0 else logit * slope
    if activation == RELU:
        return logit if not logit < 0 else logit * 0
    if activation == SIGMOID:
        return 1 / (1 + np.exp(-logit))
    return logit


@borrowing_function
def activate_all(logits, query, activation, slope, out):
    """out[k] = activation of logits[k] + query, over the hops of one node and head."""
    for k in range(len(logits)):
        out[k] = activate(logits[k] + query, activation, slope)
    if activation == STANDARDIZE:
        low, high = out[0], out[0]
        for k in range(len(out)):
            low, high = min(low, out[k]), max(high, out[k])
        width = high - low if high - low > FLOOR else FLOOR
        for k in range(len(out)):
            out[k] = (out[k] - low) / width


@kernel
def attend(logits, query, scale, activation, slope, alpha):
    """alpha (N, H, K') = scale * softmax over hops of the activated logits."""
    for i in prange(len(logits)):
        for h in range(logits.shape[1]):
            out = alpha[i, h]
            activate_all(logits[i, h], query[i, h], activation, slope, out)
            peak, total = out[0], out[0] * 0
            for k in range(len(out)):
                peak = out[k] if not out[k] <= peak else peak
            for k in range(len(out)):
                out[k] = np.exp(out[k] - peak)
                total += out[k]
            for k in range(len(out)):
                out[k] *= scale[h] / total


@kernel
def attend_back(logits, query, scale, activation, slope, alpha, alpha_grad, logit_grad, query_grad):
    """Gradients of the logits and of the query, through scale, softmax and activation."""
    for i in prange(len(logits)):
        for h in range(logits.shape[1]):
            a, up, out = alpha[i, h], alpha_grad[i, h], logit_grad[i, h]
            mixed = a[0] * 0
            for k in range(len(a)):
                mixed += a[k] * up[k]
            mixed /= scale[h]
            for k in range(len(a)):
                out[k] = a[k] * (up[k] - mixed)
            if activation == STANDARDIZE:
                standardize_back(logits[i, h], out)
            else:
                for k in range(len(a)):
                    logit = logits[i, h, k] + query[i, h]
                    if activation == LEAKY_RELU and logit < 0:
                        out[k] *= slope
                    elif activation == RELU and not logit > 0:
                        out[k] = 0
                    elif activation == SIGMOID:
                        value = 1 / (1 + np.exp(-logit))
                        out[k] *= value * (1 - value)
            total = a[0] * 0
            for k in range(len(a)):
                total += out[k]
            query_grad[i, h] = total


@borrowing_function
def standardize_back(logits, gradient):
    """In place; ties for the smallest and the largest logit share their gradient."""
    low, high = logits[0], logits[0]
    for k in range(len(logits)):
        low, high = min(low, logits[k]), max(high, logits[k])
    width = high - low if high - low > FLOOR else FLOOR
    plain, weighted, lows, highs = logits[0] * 0, logits[0] * 0, 0, 0
    for k in range(len(logits)):
        plain += gradient[k] / width
        weighted += gradient[k] * (logits[k] - low) / (width * width)
        lows += logits[k] == low
        highs += logits[k] == high
    if not high - low > FLOOR:
        weighted = plain * 0
    for k in range(len(logits)):
        gradient[k] /= width
        if logits[k] == low:
            gradient[k] += (weighted - plain) / lows
        if logits[k] == high:
            gradient[k] -= weighted / highs
