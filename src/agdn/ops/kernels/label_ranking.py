"""Labels that are the leaves of a tree, ranked for one row at a time among the children of its matched clusters.

Children of a cluster are consecutive, so their vectors are consecutive rows: runs of them are small dense products.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from agdn.ops.kernels.jit import kernel, row_function
from agdn.ops.kernels.row_table import add_rows, dots


@kernel
def candidate_counts(nodes, matched, children, indptr, labels, out):
    """How many labels stand for choice: the children of the matched clusters, and the true labels elsewhere."""
    for at in prange(len(nodes)):
        node, count = nodes[at], 0
        p, end = indptr[node], indptr[node + 1]
        for cluster in matched[node]:
            first, last = children[cluster], children[cluster + 1]
            while p < end and labels[p] < first:
                count, p = count + 1, p + 1
            while p < end and labels[p] < last:
                p += 1
            count += last - first
        out[at] = count + end - p


@row_function
def fill_candidates(matched, children, true, shares, out, targets):
    """The same labels in ascending order, and each one's share of the truth; all runs that are merged ascend."""
    p, count = 0, 0
    for cluster in matched:
        first, last = children[cluster], children[cluster + 1]
        while p < len(true) and true[p] < first:
            out[count], targets[count] = true[p], shares[p]
            p, count = p + 1, count + 1
        for label in range(first, last):
            out[count], targets[count] = label, targets.dtype.type(0)
            if p < len(true) and true[p] == label:
                targets[count] = shares[p]
                p += 1
            count += 1
    while p < len(true):
        out[count], targets[count] = true[p], shares[p]
        p, count = p + 1, count + 1


@row_function
def run_end(labels, begin):
    """Where the run of consecutive labels that begins at ``begin`` ends."""
    end = begin + 1
    while end < len(labels) and labels[end] == labels[end - 1] + 1:
        end += 1
    return end


@row_function
def label_scores(u, labels, table, scale, out):
    """out[j] = scale <u, table[labels[j]]>."""
    begin = 0
    while begin < len(labels):
        end = run_end(labels, begin)
        dots(u, table[labels[begin] : labels[end - 1] + 1], out[begin:end])
        begin = end
    for j in range(len(out)):
        out[j] *= scale


@row_function
def softmax_pulls(scores, targets):
    """The cross-entropy of the softmax of the scores; the targets become targets - chances."""
    top, total, loss = scores.max(), 0.0, 0.0
    for j in range(len(scores)):
        total += math.exp(scores[j] - top)
    log_total = top + math.log(total)
    for j in range(len(scores)):
        loss += targets[j] * (log_total - scores[j])
        targets[j] -= scores.dtype.type(math.exp(scores[j] - log_total))
    return loss


@kernel
def pulls(chunks, starts, nodes, h, matched, children, indptr, labels, shares, table, scale, candidates, owners,
          factors, gradients, losses):  # fmt: skip
    """Losses of rows; their gradients, downhill; and by which factor each candidate is drawn towards its row."""
    for chunk in prange(len(chunks) - 1):
        scores = np.empty(0, h.dtype)
        for at in range(chunks[chunk], chunks[chunk + 1]):
            begin, end, node = starts[at], starts[at + 1], nodes[at]
            own, factor = candidates[begin:end], factors[begin:end]
            true = slice(indptr[node], indptr[node + 1])
            fill_candidates(matched[node], children, labels[true], shares[true], own, factor)
            owners[begin:end] = at
            if len(scores) < end - begin:
                scores = np.empty(2 * (end - begin), h.dtype)
            label_scores(h[at], own, table, scale, scores[: end - begin])
            losses[at] = softmax_pulls(scores[: end - begin], factor)
            for j in range(len(factor)):
                factor[j] *= scale
            gradients[at] = h.dtype.type(0)
            first = 0
            while first < len(own):
                last = run_end(own, first)
                add_rows(table[own[first] : own[last - 1] + 1], factor[first:last], gradients[at])
                first = last


@row_function
def keep_best(scores, first, labels, best):
    """``labels`` and their scores ``best``, both from the best down, with those of ``scores`` that belong there."""
    for j in range(len(scores)):
        if scores[j] > best[-1]:
            place = len(best) - 1
            while place > 0 and scores[j] > best[place - 1]:
                best[place], labels[place] = best[place - 1], labels[place - 1]
                place -= 1
            best[place], labels[place] = scores[j], first + j


@kernel
def best_labels(chunks, h, matched, children, table, out):
    """out[i] = the labels that rank highest among the children of i's matched clusters, in ascending order."""
    for chunk in prange(len(chunks) - 1):
        best, scores = np.empty(out.shape[1], h.dtype), np.empty(0, h.dtype)
        for i in range(chunks[chunk], chunks[chunk + 1]):
            best[:] = -np.inf
            for cluster in matched[i]:
                first, last = children[cluster], children[cluster + 1]
                if len(scores) < last - first:
                    scores = np.empty(2 * (last - first), h.dtype)
                dots(h[i], table[first:last], scores[: last - first])
                keep_best(scores[: last - first], first, out[i], best)
            out[i].sort()
