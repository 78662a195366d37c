"""`seqloom predict`: put a trained model to work."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    'seqloom predict runs/reviews "a wonderful film"',
    "seqloom predict runs/reviews --json < reviews.txt",
]


def predict(
    folder: Annotated[Path, typer.Argument(help="The folder of a trained model.")],
    texts: Annotated[list[str] | None, typer.Argument(help="Texts; without any, lines of standard input.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Predict for texts, or line by line for standard input."""
    from seqloom.training.model import load

    model = load(folder)
    for text in texts or lines():
        answer = model(text)
        print(json.dumps(answer.json(), ensure_ascii=False) if as_json else answer, flush=True)


def lines() -> Iterator[str]:
    """Standard input, one text a line; what is not UTF-8 is shown as such, never a crash."""
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", errors="replace").rstrip("\r\n")
