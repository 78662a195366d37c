"""`seqloom export`: a trained model for another engine."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom export runs/en-de --to ctranslate2 fast/en-de",
    "seqloom export runs/en-de --to ctranslate2 small/en-de --int8",
    "seqloom export runs/reviews --to onnx fast/reviews",
    'seqloom predict fast/en-de "a man rides a horse"',
]


class Target(StrEnum):
    """Engines that a model can be exported for."""

    ctranslate2 = "ctranslate2"
    onnx = "onnx"


class Engine(StrEnum):
    """Engines that a model can be run by."""

    auto = "auto"
    torch = "torch"
    ctranslate2 = "ctranslate2"
    onnx = "onnx"


EngineOption = Annotated[Engine, typer.Option("--engine", help="What runs it; auto: what the folder was exported for.")]


def export(
    folder: Annotated[Path, typer.Argument(help="A trained model: its folder, or a pack.")],
    target: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write; it is not there yet.")],
    to: Annotated[
        Target,
        typer.Option("--to", help="ctranslate2 for Transformers that translate, onnx to classify or tag."),
    ],
    int8: Annotated[bool, typer.Option("--int8", help="Weights as integers of 8 bits: smaller and faster.")] = False,
) -> None:
    """Write a trained model for an engine that answers without torch: faster, and from a cold start at once.

    predict, evaluate and serve take the new folder in place of the old one. Answers are the same texts; with --int8
    a few may differ.
    """
    from seqloom.cli.console import console
    from seqloom.training.model import load

    written = load(folder).export(target, to.value, int8=int8)
    size = sum(file.stat().st_size for file in written.iterdir()) / 1e6
    kind = f"{to.value}, {'int8' if int8 else 'float32'}, {size:.1f} MB"
    console.print(f"written {written} ({kind})", highlight=False, markup=False, soft_wrap=True)
