"""The command line: one file a command, each thin: read arguments, call a function, print."""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

import typer

from seqloom.cli import (
    compare,
    data,
    demo,
    distil,
    evaluate,
    explain,
    export,
    pack,
    predict,
    serve,
    settings,
    studio,
    summary,
    tokens,
    train,
    tune,
    vectors,
)
from seqloom.errors import SeqloomError, SeqloomWarning
from seqloom.threads import wait_asleep

SETTING = re.compile(r"(?<![\w.'\"`=-])(?<!--set )(data|tokens|model|train|start|teacher|tag|classify)\.[a-z_.]+=\S")
"""A setting with its value, in the middle of words."""


def examples(commands: Sequence[str]) -> str:
    """The end of a command's help; each example is a paragraph, so that it stays on one line."""
    lines = [command.replace("[", r"\[") for command in commands]
    return "\n\n".join(["[bold]Examples[/bold]", *(f"  {line}" for line in lines)])


app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
TRAINING, USING, LOOKING, DATA = "Train", "Use", "Look inside", "Data"
"""The parts of the list of commands."""

for part, command in (
    (TRAINING, train), (TRAINING, tune), (TRAINING, compare), (TRAINING, distil),
    (USING, predict), (USING, evaluate), (USING, serve), (USING, pack), (USING, export),
    (LOOKING, studio), (LOOKING, explain), (LOOKING, summary), (LOOKING, settings), (LOOKING, demo),
    (DATA, data), (DATA, tokens),
):  # fmt: skip
    name = command.__name__.rpartition(".")[2]
    app.command(epilog=examples(command.EXAMPLES), rich_help_panel=part)(getattr(command, name))
app.add_typer(vectors.vectors, name="vectors", epilog=examples(vectors.EXAMPLES), rich_help_panel=DATA)


def show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"seqloom {version('seqloom')}")
        raise typer.Exit


FIRST = [
    "seqloom train --task classify --data reviews.csv --out runs/reviews",
    'seqloom predict runs/reviews "a wonderful film"',
    "seqloom explain lstm",
    "seqloom demo",
]


@app.callback(epilog=examples(FIRST))
def seqloom(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Sequence models from RNN to Transformer: one definition of every layer, and every view of it."""


def tell_warning(message: Warning | str, category: type[Warning], *where: object, **more: object) -> None:
    """A warning in one line, without the code that raised it."""
    tell_once(str(message) if issubclass(category, SeqloomWarning) else f"{category.__name__}: {message}")


@lru_cache(1_000)
def tell_once(line: str) -> None:
    """A line on standard error; the same again, as of a file that is read twice, is not said again."""
    print(line, file=sys.stderr)


def as_typed(message: str) -> str:
    """A message with the settings of its remedies as they are typed.

    >>> print(as_typed("a.csv:3: empty label\\n    -> fill it in, or leave such out with data.on_bad=skip"))
    a.csv:3: empty label
        -> fill it in, or leave such out with --set data.on_bad=skip
    """
    return "\n".join(
        SETTING.sub(r"--set \g<0>", line) if line.lstrip().startswith("->") else line for line in message.split("\n")
    )


def main() -> None:
    """Run a command; a user's mistake is a message on standard error and exit code 1, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without these letters shows others, never a traceback
    tell_once.cache_clear()
    warnings.showwarning = tell_warning
    wait_asleep()
    try:
        app(prog_name="seqloom")
    except SeqloomError as error:
        print(as_typed(str(error)), file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:  # `seqloom explain | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
