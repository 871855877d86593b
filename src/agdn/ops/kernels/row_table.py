"""Rows of a table in training: products with them, and one step of each along the sum of its gradients.

A row is changed by one thread, which adds up the row's gradients in the order in which they came: the bits do not
depend on the number of threads.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from agdn.ops.kernels.jit import kernel, row_function, serial_kernel

EPSILON = np.float32(1e-10)


@row_function
def dots(u, rows, out):
    """out[j] = <u, rows[j]>, four rows at a time."""
    zero = rows.dtype.type(0)
    j = 0
    while j + 4 <= len(rows):
        a, b, c, d = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        sum_a, sum_b, sum_c, sum_d = zero, zero, zero, zero
        for k in range(len(u)):
            value = u[k]
            sum_a += value * a[k]
            sum_b += value * b[k]
            sum_c += value * c[k]
            sum_d += value * d[k]
        out[j], out[j + 1], out[j + 2], out[j + 3] = sum_a, sum_b, sum_c, sum_d
        j += 4
    while j < len(rows):
        a, sum_a = rows[j], zero
        for k in range(len(u)):
            sum_a += u[k] * a[k]
        out[j] = sum_a
        j += 1


@row_function
def add_rows(rows, factors, out):
    """out += sum over j of factors[j] rows[j], four rows at a time."""
    j = 0
    while j + 4 <= len(rows):
        a, b, c, d = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        by_a, by_b, by_c, by_d = factors[j], factors[j + 1], factors[j + 2], factors[j + 3]
        for k in range(len(out)):
            out[k] += (by_a * a[k] + by_b * b[k]) + (by_c * c[k] + by_d * d[k])
        j += 4
    while j < len(rows):
        a, by_a = rows[j], factors[j]
        for k in range(len(out)):
            out[k] += by_a * a[k]
        j += 1


@row_function
def climb(gradient, lr, row, square):
    """Adagrad with one step size a row: the rate falls with the mean square of the gradients the row has seen."""
    total = row.dtype.type(0)
    for k in range(len(row)):
        total += gradient[k] * gradient[k]
    square[0] += total / len(row)
    rate = row.dtype.type(lr / math.sqrt(square[0] + EPSILON))
    for k in range(len(row)):
        row[k] += rate * gradient[k]


@serial_kernel
def places_by_node(nodes, indptr, places):
    """A counting sort: the places of node n in ``nodes`` become places[indptr[n]:indptr[n + 1]]; indptr is (N + 2,)."""
    indptr[:] = 0
    for at in range(len(nodes)):
        indptr[nodes[at] + 2] += 1
    for n in range(2, len(indptr)):
        indptr[n] += indptr[n - 1]
    for at in range(len(nodes)):
        n = nodes[at] + 1
        places[indptr[n]] = at
        indptr[n] += 1


@kernel
def ascend_products(chunks, indptr, places, owners, factors, gradients, lr, table, squares):
    """Row n steps along the sum of factors[p] gradients[owners[p]] over its places p."""
    for chunk in prange(len(chunks) - 1):
        total = np.empty(table.shape[1], table.dtype)
        for n in range(chunks[chunk], chunks[chunk + 1]):
            if indptr[n] < indptr[n + 1]:
                total[:] = table.dtype.type(0)
                for at in range(indptr[n], indptr[n + 1]):
                    factor, row = factors[places[at]], gradients[owners[places[at]]]
                    for k in range(len(total)):
                        total[k] += factor * row[k]
                climb(total, lr, table[n], squares[n : n + 1])
