"""`seqloom studio`: see inside trained models, in the browser."""

from typing import Annotated

import typer

from seqloom.cli.serve import run_server

EXAMPLES = ["seqloom studio demo", "seqloom studio runs/en-de reviews=runs/imdb", "seqloom studio demo --no-browser"]


def studio(
    folders: Annotated[list[str], typer.Argument(help="Folders of trained models, or NAME=FOLDER.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")] = 0,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a limit.")] = [],
    browser: Annotated[bool, typer.Option(help="Whether to open the browser.")] = True,
) -> None:
    """Open trained models in the browser: what they look at while they answer, and how every part computes.

    It is `seqloom serve` on this machine alone, with its page opened.
    """

    def ready(url: str) -> None:
        if browser:
            import webbrowser

            webbrowser.open(url)

    run_server(folders, "127.0.0.1", port, changes=set_, quiet=True, ready=ready)
