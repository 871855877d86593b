"""One hop and its backward, edge weights included.

    y_i = sum over edges j -> i of a_ij x_j
    x'_j = sum over edges j -> i of a_ij y'_i        a'_ij = <y'_i, x_j>

Rows are taken in the order of a ``route``, and asked for while those before them are summed.
"""

from __future__ import annotations

from numba import prange

from agdn.ops.kernels.jit import borrowing_function, kernel
from agdn.ops.kernels.vectors import NARROWEST, gather_vectors, gather_vectors_back


@borrowing_function
def gather(begin, end, following, indices, a, x, y):
    """y (H, D) = sum of a[e, h] * x[indices[e], h] for e in begin..end."""
    if y.shape[1] * y.itemsize >= NARROWEST:
        gather_vectors(begin, end, following, indices, a, x, y)
        return
    for h in range(y.shape[0]):
        for c in range(y.shape[1]):
            total = y.dtype.type(0)  # a literal would make the sum float64, and slow
            for e in range(begin, end):
                total += a[e, h] * x[indices[e], h, c]
            y[h, c] = total


@borrowing_function
def gather_back(begin, end, following, indices, a, y, x, x_grad, a_grad, want_a):
    """x_grad (H, D) = sum of a[e, h] * y[indices[e], h]; a_grad[e, h] += <y[indices[e], h], x[h]>."""
    if not want_a:
        gather(begin, end, following, indices, a, y, x_grad)
        return
    if x_grad.shape[1] * x_grad.itemsize >= NARROWEST:
        gather_vectors_back(begin, end, following, indices, a, y, x_grad, x, a_grad)
        return
    for h in range(x_grad.shape[0]):
        for c in range(x_grad.shape[1]):
            total = x_grad.dtype.type(0)
            for e in range(begin, end):
                total += a[e, h] * y[indices[e], h, c]
                a_grad[e, h] += y[indices[e], h, c] * x[h, c]
            x_grad[h, c] = total


@kernel
def product(chunks, route, indptr, indices, a, x, y):
    """y = A x."""
    for chunk in prange(len(chunks) - 1):
        for at in range(chunks[chunk], chunks[chunk + 1]):
            i, following = route[at], indptr[route[min(at + 1, len(route) - 1)]]
            gather(indptr[i], indptr[i + 1], following, indices, a, x, y[i])


@kernel
def product_back(chunks, route, indptr, indices, a, y, x, x_grad, a_grad, want_a):
    """Both gradients of a product; all edge arrays are in the by-source order."""
    for chunk in prange(len(chunks) - 1):
        for at in range(chunks[chunk], chunks[chunk + 1]):
            j, following = route[at], indptr[route[min(at + 1, len(route) - 1)]]
            gather_back(indptr[j], indptr[j + 1], following, indices, a, y, x[j], x_grad[j], a_grad, want_a)
