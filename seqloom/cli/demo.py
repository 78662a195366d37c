"""`seqloom demo`: the first thing to see."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = ["seqloom demo", "seqloom demo --out pages"]
PAGES = (
    "lstm",
    "self-attentive-rnn",
    "soft-attention",
    "multi-head",
    "encoder-block",
    "why-tanh",
    "forgetting",
)


def command() -> str:
    """How this command is reached from here: by name, or by its path where no environment is active."""
    called = Path(sys.argv[0])
    return "seqloom" if shutil.which("seqloom") or called.name != "seqloom" else os.path.relpath(called)


def demo(
    out: Annotated[Path, typer.Option(help="The folder for the pages.")] = Path("demo"),
) -> None:
    """Explain an LSTM here, and write pages to open in a browser."""
    from seqloom.cli.console import console
    from seqloom.cli.terminal import show
    from seqloom.explaining.explain import explain, save_page
    from seqloom.explaining.explanation import Explanation

    lstm = explain("lstm")
    assert isinstance(lstm, Explanation)
    show(lstm)
    console.print()
    for name in PAGES:
        file = save_page(explain(name), out / f"{name}.html")
        console.print(f"  [dim]written[/dim] {file}")
    console.print(
        f"\nOpen [bold]{out / 'lstm.html'}[/bold] in a browser: point at a symbol, move the slider.\n\n"
        "Next:\n"
        f'  {command()} explain lstm "your own words" --html mine.html\n'
        f"  {command()} explain multi-head --latex\n"
        f"  {command()} explain",
        highlight=False,
    )
