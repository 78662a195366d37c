"""`seqloom summary`: what a model is made of, and which there are."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from seqloom.models.summary import LayerSummary, Summary

EXAMPLES = [
    "seqloom summary",
    "seqloom summary lstm --set model.widths=[64,32] --vocabulary 5000",
    "seqloom summary transformer --task translate --depth 2",
    "seqloom summary rnn-attention --json",
]


def summary(
    model: Annotated[
        str | None, typer.Argument(metavar="FOLDER|NAME", help="A trained model, or an architecture by name.")
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="The task of the architecture; default: the first task that supports it.")
    ] = None,
    vocabulary: Annotated[
        int, typer.Option(min=5, help="Size of the vocabulary, for an untrained architecture.")
    ] = 10_000,
    depth: Annotated[int, typer.Option(min=1, help="Depth of nested layers to list.")] = 3,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a setting.")] = [],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show layers, output shapes and parameters of a model; without a name, list all architectures."""
    from seqloom.errors import SeqloomError
    from seqloom.models.summary import summarise
    from seqloom.storage import is_pack
    from seqloom.training.catalogue import untrained
    from seqloom.training.loading import load_to_explain

    if model is None:
        show_all(task, vocabulary, as_json)
        return
    if Path(model).is_dir() or is_pack(Path(model)):
        if set_ or task:
            raise SeqloomError(
                f"{model} is a trained model, whose settings are fixed", remedy="leave out --set and --task"
            )
        loaded = load_to_explain(model)
        task, settings, network = loaded.config.task, getattr(loaded.config, "model", None), loaded.network
    else:
        task, settings, network = untrained(model, task, set_, vocabulary)
    name = getattr(settings, "name", type(network).__name__)  # a task of somebody's own may have one model alone
    found = summarise(network, getattr(settings, "length", 256), depth)
    if as_json:
        print(json.dumps({"task": task, "architecture": name, **found.json()}, ensure_ascii=False))
    else:
        show(found, f"{name}, to {task}")


def show(found: "Summary", title: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from seqloom.cli.console import console

    table = Table("layer", "output", title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("parameters", justify="right")
    inside: list[str] = []
    for row in found.rows:
        inside[row.depth - 1 :] = [f"{row.name}."]
        short = row.name.removeprefix(inside[-2]) if row.depth > 1 else row.name
        name = Text("  " * (row.depth - 1) + short).append(f" ({row.kind})", style="dim")
        table.add_row(name, shape_of(row), f"{row.parameters:,}")
    console.print(table)
    parts = f"{found.trainable:,} trainable, {found.frozen:,} frozen"
    console.print(f"\n{found.parameters:,} parameters ({found.bytes / 1e6:,.1f} MB): {parts}", highlight=False)


def shape_of(row: "LayerSummary") -> str:
    return "" if row.shape is None else f"({', '.join(map(str, row.shape))})"


def show_all(task: str | None, vocabulary: int, as_json: bool) -> None:
    from rich.table import Table

    from seqloom.cli.console import console
    from seqloom.errors import UnknownName
    from seqloom.training.catalogue import catalogue
    from seqloom.training.run_config import RUNS

    if task is not None and task not in RUNS:
        raise UnknownName("task", task, RUNS)
    entries = [entry for entry in catalogue(vocabulary) if task in (None, entry.task)]
    if as_json:
        print(json.dumps([asdict(entry) for entry in entries], ensure_ascii=False))
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(min_width=max(len(entry.name) for entry in entries) + 2)
    table.add_column(min_width=max(len(f"{entry.parameters:,}") for entry in entries), justify="right")
    table.add_column()
    headings: list[str] = []
    for entry in entries:
        if entry.task not in headings:
            headings.append(entry.task)
            table.add_row(f"[bold]{entry.task}[/bold]")
        table.add_row(f"  {entry.name}", f"{entry.parameters:,}", entry.sentence)
    console.print(table)
    console.print(f"\nParameters at the default sizes, with a vocabulary of {vocabulary:,} tokens.", highlight=False)
