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
    """Measure a model on data: accuracy and F1, perplexity, or whatever its task counts."""
    from rich.table import Table

    from seqloom.cli.console import console
    from seqloom.training.model import load

    found = load(folder).evaluate(data)
    if as_json:
        print(json.dumps(found.json(), ensure_ascii=False))
        return
    console.print("   ".join(f"{name} {value:.4f}" for name, value in found.figures.items()), highlight=False)
    for shown in found.tables:
        table = Table(*shown.header, title=shown.title or None, box=None)
        for row in shown.rows:
            table.add_row(*row)
        console.print(table)
