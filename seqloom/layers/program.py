"""A lifted recurrent definition, run over sequences: before the loop, in it, and after it.

What depends on the input alone is computed for all steps at once before the loop, what no later step
needs (an output that is no state) for all steps at once after it. Products with the same vector are
computed as one, their matrices side by side.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn import functional as F

from seqloom.layers.lifting import LiftedGraph
from seqloom.layers.operations import BY_NUMBER, Affine, LiftedValue, Operation, Phase


class Program:
    """What is to be done, sorted; `states` says which results are the states, in the order of the inputs."""

    def __init__(self, graph: LiftedGraph, states: Sequence[int], *, merged: bool = True) -> None:
        self.graph = graph
        self.x = next(value.slot for value in graph.inputs if value.phase is Phase.INPUT)
        self.before = [value for value in graph.inputs if value.phase is Phase.STATE]
        self.after = [graph.results[place] for place in states]
        self.output = graph.results[0]
        in_loop = needed(graph.operations, [value.slot for value in self.after])
        every = needed(graph.operations, [self.output.slot], in_loop)
        operations, self.slots = lowered(graph, every, in_loop, merged)
        in_loop = needed(operations, [value.slot for value in self.after])
        every = needed(operations, [self.output.slot], in_loop)
        kept = [each for each in operations if each.result in every]
        self.first = [each for each in kept if each.phase < Phase.STATE]
        changing = [each for each in kept if each.phase is Phase.STATE]
        made = {each.result for each in changing if each.result in in_loop}
        for each in changing:  # pieces are taken where the whole is made: a tuple cannot be collected
            if isinstance(each.function, operator.itemgetter) and each.arguments[0] in made:
                made.add(each.result)
        self.steps = [each for each in changing if each.result in made]
        self.last = [each for each in changing if each.result not in made]
        self.sort_slots()

    def __deepcopy__(self, memo: object) -> Self:
        """It holds no weights and never changes: copies of a layer share it."""
        return self

    def sort_slots(self) -> None:
        """Which slots go into the loop one step at a time, and which are collected in it."""
        at_once = {self.x} | {each.result for each in self.first if each.phase is Phase.INPUT}
        used = {slot for each in self.steps for slot in each.arguments} | {value.slot for value in self.after}
        self.streams = sorted(used & at_once)
        in_loop = {each.result for each in self.steps} | {value.slot for value in self.before}
        wanted = {slot for each in self.last for slot in each.arguments} | {self.output.slot}
        self.collected = sorted(wanted & in_loop)

    def run(
        self, weights: Mapping[str, Any], x: Tensor, state: Sequence[Tensor], real: Tensor | None
    ) -> tuple[Tensor, list[Tensor]]:
        """The outputs at all steps and the state after the last.

        x     (B, T, D)  one step at least
        real  (B, T)     bool, True for real steps: elsewhere the state stays as it is; None for all
        -> y  (B, T, H)
        """
        values: list[Any] = [None] * self.slots
        for slot, number in self.graph.numbers.items():
            values[slot] = number
        values[self.graph.weights] = weights
        values[self.x] = x.transpose(0, 1)  # steps first: each is one block of memory
        execute(self.first, values)
        whole = values.copy()
        state, collected = self.loop(values, list(state), None if real is None else real.unbind(1), x.shape[1])
        if self.output.slot in collected and not self.last:
            return torch.stack(collected[self.output.slot], 1), state
        for slot, series in collected.items():
            whole[slot] = torch.stack(series)
        execute(self.last, whole)
        y = whole[self.output.slot]
        return (y.transpose(0, 1) if self.output.batched else y.expand(*x.shape[:2], -1)), state

    def loop(
        self, values: list[Any], state: list[Tensor], real: Sequence[Tensor] | None, T: int
    ) -> tuple[list[Tensor], dict[int, list[Tensor]]]:
        streams = [(slot, values[slot].unbind(0)) for slot in self.streams]
        collected: dict[int, list[Tensor]] = {slot: [] for slot in self.collected}
        for t in range(T):
            for slot, series in streams:
                values[slot] = series[t]
            for value, tensor in zip(self.before, state):
                values[value.slot] = tensor
            execute(self.steps, values)
            new = [
                values[each.slot] if each.batched else values[each.slot].expand_as(old)
                for each, old in zip(self.after, state)
            ]
            state = new if real is None else [hold(real[t], now, old) for now, old in zip(new, state)]
            for slot, steps in collected.items():
                steps.append(values[slot])
        return state, collected


def execute(operations: Iterable[Operation], values: list[Any]) -> None:
    for each in operations:
        values[each.result] = each.function(*[values[slot] for slot in each.arguments])


def hold(real: Tensor, now: Tensor, old: Tensor) -> Tensor:
    """The new state at real steps, the old one at padding: real (B), the others (B, ...)."""
    return torch.where(real.view(-1, *[1] * (old.dim() - 1)), now, old)


def needed(operations: Sequence[Operation | Affine], slots: Iterable[int], more: Iterable[int] = ()) -> set[int]:
    """The slots that these depend on, and they themselves."""
    found = {*slots, *more}
    for each in reversed(operations):
        if slot_of(each) in found:
            found.update(each.arguments)
    return found


def slot_of(operation: Operation | Affine) -> int:
    return operation.result if isinstance(operation, Operation) else operation.result.slot


# --- products side by side ----------------------------------------------------------------------


def lowered(graph: LiftedGraph, every: set[int], in_loop: set[int], merged: bool) -> tuple[list[Operation], int]:
    """Affine sums as operations: those of the same vectors as one, with their matrices side by side."""
    together: dict[Any, list[Affine]] = defaultdict(list)
    for each in graph.operations:
        if isinstance(each, Affine) and each.result.slot in every:
            together[key_of(each, in_loop, merged)].append(each)
    applied = activations(graph, every)
    lowering = Lowering(graph.slots, applied)
    moved = {each.result for each in applied.values()}
    for each in graph.operations:
        if isinstance(each, Operation):
            lowering.operations += [] if each.result in moved else [each]
        elif group := together.pop(key_of(each, in_loop, merged), None):
            lowering.add(group)
    return lowering.operations, lowering.slots


def activations(graph: LiftedGraph, every: set[int]) -> dict[int, Operation]:
    """By slot, the function of each number (a gate's sigmoid) that is all that an affine sum is used for."""
    users: dict[int, list[Any]] = defaultdict(list)
    for each in graph.operations:
        if slot_of(each) in every:
            for slot in each.arguments:
                users[slot].append(each)
    for value in graph.results:
        users[value.slot].append(value)
    sums = [each.result.slot for each in graph.operations if isinstance(each, Affine)]
    only = {slot: users[slot][0] for slot in sums if len(users[slot]) == 1}
    return {
        slot: user
        for slot, user in only.items()
        if isinstance(user, Operation) and user.function in BY_NUMBER and len(user.arguments) == 1
    }


def key_of(affine: Affine, in_loop: set[int], merged: bool) -> Any:
    slot = affine.result.slot
    vectors = tuple(left.slot for left, _ in by_phase(affine))
    return (vectors, bool(affine.biases), slot in in_loop) if merged else slot


def by_phase(affine: Affine) -> list[tuple[LiftedValue, LiftedValue]]:
    return sorted(affine.products, key=lambda pair: (pair[0].phase, pair[0].slot))


class Lowering:
    """Writes down the operations of affine sums."""

    def __init__(self, slots: int, applied: Mapping[int, Operation]) -> None:
        self.operations: list[Operation] = []
        self.slots, self.applied = slots, applied

    def emit(self, function: Callable[..., Any], arguments: Sequence[int], phase: Phase, result: int = -1) -> int:
        if result < 0:
            result, self.slots = self.slots, self.slots + 1
        self.operations.append(Operation(function, tuple(arguments), result, phase))
        return result

    def add(self, group: Sequence[Affine]) -> None:
        """One sum for the whole group; what gets the same function stands together, and gets it at once."""
        blocks: dict[Any, list[Affine]] = defaultdict(list)
        for each in group:
            applied = self.applied.get(each.result.slot)
            blocks[applied and applied.function].append(each)
        total, phase = self.sum([each for block in blocks.values() for each in block])
        parts = self.split(total, [sum(map(width, block)) for block in blocks.values()], phase)
        for place, (function, block) in enumerate(blocks.items()):
            slot = total if parts is None else self.emit(operator.itemgetter(place), [parts], phase)
            if function is not None:
                slot = self.emit(function, [slot], phase)
            results = [
                each.result.slot if function is None else self.applied[each.result.slot].result for each in block
            ]
            pieces = self.split(slot, list(map(width, block)), phase)
            if pieces is None:
                self.operations[-1] = replace(self.operations[-1], result=results[0])
            else:
                for index, result in enumerate(results):
                    self.emit(operator.itemgetter(index), [pieces], phase, result)

    def sum(self, group: Sequence[Affine]) -> tuple[int, Phase]:
        """The sums of a group side by side; what depends on the input alone is added first."""
        biases = [reduce(self.plus, (value.slot for value in each.biases)) for each in group if each.biases]
        total, phase = self.side_by_side(biases) if biases else -1, Phase.CONSTANT
        for pairs in zip(*map(by_phase, group), strict=True):
            left, weight = pairs[0][0], self.side_by_side([weight.slot for _, weight in pairs])
            phase = max(phase, left.phase)
            total = self.emit(times, (left.slot, weight) if total < 0 else (left.slot, weight, total), phase)
        return total, phase

    def split(self, slot: int, widths: list[int], phase: Phase) -> int | None:
        if len(widths) == 1:
            return None
        return self.emit(partial(torch.split, split_size_or_sections=widths, dim=-1), [slot], phase)

    def plus(self, left: int, right: int) -> int:
        return self.emit(operator.add, [left, right], Phase.CONSTANT)

    def side_by_side(self, slots: Sequence[int]) -> int:
        return self.emit(beside, slots, Phase.CONSTANT) if len(slots) > 1 else slots[0]


def width(affine: Affine) -> int:
    size: int = affine.result.example.shape[-1]
    return size


def beside(*parts: Tensor) -> Tensor:
    return torch.cat(parts, -1)


def times(left: Tensor, weight: Tensor, total: Tensor | None = None) -> Tensor:
    """left @ weight + total, in one operation where there is one."""
    if total is None:
        return torch.matmul(left, weight)
    if left.dim() == 2:
        return torch.addmm(total, left, weight)
    return F.linear(left, weight.mT, total) if total.dim() == 1 else total + torch.matmul(left, weight)
