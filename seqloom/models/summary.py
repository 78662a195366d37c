"""What a model is made of: its layers, the shape that comes out of each, and its parameters.

Shapes are seen, not told: the model runs on made-up batches, and a size that grows with the batch is B, one that grows
with the text T, one that grows with the source S.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

Shape = tuple[int | str, ...]
SIZES = {"B": 2, "T": 5, "S": 7}


@dataclass(frozen=True)
class LayerSummary:
    """A layer: its name, what it is, how deep it stands, its output, the parameters in it that were not met before."""

    name: str
    kind: str
    depth: int
    shape: Shape | None
    parameters: int


@dataclass(frozen=True)
class Summary:
    """The layers of a model, the outermost first."""

    rows: list[LayerSummary]
    trainable: int
    frozen: int
    bytes: int

    @property
    def parameters(self) -> int:
        return self.trainable + self.frozen

    def json(self) -> dict[str, Any]:
        return {**asdict(self), "parameters": self.parameters}

    def __str__(self) -> str:
        names = ["  " * (row.depth - 1) + f"{row.name} ({row.kind})" for row in self.rows]
        shapes = ["" if row.shape is None else f"({', '.join(map(str, row.shape))})" for row in self.rows]
        left, middle = (max(map(len, column), default=0) for column in (names, shapes))
        lines = [
            f"{name:{left}}  {shape:{middle}}  {row.parameters:>12,}"
            for name, shape, row in zip(names, shapes, self.rows)
        ]
        return "\n".join(
            [*lines, f"{self.parameters:,} parameters: {self.trainable:,} trainable, {self.frozen:,} frozen"]
        )


def summarise(model: nn.Module, longest: int, depth: int = 3) -> Summary:
    """The layers of a model down to a depth; `longest` is the longest text that it reads."""
    rows = list(rows_in(model, "", 1, depth, shapes_in(model, longest), set()))
    weights = list(model.parameters())
    trainable = sum(weight.numel() for weight in weights if weight.requires_grad)
    frozen = sum(weight.numel() for weight in weights) - trainable
    return Summary(rows, trainable, frozen, sum(weight.numel() * weight.element_size() for weight in weights))


def rows_in(
    parent: nn.Module, path: str, level: int, depth: int, shapes: Mapping[str, Shape], seen: set[int]
) -> Iterator[LayerSummary]:
    """Layers that have parameters; a list of layers is none itself. A matrix with two parts counts in the first."""
    for part, module in parent.named_children():
        name = f"{path}{part}"
        if isinstance(module, nn.ModuleList):
            yield from rows_in(module, f"{name}.", level, depth, shapes, seen)
            continue
        weights = {id(weight): weight.numel() for weight in module.parameters()}
        if not weights:
            continue
        new = sum(size for weight, size in weights.items() if weight not in seen)
        yield LayerSummary(name, type(module).__name__, level, shapes.get(name), new)
        if level < depth:
            yield from rows_in(module, f"{name}.", level + 1, depth, shapes, seen)
        seen |= weights.keys()


# --- shapes ---------------------------------------------------------------------------------------


def shapes_in(model: Any, longest: int) -> dict[str, Shape]:
    """What comes out of each layer that is called, by name; nothing of a model that brings no `example_batch`."""
    if not hasattr(model, "example_batch"):
        return {}
    sizes = {letter: max(min(size, longest - 1), 1) if letter != "B" else size for letter, size in SIZES.items()}
    plain = run(model, sizes)
    grown = {letter: run(model, {**sizes, letter: size + 1}) for letter, size in sizes.items() if size < longest}
    return {
        name: tuple(letters(place, size, name, grown) or size for place, size in enumerate(shape))
        for name, shape in plain.items()
    }


def letters(place: int, size: int, name: str, grown: Mapping[str, Mapping[str, tuple[int, ...]]]) -> str:
    """The sizes of a batch that this size of an output grows with."""
    return "·".join(letter for letter, shapes in grown.items() if name in shapes and shapes[name][place] != size)


def run(model: Any, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """Run a model once on a batch of these sizes, and note what comes out of its layers."""
    shapes: dict[str, tuple[int, ...]] = {}

    def note(name: str, output: Any) -> None:
        first = output[0] if isinstance(output, tuple) else output
        if isinstance(first, Tensor):
            shapes[name] = tuple(first.shape)

    hooks = [
        module.register_forward_hook(lambda module, inputs, output, name=name: note(name, output))
        for name, module in model.named_modules()
    ]
    training = model.training
    try:
        with torch.no_grad():
            model.eval()(*model.example_batch(**sizes))
    finally:
        model.train(training)
        for hook in hooks:
            hook.remove()
    return shapes
