"""The command line: one file a command, each thin: read arguments, call a function, print."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
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
app.command(epilog=examples(train.EXAMPLES))(train.train)
app.command(epilog=examples(tune.EXAMPLES))(tune.tune)
app.command(epilog=examples(distil.EXAMPLES))(distil.distil)
app.command(epilog=examples(predict.EXAMPLES))(predict.predict)
app.command(epilog=examples(evaluate.EXAMPLES))(evaluate.evaluate)
app.command(epilog=examples(compare.EXAMPLES))(compare.compare)
app.command(epilog=examples(serve.EXAMPLES))(serve.serve)
app.command(epilog=examples(studio.EXAMPLES))(studio.studio)
app.command(epilog=examples(pack.EXAMPLES))(pack.pack)
app.command(epilog=examples(export.EXAMPLES))(export.export)
app.command(epilog=examples(summary.EXAMPLES))(summary.summary)
app.command(epilog=examples(settings.EXAMPLES))(settings.settings)
app.command(epilog=examples(tokens.EXAMPLES))(tokens.tokens)
app.add_typer(vectors.vectors, name="vectors", epilog=examples(vectors.EXAMPLES))
app.command(epilog=examples(data.EXAMPLES))(data.data)
app.command(epilog=examples(explain.EXAMPLES))(explain.explain)
app.command(epilog=examples(demo.EXAMPLES))(demo.demo)


def show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"seqloom {version('seqloom')}")
        raise typer.Exit


@app.callback(epilog=examples(["seqloom explain lstm", *demo.EXAMPLES]))
def seqloom(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Sequence models from RNN to Transformer: one definition of every layer, and every view of it."""


def in_one_line(message: Warning | str, category: type[Warning], *where: object, **more: object) -> str:
    """A warning of ours without the line of code that raised it."""
    return f"{message}\n" if issubclass(category, SeqloomWarning) else f"{category.__name__}: {message}\n"


def main() -> None:
    """Run a command; a user's mistake is a message on standard error and exit code 1, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without these letters shows others, never a traceback
    warnings.formatwarning = in_one_line
    wait_asleep()
    try:
        app(prog_name="seqloom")
    except SeqloomError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:  # `seqloom explain | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
