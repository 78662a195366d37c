"""`seqloom pack`: a trained model as one file."""

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom pack runs/reviews reviews.seqloom",
    'seqloom pack runs/reviews reviews.seqloom --license "CC BY 4.0"',
    'seqloom predict reviews.seqloom "a wonderful film"',
]


def pack(
    folder: Annotated[Path, typer.Argument(help="The folder of a trained model.")],
    file: Annotated[Path, typer.Argument(help="The file to write, e.g. model.seqloom.")],
    license: Annotated[str, typer.Option(help="The licence of the model, for its model card.")] = "",
    examples: Annotated[
        bool | None,
        typer.Option(
            "--examples/--no-examples",
            help="Keep a few inputs of the training data in the file, for pages to begin with. "
            "Without it: those of public and embedded data, none of your own.",
        ),
    ] = None,
) -> None:
    """Pack a trained model into one file to share, with a model card.

    predict, evaluate, explain, serve and seqloom.load take the file in place of the folder.
    """
    from seqloom.cli.console import say
    from seqloom.training.loading import load

    written = load(folder).pack(file, license=license, examples=examples)
    size = written.stat().st_size / 1e6
    say(f"written {written} ({size:.1f} MB)")
