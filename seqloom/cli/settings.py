"""`seqloom settings`: every setting with its default and what it does."""

import json
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom settings",
    "seqloom settings classify",
    "seqloom settings translate rnn-attention",
    "seqloom settings cnn --json",
]


def settings(
    task: Annotated[str | None, typer.Argument(help="The task, or an architecture.", show_default=False)] = None,
    model: Annotated[
        str | None, typer.Argument(help="The architecture: list only settings that it uses.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the page docs/settings.md.")] = False,
) -> None:
    """List every setting with its default and meaning; without a task, those that all tasks share."""
    from rich.table import Table
    from rich.text import Text

    from seqloom.cli.console import console
    from seqloom.training.run_config import RUNS
    from seqloom.training.settings_list import check_names, list_settings, page

    if markdown:
        print(page(), end="")
        return
    found = list_settings(*check_names(task, model))
    if as_json:
        for one in found:
            print(json.dumps(one._asdict(), ensure_ascii=False))
        return
    table = Table("setting", "default", "what it does", box=None, pad_edge=False)
    for one in found:
        table.add_row(Text(one.name), Text(one.value), Text(one.sentence, style="dim"))
    console.print(table)
    if task is None:
        console.print(f"\nMore with a task: seqloom settings {' | '.join(RUNS)}", highlight=False, markup=False)
