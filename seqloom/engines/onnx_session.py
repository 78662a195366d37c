"""ONNX Runtime: a graph from a checked file, and what it computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seqloom.engines.settings import damaged
from seqloom.extras import require
from seqloom.storage import ModelFiles

SILENT = 4
"""The runtime writes what it thinks to standard error; its errors are ours to tell."""
OTHER_FILE = b"location"
"""The word with which a graph in ONNX says that weights stand in another file; ours have it nowhere."""
MOST_BYTES = 1 << 31
"""Of a graph with its weights, which is one message of protobuf."""


class OnnxSession:
    """A graph that is loaded from memory, after its file was found to be what was written."""

    def __init__(self, files: ModelFiles, name: str, threads: int) -> None:
        self.files, data = files, files.map(name)
        if len(data) >= MOST_BYTES:
            raise damaged(files, "its graph is larger than a graph can be")
        graph = bytes(data)
        if OTHER_FILE in graph:
            raise damaged(files, "its graph names other files, and only those of the manifest are read")
        runtime = require("onnxruntime", "onnx", "the engine onnx")
        options = runtime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = threads, SILENT
        try:
            self.session: Any = runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # of which the runtime has many kinds
            raise damaged(files, f"it holds no graph: {error}") from error
        self.inputs = [one.name for one in self.session.get_inputs()]

    def run(self, given: Mapping[str, Any]) -> list[Any]:
        """What the graph computes of inputs by name; those that it does not read are left out."""
        try:
            found: list[Any] = self.session.run(None, {name: given[name] for name in self.inputs})
        except Exception as error:  # whatever a graph does that we have not written
            raise damaged(self.files, f"its graph does not answer: {type(error).__name__}: {error}") from error
        return found
