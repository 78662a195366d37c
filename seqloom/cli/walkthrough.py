"""What a trained model at work looks like in a terminal."""

from __future__ import annotations

from rich.text import Text

from seqloom.cli.console import console
from seqloom.cli.terminal import grid, heading, section, show_formula
from seqloom.explaining.values import Value
from seqloom.explaining.walkthrough import Walkthrough

BEST = 4
"""Words of a step that are named."""


def show_walkthrough(walk: Walkthrough, folder: str) -> None:
    """The formulas of every part, and what was likeliest in every step."""
    heading(walk.title, walk.about)
    for name, explained in walk.parts:
        section(f"{name}: {explained.title}")
        show_formula(explained)
    steps = [(step.label, step.values["p"]) for step in walk.last.steps if "p" in step.values]
    if steps:
        section("likeliest")
        table = grid()
        for label, shares in steps:
            table.add_row("", Text(label, style="cyan"), Text(best(shares)))
        console.print(table)
    text = f"\nOpen it down to a single gate: [bold]seqloom explain {folder} --html page.html[/bold]"
    console.print(text, highlight=False)


def best(shares: Value) -> str:
    names = shares.rows or []
    return "  ".join(f"{name} {float(share):.0%}" for name, share in list(zip(names, shares.data, strict=True))[:BEST])
