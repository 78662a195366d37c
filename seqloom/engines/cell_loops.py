"""Cells that loop over a sequence in Python: in a graph, an ONNX Loop around one step of the cell.

A trace would unroll such a loop to the length of its example. So while a network is traced, these cells leave a mark in
the graph, which is then replaced by a Loop whose body is the trace of a single step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from seqloom.engines.onnx_graph import rename
from seqloom.engines.state_leaves import leaves_of
from seqloom.extras import require
from seqloom.layers.recurrent import Cell

DOMAIN = "seqloom"
MARK = "CellLoop"


@contextmanager
def looping_cells(network: nn.Module) -> Iterator[list[Cell[Any]]]:
    """While this lasts, cells of a network that would be unrolled leave a mark; they are in the list, by number."""
    cells = [module for module in network.modules() if isinstance(module, Cell) and unrolls(module)]
    for number, cell in enumerate(cells):
        cell.read = marking(cell, number)  # type: ignore[method-assign]
    try:
        yield cells
    finally:
        for cell in cells:
            del cell.read


def unrolls(cell: Cell[Any]) -> bool:
    """Whether it does more calls for a longer sequence, all of which a trace would keep."""

    def calls(length: int) -> int:
        x = torch.zeros(2, length, cell.input_size)
        with torch.no_grad(), CountCalls() as counted:
            cell.read(x, cell.start(x), torch.ones_like(x[..., :1], dtype=torch.bool))
        return int(counted.calls)

    return calls(3) > calls(2)


class CountCalls(TorchFunctionMode):
    """How often torch is called."""

    calls: int = 0

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.calls += 1
        return function(*args, **(kwargs or {}))


def marking(cell: Cell[Any], number: int) -> Callable[..., Any]:
    """In place of `cell.read`: the same, which a trace records as one mark."""
    read = cell.read

    def computed(x: Tensor, real: Tensor, state: Sequence[Tensor]) -> Any:
        with torch.no_grad():
            return read(x.detach(), type(cell.start(x))(*state), real)

    class Mark(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, real: Tensor, *state: Tensor) -> Any:
            with ThreadPoolExecutor(1) as untraced:  # a trace belongs to its thread
                y, end = untraced.submit(computed, x, real, state).result()
            return (y, *end)

        @staticmethod
        def symbolic(g: Any, x: Any, real: Any, *state: Any) -> Any:
            y, *end = g.op(f"{DOMAIN}::{MARK}", x, real, *state, number_i=number, outputs=1 + len(state))
            y.setType(x.type().with_sizes([None, None, cell.output_size]))
            for before, after in zip(state, end, strict=True):
                after.setType(before.type().with_sizes([None] * before.type().dim()))
            return (y, *end)

    def marked(x: Tensor, state: Any, real: Tensor | None) -> Any:
        if x.shape[1] == 1:  # one step is no loop
            return read(x, state, real)
        now = torch.ones_like(x[..., :1], dtype=torch.bool) if real is None else real
        y, *end = Mark.apply(x, now, *state)  # type: ignore[no-untyped-call]
        return y, type(state)(*end)

    return marked


def with_loops(model: Any, cells: Sequence[Cell[Any]], trace: Callable[..., Any]) -> Any:
    """A traced model with a Loop in the place of every mark."""
    helper = require("onnx", "onnx", "an export to ONNX").helper
    nodes = list(model.graph.node)
    del model.graph.node[:]
    for place, node in enumerate(nodes):
        if node.domain != DOMAIN:
            model.graph.node.append(node)
            continue
        (number,) = [helper.get_attribute_value(one) for one in node.attribute if one.name == "number"]
        model.graph.node.extend(loop_of(cells[number], node, f"cell_{place}", model, trace))
    kept = [one for one in model.opset_import if one.domain != DOMAIN]
    del model.opset_import[:]
    model.opset_import.extend(kept)
    return model


def loop_of(cell: Cell[Any], node: Any, prefix: str, model: Any, trace: Callable[..., Any]) -> list[Any]:
    """The nodes that do what a mark stands for: x (B, T, D), real (B, T, 1), state -> y (B, T, H), state."""
    onnx = require("onnx", "onnx", "an export to ONNX")
    node_of, info = onnx.helper.make_node, onnx.helper.make_tensor_value_info

    def here(name: str) -> str:
        return f"{prefix}/{name}"

    x, real, *state = node.input
    body = step_of(cell, trace).graph
    names = [here(one) for one in names_of(len(state))]
    for one in body.initializer:
        one.name = here(one.name)
        model.graph.initializer.append(one)
    axis = onnx.numpy_helper.from_array(np.array(1), here("axis"))
    model.graph.initializer.append(axis)
    inside = [
        node_of("Gather", [x, here("turn")], [names[0]], axis=1),
        node_of("Gather", [real, here("turn")], [names[1]], axis=1),
        *(rename(one, {}, prefix) for one in body.node),
        node_of("Identity", [here("going")], [here("goes_on")]),
    ]
    y, *ends = [info(here(one.name), one.type.tensor_type.elem_type, None) for one in body.output]
    begins = [
        info(name, one.type.tensor_type.elem_type, None) for name, one in zip(names[2:], body.output[1:], strict=True)
    ]
    turn, going = info(here("turn"), onnx.TensorProto.INT64, []), info(here("going"), onnx.TensorProto.BOOL, [])
    goes_on = info(here("goes_on"), onnx.TensorProto.BOOL, [])
    loop = onnx.helper.make_graph(inside, prefix, [turn, going, *begins], [goes_on, *ends, y])
    return [
        node_of("Shape", [x], [here("shape")]),
        node_of("Gather", [here("shape"), axis.name], [here("steps")]),
        node_of("Loop", [here("steps"), "", *state], [*node.output[1:], here("stacked")], body=loop),
        node_of("Transpose", [here("stacked")], [node.output[0]], perm=[1, 0, 2]),
    ]


def names_of(states: int) -> list[str]:
    return ["x", "real", *(f"state_{place}" for place in range(states))]


def step_of(cell: Cell[Any], trace: Callable[..., Any]) -> Any:
    """One step of a cell: x (B, D), real (B, 1), state -> y (B, H), state."""

    def step(x: Tensor, real: Tensor, *leaves: Tensor) -> list[Tensor]:
        state = type(cell.start(x[:, None]))(*leaves)
        y, end = type(cell).read(cell, x[:, None], state, real[:, None])
        return [y[:, 0], *leaves_of(end)[0]]

    examples = []
    for batch, length in ((3, 2), (2, 3), (5, 1)):
        x = torch.randn(batch, length, cell.input_size, generator=torch.Generator().manual_seed(batch))
        real = torch.arange(batch)[:, None] != 1
        with torch.no_grad():
            _, state = type(cell).read(cell, x, cell.start(x), real[:, None].expand(-1, length, 1))
        examples.append((x[:, 0], real, *state))
    states = len(examples[0]) - 2
    return trace(cell, step, examples, names_of(states), 1 + states, loops=False)
