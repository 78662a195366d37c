"""What torch computes, as an ONNX graph: traced with one batch, then held to torch with batches of other sizes."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.onnx.utils import register_custom_op_symbolic

from seqloom.engines.cell_loops import DOMAIN, looping_cells, with_loops
from seqloom.errors import SeqloomError
from seqloom.extras import require
from seqloom.layers.positions import Sinusoidal

OPSET = 18
TOLERANCE = 1e-4
"""How far numbers of a graph may be from those of the module, beside 1 and relative to larger ones."""

Function = Callable[..., Sequence[Tensor]]


def need_packages() -> None:
    for name in ("onnx", "onnxruntime"):
        require(name, "onnx", "an export to ONNX")


def swapped_axes(g: Any, x: Any) -> Any:
    """`x.mT`, which the exporter does not know."""
    axes = list(range(x.type().dim()))
    return g.op("Transpose", x, perm_i=[*axes[:-2], axes[-1], axes[-2]])


class Called(nn.Module):
    """A function of a network's weights as a module: what a trace starts from."""

    def __init__(self, network: nn.Module, function: Function) -> None:
        super().__init__()
        self.network, self.function = network, function

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        with torch.enable_grad():  # so that nothing is written in place, and no product is packed
            return tuple(self.function(*inputs))


def trace(
    network: nn.Module, function: Function, examples: Sequence[Sequence[Tensor]], names: Sequence[str], results: int,
    *, loops: bool = True,
) -> Any:  # fmt: skip
    """The graph of a function, as a model of the package onnx.

    examples  inputs: the first are traced, the graph is held to the function with the others. What differs among them
              in size may have any size in the graph
    names     of the inputs; outputs are called output_0, output_1 ...
    results   how many outputs there are
    loops     whether cells that loop in Python become loops of the graph
    """
    onnx = require("onnx", "onnx", "an export to ONNX")
    example, *others = examples
    axes = {
        name: {axis: f"{name}_{axis}" for axis in range(one.dim()) if len({t.shape[axis] for t in (one, *rest)}) > 1}
        for name, one, *rest in zip(names, *examples, strict=True)
    }
    with (
        TemporaryDirectory() as aside,
        without_gradients(network),
        looping_cells(network if loops else nn.Module()) as cells,
    ):
        file = Path(aside) / "traced.onnx"
        with torch.no_grad(), warnings.catch_warnings(), redirect_stdout(StringIO()), QuietLogging():
            register_custom_op_symbolic("aten::mT", swapped_axes, OPSET)
            warnings.simplefilter("ignore")  # the tracer tells of every branch; `hold_to` tells whether one mattered
            try:
                torch.onnx.export(
                    Called(network, function).eval(), tuple(example), str(file), dynamo=False,
                    input_names=list(names), output_names=[f"output_{place}" for place in range(results)],
                    dynamic_axes={name: axis for name, axis in axes.items() if axis}, opset_version=OPSET,
                    custom_opsets={DOMAIN: 1} if cells else None, autograd_inlining=not cells,
                )  # fmt: skip
            except SeqloomError:
                raise
            except Exception as error:  # whatever the exporter does not know
                raise cannot(network, str(error)) from error
        model = with_loops(onnx.load(str(file)), cells, trace)
    hold_to(model, network, function, others, names)
    return model


@contextmanager
def without_gradients(network: nn.Module) -> Iterator[None]:
    """While this lasts, no weight asks for gradients: what a mark computes is a constant for the trace."""
    learning = [weight for weight in network.parameters() if weight.requires_grad]
    for weight in learning:
        weight.requires_grad_(False)
    try:
        yield
    finally:
        for weight in learning:
            weight.requires_grad_(True)


def hold_to(
    model: Any, network: nn.Module, function: Function, batches: Sequence[Sequence[Tensor]], names: Sequence[str]
) -> None:
    """Raise an error unless the graph computes what the function does for batches that it was not traced with."""
    runtime = require("onnxruntime", "onnx", "an export to ONNX")
    try:
        session = runtime.InferenceSession(model.SerializeToString(), quiet_options())
    except Exception as error:  # an error of the runtime, of which it has many kinds
        raise cannot(network, str(error)) from error
    there = {one.name for one in session.get_inputs()}
    for inputs in batches:
        with torch.no_grad():
            expected = Called(network, function).eval()(*inputs)
        given = {key: one.numpy() for key, one in zip(names, inputs, strict=True) if key in there}
        try:
            found = session.run(None, given)
        except Exception as error:
            raise cannot(network, str(error)) from error
        for one, other in zip(found, expected, strict=True):
            if one.shape != other.shape or not near(one, other.detach().numpy()):
                raise cannot(network, "its graph computes something else for sequences of other lengths")


def near(found: Any, expected: Any) -> bool:
    return np.allclose(found, expected, atol=TOLERANCE, rtol=TOLERANCE)


def grow_positions(network: nn.Module, length: int) -> None:
    """Make tables of positions as long as they may get: a trace keeps those that are there."""
    for module in network.modules():
        if isinstance(module, Sinusoidal):
            module(length)


def quiet_options() -> Any:
    """Settings of a session that prints nothing: its errors are ours."""
    options = require("onnxruntime", "onnx", "an export to ONNX").SessionOptions()
    options.log_severity_level = 4
    return options


class QuietLogging:
    """No warnings of packages that log them: what matters is said by an error."""

    def __enter__(self) -> None:
        logging.disable(logging.WARNING)

    def __exit__(self, *error: object) -> None:
        logging.disable(logging.NOTSET)


def cannot(network: nn.Module, reason: str) -> SeqloomError:
    what = f"{type(network).__name__} cannot be written as an ONNX graph: {' '.join(reason.split())[:300]}"
    return SeqloomError(what, remedy="use it with torch as it is")
