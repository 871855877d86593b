"""Weighted sums of rows, held in vector registers.

A loop over channels inside a loop over neighbours reads and writes the sum once a neighbour. Here a block of channels
stays in registers while all neighbours pass, and the last vector of a row reaches back over the one before it instead
of beyond the row. Every channel is summed neighbour by neighbour, so these bits depend neither on the width of the
registers nor on the number of heads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from agdn.ops.kernels.jit import borrowing_function

VECTORS, PACKED_VECTORS = 8, 4
PACKED = (1, 2, 4)  # heads
NEAR = 1 << 22  # bytes of a table that stays in the caches: asking ahead costs more than it saves
IN_FLIGHT = 4096  # bytes of rows that are asked for ahead of their use
FEWEST_AHEAD, MOST_AHEAD = 4, 16


def _register_bytes() -> int:
    features = binding.get_host_cpu_features()
    return 64 if features.get("avx512f") else 32 if features.get("avx2") else 16


REGISTER = _register_bytes()
NARROWEST = REGISTER // 4
INDEX, WORD = ir.IntType(64), ir.IntType(32)
BYTE_POINTER = ir.IntType(8).as_pointer()
MAY_REORDER = ("contract", "reassoc")


class _Vectors:
    """Instructions on vectors of ``lanes`` numbers."""

    def __init__(self, builder: Any, element: Any, lanes: int, itemsize: int) -> None:
        self.builder, self.kind, self.lanes, self.itemsize = builder, ir.VectorType(element, lanes), lanes, itemsize
        self.zero = ir.Constant(self.kind, [element(0.0)] * lanes)
        signature = ir.FunctionType(ir.VoidType(), [BYTE_POINTER, WORD, WORD, WORD])
        self._prefetch = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0")

    def _address(self, array: Any, place: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(array, [place]), self.kind.as_pointer())

    def load(self, array: Any, place: Any) -> Any:
        return self.builder.load(self._address(array, place), align=self.itemsize)

    def store(self, value: Any, array: Any, place: Any) -> None:
        self.builder.store(value, self._address(array, place), align=self.itemsize)

    def ask_for(self, array: Any, place: Any) -> None:
        address = self.builder.bitcast(self.builder.gep(array, [place]), BYTE_POINTER)
        self.builder.call(self._prefetch, [address, WORD(0), WORD(3), WORD(1)])

    def spread(self, number: Any) -> Any:
        first = self.builder.insert_element(ir.Constant(self.kind, ir.Undefined), number, WORD(0))
        return self.chosen(first, [0] * self.lanes)

    def chosen(self, value: Any, lanes: list[int]) -> Any:
        """The vector of these lanes of another one."""
        places = ir.Constant(ir.VectorType(WORD, len(lanes)), [WORD(lane) for lane in lanes])
        return self.builder.shuffle_vector(value, ir.Constant(value.type, ir.Undefined), places)

    def variable(self, value: Any) -> Any:
        place = cgutils.alloca_once(self.builder, self.kind)
        self.builder.store(value, place)
        return place

    def add_product(self, total: Any, left: Any, right: Any) -> None:
        """``total`` += ``left`` * ``right``, rounded once where the processor can."""
        term = self.builder.fmul(left, right, flags=("contract",))
        self.builder.store(self.builder.fadd(self.builder.load(total), term, flags=("contract",)), total)

    def sum(self, value: Any) -> Any:
        element = self.kind.element
        name = f"llvm.vector.reduce.fadd.v{self.lanes}f{self.itemsize * 8}"
        function = cgutils.get_or_insert_function(
            self.builder.module, ir.FunctionType(element, [element, self.kind]), name
        )
        return self.builder.call(function, [element(0.0), value], fastmath=MAY_REORDER)


class _Gathering:
    """The instructions for one block of channels; the arguments are those of :func:`_sum_block`."""

    def __init__(self, context: Any, builder: Any, kinds: Any, arguments: Any, *, dots: bool) -> None:
        self.builder, self.dots = builder, dots
        number_of_arrays = 6 if dots else 4
        arrays = [
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(kinds[:number_of_arrays], arguments[:number_of_arrays], strict=True)
        ]
        self.indices, self.a, self.x, self.y, *self.for_dots = (array.data for array in arrays)
        self.final = builder.sub(builder.extract_value(arrays[0].shape, 0), INDEX(1))
        self.element, self.itemsize = context.get_data_type(kinds[2].dtype), kinds[2].dtype.bitwidth // 8
        (
            self.begin, self.end, self.following, self.ahead, self.heads, self.width, self.head, self.at, self.last,
            self.next_at,
        ) = arguments[number_of_arrays:]  # fmt: skip

    def by_width(self) -> None:
        """The fewest registers that hold the block, or parts of a register for a head that does not fill one."""
        builder, lanes = self.builder, REGISTER // self.itemsize
        channels = builder.sdiv(self.width, self.heads)
        left = builder.sub(self.last, self.at)
        with builder.if_else(builder.icmp_signed("<", channels, INDEX(lanes))) as (narrow, wide):
            with narrow:
                if lanes < 4:
                    self.sum_in(2, REGISTER // 2)
                else:
                    with builder.if_else(builder.icmp_signed("<", channels, INDEX(lanes // 2))) as (quarter, half):
                        with quarter:
                            self.sum_in(2, REGISTER // 4)
                        with half:
                            self.sum_in(2, REGISTER // 2)
            with wide:
                for vectors in range(1, VECTORS + 1):
                    fits = builder.icmp_signed("<=", left, INDEX(vectors * lanes)) if vectors < VECTORS else None
                    more = builder.icmp_signed(">", left, INDEX((vectors - 1) * lanes))
                    with builder.if_then(more if fits is None else builder.and_(more, fits)):
                        self.sum_in(vectors, REGISTER)

    def sum_in(self, vectors: int, register: int) -> None:
        builder, lanes = self.builder, register // self.itemsize
        vector = _Vectors(builder, self.element, lanes, self.itemsize)
        furthest = builder.sub(self.last, INDEX(lanes))
        offsets = [self._smaller(builder.add(self.at, INDEX(v * lanes)), furthest) for v in range(vectors)]
        sums = [vector.variable(vector.zero) for _ in offsets]
        own = self._own_row(vector, offsets)
        with cgutils.for_range_slice(builder, self.begin, self.end, INDEX(1), INDEX) as (edge, _):
            with builder.if_then(builder.icmp_signed(">", self.ahead, INDEX(0))):
                self._ask_ahead(vector, edge, vectors)
            row = builder.mul(self._neighbour(edge), self.width)
            weight_at = builder.add(builder.mul(edge, self.heads), self.head)
            weight = vector.spread(builder.load(builder.gep(self.a, [weight_at])))
            dot = vector.variable(vector.zero) if self.dots else None
            for v, offset in enumerate(offsets):
                value = vector.load(self.x, builder.add(row, offset))
                vector.add_product(sums[v], weight, value)
                if self.dots:
                    vector.add_product(dot, own[v], value)
            if self.dots:
                gradient = builder.gep(self.for_dots[1], [weight_at])
                builder.store(builder.fadd(builder.load(gradient), vector.sum(builder.load(dot))), gradient)
        for offset, total in zip(offsets, sums, strict=True):
            vector.store(builder.load(total), self.y, offset)

    def by_heads(self) -> None:
        """Registers that hold one, two or four whole heads each; ``head`` says how many."""
        builder, lanes = self.builder, REGISTER // self.itemsize
        left = builder.sub(self.last, self.at)
        for heads in (number for number in PACKED if number <= lanes):
            with builder.if_then(builder.icmp_signed("==", self.head, INDEX(heads))):
                for vectors in range(1, PACKED_VECTORS + 1):
                    fits = builder.icmp_signed("<=", left, INDEX(vectors * lanes))
                    more = builder.icmp_signed(">", left, INDEX((vectors - 1) * lanes))
                    with builder.if_then(builder.and_(more, fits)):
                        self.sum_heads_in(vectors, heads)

    def sum_heads_in(self, vectors: int, heads: int) -> None:
        builder, lanes = self.builder, REGISTER // self.itemsize
        channels = lanes // heads
        vector = _Vectors(builder, self.element, lanes, self.itemsize)
        few = _Vectors(builder, self.element, heads, self.itemsize)
        furthest = builder.sub(self.last, INDEX(lanes))
        offsets = [self._smaller(builder.add(self.at, INDEX(v * lanes)), furthest) for v in range(vectors)]
        weights_at = [builder.sdiv(offset, INDEX(channels)) for offset in offsets]
        sums = [vector.variable(vector.zero) for _ in offsets]
        own = self._own_row(vector, offsets)
        with cgutils.for_range_slice(builder, self.begin, self.end, INDEX(1), INDEX) as (edge, _):
            with builder.if_then(builder.icmp_signed(">", self.ahead, INDEX(0))):
                self._ask_ahead(vector, edge, vectors)
            row, first = builder.mul(self._neighbour(edge), self.width), builder.mul(edge, self.heads)
            for v, offset in enumerate(offsets):
                weight_at = builder.add(first, weights_at[v])
                weights = vector.chosen(few.load(self.a, weight_at), [lane // channels for lane in range(lanes)])
                value = vector.load(self.x, builder.add(row, offset))
                vector.add_product(sums[v], weights, value)
                if self.dots:
                    dots = self._sums_of_heads(vector, builder.fmul(own[v], value), channels)
                    gradient = builder.fadd(few.load(self.for_dots[1], weight_at), dots)
                    few.store(gradient, self.for_dots[1], weight_at)
        for offset, total in zip(offsets, sums, strict=True):
            vector.store(builder.load(total), self.y, offset)

    def _sums_of_heads(self, vector: _Vectors, values: Any, channels: int) -> Any:
        step = channels // 2
        while step:
            others = [lane // channels * channels + (lane + step) % channels for lane in range(vector.lanes)]
            values, step = self.builder.fadd(values, vector.chosen(values, others)), step // 2
        return vector.chosen(values, list(range(0, vector.lanes, channels)))

    def _own_row(self, vector: _Vectors, offsets: list[Any]) -> list[Any]:
        """The row to multiply neighbours with; a last vector that reaches back counts its channels only once."""
        if not self.dots:
            return []
        own = [vector.load(self.for_dots[0], offset) for offset in offsets]
        counted = self.builder.sub(self.builder.add(self.at, INDEX((len(own) - 1) * vector.lanes)), offsets[-1])
        lanes = [self.builder.icmp_signed("<=", counted, INDEX(lane)) for lane in range(vector.lanes)]
        mask: Any = ir.Constant(ir.VectorType(ir.IntType(1), vector.lanes), ir.Undefined)
        for lane, counts in enumerate(lanes):
            mask = self.builder.insert_element(mask, counts, WORD(lane))
        own[-1] = self.builder.select(mask, own[-1], vector.zero)
        return own

    def _ask_ahead(self, vector: _Vectors, edge: Any, vectors: int) -> None:
        builder = self.builder
        soon = builder.add(edge, self.ahead)
        here = builder.icmp_signed("<", soon, self.end)
        soon = builder.select(here, soon, builder.add(self.following, builder.sub(soon, self.end)))
        row = builder.mul(self._neighbour(self._smaller(soon, self.final)), self.width)
        due = builder.add(row, builder.select(here, self.at, self.next_at))
        for v in range(vectors):
            vector.ask_for(self.x, builder.add(due, INDEX(v * vector.lanes)))

    def _smaller(self, left: Any, right: Any) -> Any:
        return self.builder.select(self.builder.icmp_signed("<", left, right), left, right)

    def _neighbour(self, edge: Any) -> Any:
        found = self.builder.load(self.builder.gep(self.indices, [edge]))
        return self.builder.sext(found, INDEX) if found.type.width < INDEX.width else found


def _instructions(summing: Callable[[_Gathering], None], *, dots: bool) -> Callable[..., Any]:
    def instructions(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        summing(_Gathering(context, builder, signature.args, arguments, dots=dots))
        return context.get_dummy_value()

    return instructions


@intrinsic
def _sum_block(typing, indices, a, x, y, begin, end, following, ahead, heads, width, head, at, last, next_at):
    """y (width) at the channels from ``at`` on = sum of a[e, head] * x[indices[e]] over the edges ``begin``..``end``.

    The block ends with the head's ``last`` channel or when the registers are full. Rows that are due next are asked
    for: those of ``ahead`` edges further on, and after the end those from edge ``following`` on at channel ``next_at``.
    """
    return types.void(indices, a, x, y, *[types.int64] * 10), _instructions(_Gathering.by_width, dots=False)


@intrinsic
def _sum_block_and_dots(
    typing, indices, a, x, y, own, a_grad, begin, end, following, ahead, heads, width, head, at, last, next_at
):
    """As :func:`_sum_block`, and a_grad[e, head] += <own, x[indices[e]]> over the block's channels."""
    return types.void(indices, a, x, y, own, a_grad, *[types.int64] * 10), _instructions(_Gathering.by_width, dots=True)


@intrinsic
def _sum_heads(typing, indices, a, x, y, begin, end, following, ahead, heads, width, head, at, last, next_at):
    """As :func:`_sum_block` for all heads from channel ``at`` on, ``head`` of which fill a register."""
    return types.void(indices, a, x, y, *[types.int64] * 10), _instructions(_Gathering.by_heads, dots=False)


@intrinsic
def _sum_heads_and_dots(
    typing, indices, a, x, y, own, a_grad, begin, end, following, ahead, heads, width, head, at, last, next_at
):
    """As :func:`_sum_heads`, and a_grad[e, h] += <own, x[indices[e]]> over each head's channels."""
    return types.void(indices, a, x, y, own, a_grad, *[types.int64] * 10), _instructions(_Gathering.by_heads, dots=True)


@borrowing_function
def heads_in_a_register(heads, channels, itemsize):
    """How many fill one exactly, where several registers can be filled so; else 0."""
    fitting = REGISTER // (channels * itemsize)
    exactly = fitting * channels * itemsize == REGISTER
    return fitting if exactly and fitting in PACKED and heads > fitting else 0


@borrowing_function
def rows_ahead(rows, width, itemsize):
    if rows * width * itemsize <= NEAR:
        return 0
    return min(max(IN_FLIGHT // (width * itemsize), FEWEST_AHEAD), MOST_AHEAD)


@borrowing_function
def gather_vectors(begin, end, following, indices, a, x, y):
    """y (H, D) = sum of a[e, h] * x[indices[e], h] for e in begin..end; a row of D has NARROWEST bytes or more."""
    heads, channels = y.shape
    width, block = heads * channels, VECTORS * REGISTER // y.itemsize
    ahead = rows_ahead(len(x), width, y.itemsize)
    packed = heads_in_a_register(heads, channels, y.itemsize)
    if packed:
        block = PACKED_VECTORS * REGISTER // y.itemsize
        for at in range(0, width, block):
            last = min(at + block, width)
            turn, after = (begin, last) if last < width else (following, 0)
            _sum_heads(indices, a, x, y, begin, end, turn, ahead, heads, width, packed, at, last, after)
        return
    for h in range(heads):
        last = (h + 1) * channels
        for at in range(h * channels, last, block):
            after = min(at + block, last)
            turn, after = (begin, after) if after < width else (following, 0)
            _sum_block(indices, a, x, y, begin, end, turn, ahead, heads, width, h, at, last, after)


@borrowing_function
def gather_vectors_back(begin, end, following, indices, a, x, y, own, a_grad):
    """As :func:`gather_vectors`, and a_grad[e, h] += <own[h], x[indices[e], h]>."""
    heads, channels = y.shape
    width, block = heads * channels, VECTORS * REGISTER // y.itemsize
    ahead = rows_ahead(len(x), width, y.itemsize)
    packed = heads_in_a_register(heads, channels, y.itemsize)
    if packed:
        block = PACKED_VECTORS * REGISTER // y.itemsize
        for at in range(0, width, block):
            last = min(at + block, width)
            turn, after = (begin, last) if last < width else (following, 0)
            _sum_heads_and_dots(
                indices, a, x, y, own, a_grad, begin, end, turn, ahead, heads, width, packed, at, last, after
            )
        return
    for h in range(heads):
        last = (h + 1) * channels
        for at in range(h * channels, last, block):
            after = min(at + block, last)
            turn, after = (begin, after) if after < width else (following, 0)
            _sum_block_and_dots(
                indices, a, x, y, own, a_grad, begin, end, turn, ahead, heads, width, h, at, last, after
            )
