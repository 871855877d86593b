"""Grouped reversible blocks: training memory that does not grow with the number of blocks.

The C groups of a block's channels become (Li, Mueller, Ghanem, Koltun, *Training graph neural networks with 1000
layers*, ICML 2021)

    y_0 = x_2 + ... + x_C        y_i = x_i + f_i(y_(i-1)),  i = 1..C        and back        x_i = y_i - f_i(y_(i-1))

so that a whole stack keeps its last output alone. Backward goes from block to block: it computes each f_i again, once,
takes its gradients and subtracts it to have the block's input. The functions draw their random numbers from seeds of
their own, so that they drop the same entries again; batch norms count a batch once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from agdn.ops.dropout import draw_seed


class Reversible(nn.Module):
    """A stack of grouped reversible blocks; each function maps ``(h, *context)`` to a tensor of the shape of ``h``.

    Args:
        blocks: For every block its C functions, C >= 2.
        reversible: Otherwise the same numbers by plain operators, which keep what every function computed.
    """

    def __init__(self, blocks: Sequence[Sequence[nn.Module]], *, reversible: bool = True) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.ModuleList(block) for block in blocks)
        self.reversible = reversible

    def reset_parameters(self) -> None:
        for number in range(len(self.blocks)):
            for function in self._functions(number):
                if hasattr(function, "reset_parameters"):
                    function.reset_parameters()  # type: ignore[operator]

    def forward(self, x: Tensor, *context: Any) -> Tensor:
        """(N, C * width) -> the same; gradients flow to ``x``, the parameters and the tensors in ``context``."""
        if not len(self.blocks):
            return x
        seed = int(draw_seed()) if self.training else None
        if not self.reversible or not torch.is_grad_enabled() or torch.compiler.is_compiling():
            return self._run(x, context, seed)
        places = [p for p, given in enumerate(context) if isinstance(given, Tensor) and given.requires_grad]
        learned = [parameter for parameter in self.parameters() if parameter.requires_grad]
        out: Tensor = _Reversed.apply(self, seed, context, places, x, *(context[p] for p in places), *learned)
        return out

    def _run(self, x: Tensor, context: Sequence[Any], seed: int | None) -> Tensor:
        groups = list(x.chunk(self._groups, dim=1))
        for number in range(len(self.blocks)):
            given = sum(groups[2:], start=groups[1])
            for g, function in enumerate(self._functions(number)):
                with self._seeded(seed, number, g, x.device):
                    given = groups[g] + function(given, *context)
                groups[g] = given
        return torch.cat(groups, dim=1)

    @property
    def _groups(self) -> int:
        return len(self._functions(0))

    def _functions(self, block: int) -> nn.ModuleList:
        return cast(nn.ModuleList, self.blocks[block])

    @contextmanager
    def _seeded(self, seed: int | None, block: int, group: int, device: torch.device) -> Iterator[None]:
        """torch's generators at the place where this function draws; afterwards where they were."""
        if seed is None:
            yield
            return
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            torch.manual_seed(seed + block * self._groups + group)
            yield


class _Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, layer: Reversible, seed: int | None, context: tuple[Any, ...], places: list[int],
                x: Tensor, *tensors: Tensor) -> Tensor:  # fmt: skip
        kind = x.device.type
        ctx.layer, ctx.seed, ctx.context, ctx.places = layer, seed, context, places
        ctx.learned = tensors[len(places) :]
        ctx.autocast = (kind, torch.get_autocast_dtype(kind), torch.is_autocast_enabled(kind))
        out = layer._run(x.detach(), context, seed)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        layer: Reversible = ctx.layer
        context = list(ctx.context)
        for place in ctx.places:
            context[place] = context[place].detach().requires_grad_()
        shared = [context[place] for place in ctx.places]
        sums = _Sums((*shared, *ctx.learned))
        ys, grads = (list(whole.chunk(layer._groups, dim=1)) for whole in (ctx.saved_tensors[0], grad))
        for number in reversed(range(len(layer.blocks))):
            for g in reversed(range(layer._groups)):
                given = ys[g - 1] if g else sum(ys[2:], start=ys[1])
                function = layer._functions(number)[g]
                with _again(function, ctx.autocast), layer._seeded(ctx.seed, number, g, grad.device):
                    asked = given.detach().requires_grad_()
                    value = function(asked, *context)
                own = [parameter for parameter in function.parameters() if parameter.requires_grad]
                wanted = [asked, *shared, *own]
                found = torch.autograd.grad(value, wanted, grads[g].to(value.dtype), allow_unused=True)
                ys[g] = ys[g] - value.detach()
                del value
                for into in [g - 1] if g else range(1, layer._groups):
                    grads[into] = grads[into] if found[0] is None else grads[into] + found[0]
                for tensor, gradient in zip(wanted[1:], found[1:], strict=True):
                    sums.add(tensor, gradient)
                del found
        results = [sums.of(tensor) for tensor in (*shared, *ctx.learned)]
        return None, None, None, None, torch.cat(grads, dim=1), *results


class _Sums:
    """Gradients of many tensors, each a part of one buffer.

    What lives on from block to block would otherwise be cut out of the space that the large tensors of a block have
    left, which the next block's then do not fit into: memory would grow with depth after all.
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self.parts: dict[int, Tensor] = {}
        self.found: set[int] = set()
        for kind in dict.fromkeys((tensor.dtype, tensor.device) for tensor in tensors):
            alike = [tensor for tensor in tensors if (tensor.dtype, tensor.device) == kind]
            sizes = [tensor.numel() for tensor in alike]
            buffer = torch.empty(sum(sizes), dtype=kind[0], device=kind[1])
            for tensor, part in zip(alike, buffer.split(sizes), strict=True):
                self.parts[id(tensor)] = part.view(tensor.shape)

    def add(self, tensor: Tensor, gradient: Tensor | None) -> None:
        if gradient is None:
            return
        part = self.parts[id(tensor)]
        part.add_(gradient) if id(tensor) in self.found else part.copy_(gradient)
        self.found.add(id(tensor))

    def of(self, tensor: Tensor) -> Tensor | None:
        return self.parts[id(tensor)] if id(tensor) in self.found else None


@contextmanager
def _again(function: nn.Module, autocast: tuple[str, torch.dtype, bool]) -> Iterator[None]:
    """A second computation of what was computed: with gradients, in the same precision, uncounted by batch norms."""
    counting = [
        module
        for module in function.modules()
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.training and module.track_running_stats
    ]
    kind, dtype, enabled = autocast
    with ExitStack() as stack:
        stack.enter_context(torch.enable_grad())
        stack.enter_context(torch.autocast(kind, dtype, enabled))
        try:
            for module in counting:
                module.track_running_stats = False
            yield
        finally:
            for module in counting:
                module.track_running_stats = True
