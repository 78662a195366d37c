"""Models that give logits for a whole input, as ONNX graphs; each is held to the module before it is kept."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from seqloom.errors import SeqloomError
from seqloom.extras import require

GRAPH = "model.onnx"
OPSET = 18
EXAMPLE, OTHERS = (3, 7, 5), ((2, 11, 4), (1, 1, 1), (5, 3, 6))
"""Sizes (batch, tokens, source tokens) of the batch that is traced, and of those that the graph is tested with."""
TOLERANCE = 1e-4
"""How far logits of the graph may be from those of the module."""


class Traced(nn.Module):
    """A module called with its tensors alone."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, *inputs: Tensor) -> Any:
        return self.network(*inputs)


def export_logits(network: Any, folder: Path, *, int8: bool) -> None:
    """Write the graph of a module that says what its batches look like (`example_batch`)."""
    require("onnx", "onnx", "an export to ONNX")
    require("onnxruntime", "onnx", "an export to ONNX")
    network = network.eval()
    example = batch(network, EXAMPLE)
    others = [batch(network, sizes) for sizes in OTHERS]
    names = [f"input_{place}" for place in range(len(example))]
    axes = {
        name: {axis: f"{name}_{axis}" for axis in range(one.dim()) if len({t.shape[axis] for t in (one, *rest)}) > 1}
        for name, one, *rest in zip(names, example, *others, strict=True)
    }
    result = [run(network, each) for each in (example, *others)]
    axes["logits"] = {
        axis: f"logits_{axis}" for axis in range(result[0].ndim) if len({one.shape[axis] for one in result}) > 1
    }
    with TemporaryDirectory(dir=folder) as aside:
        whole = Path(aside) / GRAPH
        with torch.no_grad(), warnings.catch_warnings(), redirect_stdout(StringIO()):
            warnings.simplefilter("ignore")  # the tracer tells of every branch; `hold_to` tells whether one mattered
            try:
                torch.onnx.export(
                    Traced(network).eval(), example, str(whole), dynamo=False, input_names=names,
                    output_names=["logits"], dynamic_axes=axes, opset_version=OPSET,
                )  # fmt: skip
            except Exception as error:  # whatever the exporter does not know
                raise cannot(type(network).__name__, str(error)) from error
        hold_to(whole, names, others, result[1:], type(network).__name__)
        quantize(whole, folder / GRAPH) if int8 else whole.rename(folder / GRAPH)


def batch(network: Any, sizes: tuple[int, int, int]) -> tuple[Tensor, ...]:
    """A batch of these sizes with inputs of different lengths, since masks of full batches are left out.

    What has no row for each input, as the spellings of words, gets a size of its own.
    """
    words, lengths, *rest = network.example_batch(*sizes)
    random = torch.Generator().manual_seed(7)
    words = draw(words, random)
    lengths = torch.tensor([max(1, int(lengths[0]) - 2 * place) for place in range(len(lengths))])
    beside = (
        one if len(one) == len(words) else one.new_ones(len(one) + sizes[2], one.shape[1] + sizes[2]) for one in rest
    )
    return (words, lengths, *beside)


def draw(x: Tensor, random: torch.Generator) -> Tensor:
    """Token ids that every vocabulary has, or any frames."""
    if x.is_floating_point():
        return torch.randn(x.shape, generator=random)
    return torch.randint(0, 4, x.shape, generator=random)


def run(network: nn.Module, inputs: Sequence[Tensor]) -> np.ndarray[Any, Any]:
    with torch.no_grad():
        found: Tensor = network(*inputs)
    return found.numpy()


def hold_to(
    graph: Path, names: Sequence[str], batches: Sequence[Sequence[Tensor]], expected: Sequence[Any], name: str
) -> None:
    """Raise an error unless the graph computes what the module does for batches that it was not traced with."""
    session = require("onnxruntime", "onnx", "an export to ONNX").InferenceSession(str(graph), quiet_options())
    there = {one.name for one in session.get_inputs()}
    for inputs, logits in zip(batches, expected, strict=True):
        try:
            given = {key: one.numpy() for key, one in zip(names, inputs, strict=True) if key in there}
            found = session.run(None, given)[0]
        except Exception as error:  # an error of the runtime, of which it has many kinds
            raise cannot(name, str(error)) from error
        if found.shape != logits.shape or not np.allclose(found, logits, atol=TOLERANCE, rtol=TOLERANCE):
            raise cannot(name, "its graph computes something else for sequences of other lengths")


def quiet_options() -> Any:
    """Settings of a session that prints nothing: its errors are ours."""
    options = require("onnxruntime", "onnx", "an export to ONNX").SessionOptions()
    options.log_severity_level = 4
    return options


def quantize(whole: Path, target: Path) -> None:
    """Weights as integers of 8 bits; what they are multiplied with is quantized as it comes."""
    import logging

    quantization = require("onnxruntime.quantization", "onnx", "weights of 8 bits")
    logging.disable(logging.WARNING)  # it advises a preprocessing that changes nothing here
    try:
        quantization.quantize_dynamic(str(whole), str(target), weight_type=quantization.QuantType.QInt8)
    finally:
        logging.disable(logging.NOTSET)


def cannot(name: str, reason: str) -> SeqloomError:
    what = f"{name} cannot be written as an ONNX graph: {' '.join(reason.split())[:300]}"
    return SeqloomError(what, remedy="use it with torch as it is")
