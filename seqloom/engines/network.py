"""An engine in the place of a module: so that tasks, evaluation and the server take it as they take any model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import nn

from seqloom.decoding.hypotheses import DecodingUpdate
from seqloom.decoding.settings import DecodingOptions
from seqloom.decoding.writer import SequenceWriter
from seqloom.engines.exported import make_writer, workers
from seqloom.engines.settings import EngineFacts
from seqloom.storage import ModelFiles
from seqloom.tokens.tokenizer import Tokenizer


def make_network(files: ModelFiles, facts: EngineFacts, tokenizers: dict[str, Tokenizer]) -> nn.Module:
    """The engine of an exported model as a module."""
    return EngineWriter(make_writer(files, facts, tokenizers, workers()))


class EngineWriter(nn.Module, SequenceWriter):
    """A writer that runs in an engine; its only parameter is empty, and says that it is on the CPU."""

    def __init__(self, writer: SequenceWriter) -> None:
        super().__init__()
        self.writer, self.at_once = writer, writer.at_once
        self.nowhere = nn.Parameter(torch.empty(0), requires_grad=False)

    def write_steps(
        self, sources: Sequence[Sequence[int]], requests: Sequence[Any], prefix: Sequence[int], options: DecodingOptions
    ) -> Iterator[list[DecodingUpdate]]:
        return self.writer.write_steps(sources, requests, prefix, options)
