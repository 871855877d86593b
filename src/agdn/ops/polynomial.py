"""A polynomial of the transition applied to features, in Horner's form.

    out = sum over k of c_k A^k z              y <- A y + c_k z,  k = K - 1 .. 0, from c_K z
    z'  = sum over k of c_k (A^T)^k g          the same with the edges turned round
    c'_k = <g, A^k z> = <(A^T)^k g, z>         read off the walk that makes z'

Neither direction keeps a hop: two buffers, whatever K is.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import kernels_run_on
from agdn.ops.halo import halo_of
from agdn.ops.propagate import in_source_order, propagate
from agdn.ops.route import route


def polynomial(z: Tensor, weight: Tensor, graph: Graph, coefficients: Tensor | Sequence[float]) -> Tensor:
    """Sum over k of coefficients[k] A^k z.

    Args:
        z: ``(N, C)``.
        weight: ``(E, 1)`` of the transition A, in the graph's order.
        coefficients: ``(K + 1,)``; a tensor may be learnt.
    """
    c = torch.as_tensor(coefficients, dtype=z.dtype, device=z.device)
    if not kernels_run_on(z) or weight.requires_grad or halo_of(graph) is not None:
        return _by_hops(z, weight, graph, c)
    training = torch.is_grad_enabled()
    by_source = graph.transposed if training else (None, None, None)
    fixed = None if by_source[2] is None else in_source_order(weight, by_source[2])
    visits = route(graph, z)
    out: Tensor = polynomial_op(
        z.contiguous(), weight, graph.indptr, graph.indices, visits, by_source[0], by_source[1], fixed, c
    )
    return out


def powers(x: Tensor, weight: Tensor, graph: Graph, hops: int) -> Tensor:
    """(K + 1, N, C): x, A x, ..., A^K x."""
    learnt, whole = x.requires_grad or weight.requires_grad, halo_of(graph) is None
    if learnt or not whole or not kernels_run_on(x) or torch.compiler.is_compiling():
        found = [x]
        for _ in range(hops):
            found.append(propagate(found[-1].unsqueeze(1), weight, graph).squeeze(1))
        return torch.stack(found)
    from agdn.ops import cache_blocks
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.jit import along, use_threads

    use_threads()
    out = empty((hops + 1, *x.shape), x.dtype)
    out[0] = x
    edges = (*along(route(graph, x), graph.indptr), graph.indptr.numpy(), graph.indices.numpy(), weight.numpy())
    for k in range(hops):
        cache_blocks.product(*edges, out[k].unsqueeze(1).numpy(), out[k + 1].unsqueeze(1).numpy())
    return out


def _by_hops(z: Tensor, weight: Tensor, graph: Graph, c: Tensor) -> Tensor:
    out = c[-1] * z
    for k in range(len(c) - 2, -1, -1):
        out = propagate(out.unsqueeze(1), weight, graph).squeeze(1) + c[k] * z
    return out


@torch.library.custom_op("agdn::polynomial", mutates_args=())
def polynomial_op(
    z: Tensor,
    weight: Tensor,
    indptr: Tensor,
    indices: Tensor,
    visits: Tensor | None,
    by_source_indptr: Tensor | None,
    by_source_indices: Tensor | None,
    fixed: Tensor | None,
    coefficients: Tensor,
) -> Tensor:
    """``fixed`` are the weights by source, which with the rest of that side are for backward."""
    return _horner(z, weight, indptr, indices, visits, coefficients)


@polynomial_op.register_fake
def _(z, weight, indptr, indices, visits, by_source_indptr, by_source_indices, fixed, coefficients):
    return torch.empty_like(z)


@torch.library.custom_op("agdn::polynomial_backward", mutates_args=())
def polynomial_backward_op(
    grad: Tensor,
    z: Tensor,
    visits: Tensor | None,
    by_source_indptr: Tensor,
    by_source_indices: Tensor,
    fixed: Tensor,
    coefficients: Tensor,
    want_coefficients: bool,
) -> tuple[Tensor, Tensor]:
    """-> gradients of z and, where wanted, of the coefficients."""
    edges = (fixed, by_source_indptr, by_source_indices, visits)
    if want_coefficients:
        return _walked(grad, z, *edges, coefficients)
    return _horner(grad, *edges, coefficients), z.new_empty(0)


@polynomial_backward_op.register_fake
def _(grad, z, visits, by_source_indptr, by_source_indices, fixed, coefficients, want_coefficients):
    return torch.empty_like(grad), torch.empty_like(coefficients) if want_coefficients else z.new_empty(0)


def _horner(z: Tensor, weight: Tensor, indptr: Tensor, indices: Tensor, visits: Tensor | None, c: Tensor) -> Tensor:
    from agdn.ops import cache_blocks
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.filters import product_plus
    from agdn.ops.kernels.jit import along, use_threads

    use_threads()
    hops, shape = len(c) - 1, (len(z), 1, z.size(1))
    if hops == 0:
        return c[0] * z
    term, factors = z.view(shape), c.tolist()
    edges = (*along(visits, indptr), indptr.numpy(), indices.numpy(), weight.contiguous().numpy())
    buffers = [empty(shape, z.dtype) for _ in range(min(hops, 2))]
    y = term
    for k in range(hops - 1, -1, -1):
        factor, out = factors[hops] if k == hops - 1 else 1.0, buffers[k % len(buffers)]
        if (factor == 1 and factors[k] == 0) or cache_blocks.worthwhile(y.numpy(), len(indices)):
            cache_blocks.product(*edges, y.numpy(), out.numpy())
            if not (factor == 1 and factors[k] == 0):
                torch.add(factor * out, term, alpha=factors[k], out=out)
        else:
            number = term.numpy().dtype.type
            product_plus(*edges, y.numpy(), number(factor), term.numpy(), number(factors[k]), out.numpy())
        y = out
    return y.view_as(z)


def _walked(
    g: Tensor, z: Tensor, weight: Tensor, indptr: Tensor, indices: Tensor, visits: Tensor | None, c: Tensor
) -> tuple[Tensor, Tensor]:
    """Both gradients from the powers of A^T on ``g``."""
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.filters import product_into_sum
    from agdn.ops.kernels.jit import along, use_threads

    use_threads()
    hops, shape = len(c) - 1, (len(z), 1, z.size(1))
    own, factors = z.view(shape).numpy(), c.tolist()
    chunks, visited = along(visits, indptr)
    edges = (chunks, visited, indptr.numpy(), indices.numpy(), weight.numpy())
    buffers = [empty(shape, z.dtype) for _ in range(min(hops, 2))]
    total, slopes = factors[0] * g, torch.empty_like(c)
    slopes[0] = torch.einsum("nc,nc->", g, z)
    dots, y = torch.empty(len(chunks) - 1, dtype=z.dtype), g.view(shape)
    for k in range(1, hops + 1):
        out, coefficient = buffers[k % len(buffers)], own.dtype.type(factors[k])
        product_into_sum(
            *edges, y.numpy(), coefficient, own, out.numpy(), total.view(shape).numpy(), dots.numpy()
        )  # fmt: skip
        slopes[k] = dots.sum()
        y = out
    return total, slopes


def _save(ctx, inputs, output) -> None:
    z, _, _, _, visits, indptr, indices, fixed, coefficients = inputs
    ctx.want_coefficients = ctx.needs_input_grad[8]
    ctx.save_for_backward(z if ctx.want_coefficients else None, visits, indptr, indices, fixed, coefficients)


def _backward(ctx, grad):
    z, *rest = ctx.saved_tensors
    z = grad[:0] if z is None else z
    z_grad, slopes = polynomial_backward_op(grad.contiguous(), z, *rest, ctx.want_coefficients)
    return z_grad, *[None] * 7, slopes if ctx.want_coefficients else None


polynomial_op.register_autograd(_backward, setup_context=_save)
