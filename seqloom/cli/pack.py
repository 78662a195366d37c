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
    file: Annotated[Path, typer.Argument(help="The file to write, as model.seqloom.")],
    license: Annotated[str, typer.Option(help="Under which licence others may use the model, for its card.")] = "",
) -> None:
    """Put a trained model into one file that can be sent, with a card that says what it is.

    predict, evaluate, explain, serve and seqloom.load take the file in place of the folder.
    """
    from seqloom.cli.console import console
    from seqloom.training.model import load

    written = load(folder).pack(file, license=license)
    size = written.stat().st_size / 1e6
    console.print(f"written {written} ({size:.1f} MB)", highlight=False, markup=False, soft_wrap=True)
