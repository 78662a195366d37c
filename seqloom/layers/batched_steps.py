"""A recurrent definition of one example, run over a batch of sequences.

The function runs once on tensors without numbers, while every call of torch is recorded and lifted to a batch:
by torch's own broadcasting where that does the right thing, else by `torch.vmap`. What does not depend on the
state is then computed for all steps at once, before the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import itemgetter
from typing import Any, Self

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from seqloom.equations import Equations, Part
from seqloom.equations.part import shown

# Calls that a batch axis in front does not disturb, by their names in torch: number by number, or along axis -1.
ELEMENTWISE = {
    "add", "radd", "sub", "rsub", "mul", "rmul", "div", "rdiv", "pow", "rpow", "neg", "invert", "and", "or", "where",
    "eq", "ne", "lt", "le", "gt", "ge", "sigmoid", "tanh", "relu", "exp", "sin", "cos", "sqrt", "log_sigmoid",
    "masked_fill",
}  # fmt: skip
ALONG_LAST_AXIS = {"softmax", "log_softmax", "mean", "all", "linalg_vector_norm", "cat"}


class Phase(IntEnum):
    """What a value depends on, and with it when it is computed."""

    WEIGHTS = 0  # once for all examples
    INPUT = 1  # for all steps at once, with a batch axis in front
    STATE = 2  # step by step, with a batch axis in front


@dataclass(frozen=True, eq=False)
class Recorded:
    """A value of the definition: its shape for one example, and how a run computes it (None for what is given)."""

    shape: torch.Size
    phase: Phase
    function: Callable[..., Any] | None = None
    arguments: tuple[Recorded, ...] = ()


class Recorder(TorchFunctionMode):
    """Records every call of torch, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Recorded] = []
        self.known: dict[int, tuple[Tensor, Recorded]] = {}  # by id; a tensor that is held keeps its id

    def learn(self, tensor: Tensor, value: Recorded) -> Recorded:
        self.known[id(tensor)] = tensor, value
        return value

    def emit(self, function: Callable[..., Any], arguments: Sequence[Recorded], shape: Sequence[int] = ()) -> Recorded:
        phase = max(value.phase for value in arguments)
        self.calls.append(Recorded(torch.Size(shape), phase, function, tuple(arguments)))
        return self.calls[-1]

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args, kwargs = shown(args), kwargs or {}
        given = [self.known[id(tensor)][1] for tensor in tensors_in((args, kwargs))]
        if not given:
            return self.make(function, args, kwargs)
        result = function(*args, **kwargs)
        if isinstance(result, Tensor):
            if function.__name__ == "add" and len(given) == 2:
                self.learn(result, self.sum(*given))
            else:
                self.learn(result, self.emit(lifted(function, args, kwargs, given), given, result.shape))
        elif isinstance(result, tuple | list) and all(isinstance(part, Tensor) for part in result):  # such as `unbind`
            every = self.emit(lifted(function, args, kwargs, given), given)
            for place, part in enumerate(result):
                self.learn(part, self.emit(itemgetter(place), [every], part.shape))
        return result

    def make(self, function: Any, args: Any, kwargs: Any) -> Tensor:
        """A tensor of sizes alone (`arange`): in a run, on the device of the input."""
        result: Tensor = function(*args, **{**kwargs, "device": "meta"})
        x = next(value for _, value in self.known.values() if value.phase is Phase.INPUT)
        again = lambda x: function(*args, **{**kwargs, "device": x.device})  # noqa: E731
        self.calls.append(Recorded(result.shape, Phase.WEIGHTS, again, (x,)))
        self.learn(result, self.calls[-1])
        return result

    def sum(self, left: Recorded, right: Recorded) -> Recorded:
        """`left + right`; what depends on less is added first, and to a product within the product."""
        left, right = sorted((left, right), key=lambda value: value.phase)
        shape = torch.broadcast_shapes(left.shape, right.shape)
        if right.function is times and shape == right.shape:
            vector, weight, *total = right.arguments
            if not total and left.shape == shape:
                return self.emit(times, (vector, weight, left), shape)
            if total and left.phase < right.phase:
                return self.emit(times, (vector, weight, self.sum(left, total[0])), shape)
        return self.emit(lifted(torch.add, (left, right), {}, (left, right)), (left, right), shape)


def tensors_in(value: Any) -> Iterator[Tensor]:
    """All tensors among the arguments of a call, or among weights."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Part):
        yield from tensors_in(value.weights)
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from tensors_in(part)


def lifted(function: Any, args: Any, kwargs: Any, given: Sequence[Recorded]) -> Callable[..., Any]:
    """A call of torch as a function of its tensors, in a run with the axis of the batch in front."""

    def filled(value: Any, tensors: Iterator[Tensor]) -> Any:
        if isinstance(value, Tensor | Recorded):
            return next(tensors)
        return type(value)(filled(part, tensors) for part in value) if isinstance(value, list | tuple) else value

    def call(*tensors: Tensor) -> Any:
        rest = iter(tensors)
        return function(*filled(args, rest), **{name: filled(value, rest) for name, value in kwargs.items()})

    name = function.__name__.strip("_")
    plain = function if len(args) == len(given) and not kwargs and not isinstance(args[0], list | tuple) else call
    batched = [value.phase > Phase.WEIGHTS for value in given]
    ranks = [len(value.shape) for value in given]
    missing = [max(ranks) - rank if more else 0 for rank, more in zip(ranks, batched)]
    axis = kwargs.get("dim", args[1] if len(args) > 1 else 0)
    along = name in ALONG_LAST_AXIS and all(batched) and axis == -1
    if not any(batched) or ((name in ELEMENTWISE or along) and not any(missing)):
        return plain
    if name in ELEMENTWISE:  # axes that an example lacks go behind the batch
        places = [(slice(None), *[None] * count) if count else ... for count in missing]
        return lambda *tensors: plain(*(tensor[place] for tensor, place in zip(tensors, places)))
    if name == "matmul" and ranks == [1, 2] and not batched[1]:
        return times
    return torch.vmap(plain, in_dims=tuple(0 if more else None for more in batched))


def times(left: Tensor, weight: Tensor, total: Tensor | None = None) -> Tensor:
    """left @ weight + total, in one operation."""
    return torch.mm(left, weight) if total is None else torch.addmm(total, left, weight)


class BatchedSteps:
    """The calls of a definition, in order: before the loop over the steps, and in it."""

    def __init__(self, definition: Equations[..., Any], inputs: Sequence[Tensor], weights: Mapping[str, Any]) -> None:
        recorder = Recorder()
        phases = [Phase.STATE if symbol.role == "state" else Phase.INPUT for symbol in definition.body.inputs]
        given = [recorder.learn(each, Recorded(each.shape, phase)) for each, phase in zip(inputs, phases)]
        self.x = given[phases.index(Phase.INPUT)]
        self.states = [value for value in given if value is not self.x]
        self.weights = [recorder.learn(each, Recorded(each.shape, Phase.WEIGHTS)) for each in tensors_in(weights)]
        with recorder:
            results = definition(*inputs, **weights)
        found = [recorder.known[id(each)][1] for each in (results if isinstance(results, tuple) else (results,))]
        returned = [getattr(node, "name", "") for node in definition.body.returns]
        self.results = [found[0], *(found[returned.index(name)] for name in definition.body.states)]
        calls = needed(recorder.calls, self.results)
        self.before = sorted((each for each in calls if each.phase < Phase.STATE), key=lambda each: each.phase)
        self.steps = [each for each in calls if each.phase is Phase.STATE]
        used = {*self.results, *(value for each in self.steps for value in each.arguments)}
        self.streams = [value for value in used if value.phase is Phase.INPUT]

    def __deepcopy__(self, memo: object) -> Self:
        """It holds no weights and never changes: copies of a layer share it."""
        return self

    def run(
        self, weights: Mapping[str, Any], x: Tensor, state: Sequence[Tensor], real: Tensor | None
    ) -> tuple[Tensor, Sequence[Tensor]]:
        """The outputs at all steps and the state after the last.

        x     (B, T, D)  one step at least
        real  (B, T, 1)  bool, True for real steps: elsewhere the state stays as it is; None for all
        -> y  (B, T, H)
        """
        B, T = x.shape[:2]
        values: dict[Recorded, Any] = dict(zip(self.weights, tensors_in(weights), strict=True))
        values[self.x] = x.transpose(0, 1).flatten(0, 1)  # steps first: each is one block of memory
        execute(self.before, values)
        streams = {value: values[value].unflatten(0, (T, B)).unbind(0) for value in self.streams}
        outputs = []
        for t in range(T):
            values |= {value: series[t] for value, series in streams.items()}
            values |= zip(self.states, state)
            execute(self.steps, values)
            output, *new = [
                values[each] if each.phase else values[each].expand(B, *each.shape) for each in self.results
            ]
            state = new if real is None else [hold(real[:, t], now, old) for now, old in zip(new, state)]
            outputs.append(output)
        return torch.stack(outputs, 1), state


def needed(calls: Sequence[Recorded], results: Iterable[Recorded]) -> list[Recorded]:
    """Those calls that the results depend on."""
    wanted = set(results)
    for each in reversed(calls):
        if each in wanted:
            wanted.update(each.arguments)
    return [each for each in calls if each in wanted]


def execute(calls: Iterable[Recorded], values: dict[Recorded, Any]) -> None:
    for each in calls:
        values[each] = each.function(*[values[value] for value in each.arguments])  # type: ignore[misc]


def hold(real: Tensor, now: Tensor, old: Tensor) -> Tensor:
    """The new state at real steps, the old one at padding: real (B, 1), the others (B, ...)."""
    return torch.where(real.view(-1, *[1] * (old.dim() - 1)), now, old)
