"""`seqloom evaluate`: how good a trained model is on data it has not seen."""

import json
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = ["seqloom evaluate runs/reviews test.tsv", "seqloom evaluate runs/reviews test.tsv --json"]


def evaluate(
    folder: Annotated[Path, typer.Argument(help="The folder of a trained model.")],
    data: Annotated[str, typer.Argument(help="Data of the same kind as for training.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Accuracy, F1 and confusion on labelled data."""
    from seqloom.cli.console import console
    from seqloom.training.run import evaluate as run

    found, loss = run(folder, data)
    if as_json:
        print(
            json.dumps(
                {"loss": loss, **found.figures(), "labels": list(found.labels), "confusion": found.confusion.tolist()}
            )
        )
        return
    console.print(f"accuracy {found.accuracy:.4f}   F1 {found.macro_f1:.4f}   loss {loss:.4f}", highlight=False)
    if len(found.labels) <= 12:
        from rich.table import Table

        table = Table("true \\ predicted", *found.labels, "F1", box=None)
        for label, counts, f1 in zip(found.labels, found.confusion, found.f1, strict=True):
            table.add_row(label, *map(str, counts), f"{f1:.3f}")
        console.print(table)
