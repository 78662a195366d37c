"""Operations of equations on a whole batch: what each one is when tensors have further axes in front.

Where the number of axes of the operands (known from a run with tensors that hold no numbers) shows that
torch's own broadcasting does the right thing, that is used; elsewhere `torch.vmap` lifts the operation.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial, reduce
from typing import Any

import torch
from torch import Tensor

from seqloom import equations as known

BY_NUMBER: set[Callable[..., Any]] = {
    known.sigmoid, known.tanh, known.relu, known.exp, known.sin, known.cos, known.sqrt, known.log_sigmoid, known.where,
}  # fmt: skip
"""Known functions of each number by itself."""

ALONG_LAST_AXIS: set[Callable[..., Any]] = {known.softmax, known.log_softmax, known.mean, known.norm}


class Phase(IntEnum):
    """What a value depends on, and with it when it is computed."""

    CONSTANT = 0  # weights only: once for all examples
    INPUT = 1  # the input, but no state: for all steps at once
    STATE = 2  # a state: step by step


@dataclass(frozen=True, eq=False)
class LiftedValue:
    """A value of the definition: where a run keeps it, and what it is for one example."""

    slot: int
    example: Any  # a tensor without numbers (device "meta"), or a Python number
    phase: Phase

    @property
    def rank(self) -> int:
        return self.example.dim() if isinstance(self.example, Tensor) else 0

    @property
    def batched(self) -> bool:
        return self.phase > Phase.CONSTANT and isinstance(self.example, Tensor)


@dataclass(frozen=True)
class Operation:
    """`result = function(*arguments)`, by slots."""

    function: Callable[..., Any]
    arguments: tuple[int, ...]
    result: int
    phase: Phase


@dataclass(frozen=True)
class Affine:
    """`left @ weight + left @ weight + ... + bias + ...`: vectors times matrices of weights, by slots."""

    products: tuple[tuple[LiftedValue, LiftedValue], ...]
    biases: tuple[LiftedValue, ...]
    result: LiftedValue

    @property
    def arguments(self) -> tuple[int, ...]:
        factors = (value for pair in self.products for value in pair)
        return tuple(value.slot for value in (*factors, *self.biases))

    def fits(self, example: Any) -> bool:
        return isinstance(example, Tensor) and example.shape == self.result.example.shape


class Recorder:
    """Writes down operations, each with the axes of a batch in front of those of an example."""

    def __init__(self) -> None:
        self.operations: list[Operation | Affine] = []
        self.numbers: dict[int, Any] = {}
        self.slots = 0

    def new(self, example: Any, phase: Phase) -> LiftedValue:
        self.slots += 1
        return LiftedValue(self.slots - 1, example, phase)

    def number(self, value: Any) -> LiftedValue:
        made = self.new(value, Phase.CONSTANT)
        self.numbers[made.slot] = value
        return made

    def emit(self, function: Callable[..., Any], *values: LiftedValue, example: Any) -> LiftedValue:
        result = self.new(example, max(value.phase for value in values))
        slots = tuple(value.slot for value in values)
        self.operations.append(Operation(function, slots, result.slot, result.phase))
        return result

    def plain(self, function: Callable[..., Any], values: Sequence[LiftedValue]) -> LiftedValue:
        """A function as it is: of numbers right now, of tensors with the axes of a batch in front."""
        example = function(*(value.example for value in values))
        return (
            self.number(example) if not isinstance(example, Tensor) else self.emit(function, *values, example=example)
        )

    def vmapped(self, function: Callable[..., Any], values: Sequence[LiftedValue], example: Any) -> LiftedValue:
        """Any function, lifted by `torch.vmap` over as many axes as there are in front."""
        if not any(value.batched for value in values):
            return self.emit(function, *values, example=example)
        axes = tuple(0 if value.batched else None for value in values)
        first = next(place for place, value in enumerate(values) if value.batched)
        rank = values[first].rank

        def lifted(*arguments: Any) -> Any:
            over = function
            for _ in range(arguments[first].dim() - rank):
                over = torch.vmap(over, in_dims=axes)
            return over(*arguments)

        return self.emit(lifted, *values, example=example)

    def aligned(self, function: Callable[..., Any], *values: LiftedValue) -> LiftedValue:
        """Number by number: axes that an example lacks go behind those of the batch."""
        rank = max(value.rank for value in values)
        return self.plain(function, [self.widened(value, rank) for value in values])

    def widened(self, value: LiftedValue, rank: int) -> LiftedValue:
        missing = rank - value.rank
        if not value.batched or missing == 0:
            return value
        place = (..., *(None,) * missing, *(slice(None),) * value.rank)
        return self.emit(operator.itemgetter(place), value, example=value.example[place])

    def total(self, values: Sequence[LiftedValue], inline: set[int]) -> LiftedValue:
        """A sum, what depends on less first: that part of it is computed before the loop.

        inline  the slots that are used nowhere else
        """
        example = reduce(operator.add, (value.example for value in values))
        if not isinstance(example, Tensor):
            return self.number(example)
        products = [
            operation
            for operation in self.operations
            if isinstance(operation, Affine) and operation.result.slot in inline and operation.fits(example)
        ]
        taken = {operation.result.slot for operation in products}
        biases = [value for value in values if not value.batched and products and products[0].fits(value.example)]
        others = [value for value in values if value.slot not in taken and value not in biases]
        if products:
            self.operations = [operation for operation in self.operations if operation not in products]
            others.append(self.affine([pair for made in products for pair in made.products], biases, example))
        others.sort(key=lambda value: value.phase)
        return reduce(partial(self.aligned, operator.add), others)

    def affine(
        self, products: Sequence[tuple[LiftedValue, LiftedValue]], biases: Sequence[LiftedValue], example: Tensor
    ) -> LiftedValue:
        phase = max(left.phase for left, _ in products)
        made = Affine(tuple(products), tuple(biases), self.new(example, phase))
        self.operations.append(made)
        return made.result

    def product(self, left: LiftedValue, right: LiftedValue) -> LiftedValue:
        example = left.example @ right.example
        match left.rank, right.rank:
            case _ if not left.batched and not right.batched:
                return self.emit(torch.matmul, left, right, example=example)
            case 1, 2 if not right.batched:
                return self.affine([(left, right)], [], example)
            case 1, 1:
                return self.emit(dot, left, right, example=example)
            case 1, 2 if left.batched:
                return self.emit(vector_times_matrix, left, right, example=example)
            case 2, 1 if right.batched:
                return self.emit(matrix_times_vector, left, right, example=example)
            case (1, 2) | (2, 1) | (2, 2):
                return self.emit(torch.matmul, left, right, example=example)
        return self.vmapped(operator.matmul, [left, right], example)

    def transpose(self, value: LiftedValue) -> LiftedValue:
        if value.rank < 2:
            return value
        if value.rank == 2:
            return self.emit(operator.attrgetter("mT"), value, example=value.example.T)
        return self.vmapped(operator.attrgetter("T"), [value], value.example.T)

    def index(self, base: LiftedValue, index: LiftedValue) -> LiftedValue:
        example = base.example[index.example]
        if not base.batched:  # of a matrix of weights, one vector for each index
            return self.emit(operator.getitem, base, index, example=example)
        if isinstance(index.example, int):
            return self.emit(partial(torch.select, dim=-base.rank, index=index.example), base, example=example)
        return self.vmapped(operator.getitem, [base, index], example)

    def call(self, function: Callable[..., Any], values: Sequence[LiftedValue]) -> LiftedValue:
        rank = max((value.rank for value in values), default=0)
        if function in BY_NUMBER:
            return self.aligned(function, *values)
        example = function(*(value.example for value in values))
        batched = any(value.batched for value in values)
        if not batched or not isinstance(example, Tensor) or (function in ALONG_LAST_AXIS and rank):
            return self.plain(function, values)
        if function is known.flatten:
            return self.emit(partial(torch.flatten, start_dim=-rank), *values, example=example)
        if function is known.concat:
            return self.joined(torch.cat, values, -1, example)
        if function is known.append:
            X, x = values
            below = self.emit(partial(torch.unsqueeze, dim=-2), x, example=x.example.unsqueeze(-2))
            return self.joined(torch.cat, [X, below], -2, example)
        return self.vmapped(function, values, example)

    def family(self, function: Callable[..., Any], values: Sequence[LiftedValue]) -> LiftedValue:
        if function is builtins.sum:
            return reduce(partial(self.aligned, operator.add), values) if values else self.number(0)
        if function is known.stack:
            examples = torch.stack([value.example for value in values])
            return self.joined(torch.stack, values, -examples.dim(), examples)
        raise NotImplementedError(function.__name__)

    def joined(
        self, join: Callable[..., Tensor], values: Sequence[LiftedValue], axis: int, example: Tensor
    ) -> LiftedValue:
        """Tensors put together; those that all examples share are repeated for each."""
        first = next((place for place, value in enumerate(values) if value.batched), 0)
        rank = values[first].rank

        def function(*parts: Tensor) -> Tensor:
            lead = parts[first].shape[: parts[first].dim() - rank]
            return join([part if part.dim() > rank else part.expand(*lead, *part.shape) for part in parts], axis)

        return self.emit(function, *values, example=example)


def dot(left: Tensor, right: Tensor) -> Tensor:
    return (left * right).sum(-1)


def vector_times_matrix(vector: Tensor, matrix: Tensor) -> Tensor:
    return (vector.unsqueeze(-2) @ matrix).squeeze(-2)


def matrix_times_vector(matrix: Tensor, vector: Tensor) -> Tensor:
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)
