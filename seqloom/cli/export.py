"""`seqloom export`: a trained model for another engine."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom export runs/en-de --to ctranslate2 fast/en-de",
    "seqloom export runs/en-de --to ctranslate2 small/en-de --int8",
    "seqloom export runs/en-de --to ctranslate2 fast/en-de --int8 --shortlist 40",
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


EngineOption = Annotated[
    Engine, typer.Option("--engine", help="The engine to run it with; auto: the one it was exported for.")
]


def export(
    folder: Annotated[Path, typer.Argument(help="A trained model: its folder or pack.")],
    target: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write, which must not exist.")],
    to: Annotated[
        Target,
        typer.Option("--to", help="ctranslate2 for translation Transformers, onnx for any model."),
    ],
    int8: Annotated[bool, typer.Option("--int8", help="8-bit integer weights: smaller and faster.")] = False,
    shortlist: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="CTranslate2: write only the N likeliest translations of each source token."
        ),
    ] = 0,
    trust: Annotated[
        bool, typer.Option("--trust", help="For --shortlist: open the data of a model that you did not train.")
    ] = False,
) -> None:
    """Export a trained model to an engine that runs without torch: faster, with almost no startup time.

    predict, evaluate and serve take the new folder in place of the old one. Answers are the same texts; with --int8
    a few may differ, and with --shortlist more: it is learned from the training data.
    """
    from seqloom.cli.console import say
    from seqloom.training.loading import load

    written = load(folder).export(target, to.value, int8=int8, shortlist=shortlist, trust=trust)
    size = sum(file.stat().st_size for file in written.iterdir()) / 1e6
    kind = ", ".join([to.value, "int8" if int8 else "float32", *([f"shortlist of {shortlist}"] if shortlist else [])])
    say(f"written {written} ({kind}, {size:.1f} MB)")
