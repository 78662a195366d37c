"""An engine in the place of a module: so that tasks, evaluation and the server take it as they take any model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.decoding.hypotheses import DecodingUpdate
from seqloom.decoding.settings import DecodingOptions
from seqloom.decoding.writer import SequenceWriter
from seqloom.engines.exported import make_writer, workers
from seqloom.engines.in_engine import InEngine
from seqloom.engines.settings import EngineFacts
from seqloom.errors import DamagedError
from seqloom.extras import require
from seqloom.storage import ModelFiles
from seqloom.tokens.tokenizer import Tokenizer


def make_network(files: ModelFiles, facts: EngineFacts, tokenizers: dict[str, Tokenizer]) -> nn.Module:
    """The engine of an exported model as a module."""
    if facts.engine == "onnx":
        return EngineLogits(files, facts, workers())
    return EngineWriter(make_writer(files, facts, tokenizers, workers()))


class EngineWriter(InEngine, SequenceWriter):
    """A writer that runs in an engine."""

    def __init__(self, writer: SequenceWriter) -> None:
        super().__init__()
        self.writer, self.at_once = writer, writer.at_once

    def write_steps(
        self, sources: Sequence[Sequence[int]], requests: Sequence[Any], prefix: Sequence[int], options: DecodingOptions
    ) -> Iterator[list[DecodingUpdate]]:
        return self.writer.write_steps(sources, requests, prefix, options)


class EngineLogits(InEngine):
    """A module whose graph runs in ONNX Runtime: tensors in, logits out."""

    def __init__(self, files: ModelFiles, facts: EngineFacts, threads: int) -> None:
        super().__init__()
        runtime = require("onnxruntime", "onnx", "the engine onnx")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = threads
        graph = bytes(files.map(facts.files[0]))
        try:
            self.session: Any = runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # of which the runtime has many kinds
            raise DamagedError(f"{files.place} holds no graph: {error}", remedy="export it again") from error
        self.inputs = [one.name for one in self.session.get_inputs()]

    def forward(self, *inputs: Tensor | None) -> Tensor:
        """The logits of a batch; the graph names what it reads by its place among the arguments."""
        given = {f"input_{place}": one.numpy() for place, one in enumerate(inputs) if one is not None}
        (logits,) = self.session.run(["logits"], {name: given[name] for name in self.inputs})
        return torch.from_numpy(logits)
