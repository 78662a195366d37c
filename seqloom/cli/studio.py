"""`seqloom studio`: see inside trained models, in the browser."""

from typing import Annotated

import typer

from seqloom.cli.serve import run_server

EXAMPLES = [
    "seqloom studio demo",
    "seqloom studio runs/en-de reviews=runs/imdb",
    "seqloom studio runs/*",
    "seqloom studio demo --no-browser",
]


def studio(
    folders: Annotated[
        list[str], typer.Argument(help="Trained models or runs in progress, optionally as NAME=FOLDER.")
    ],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any free port.")] = 0,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a limit.")] = [],
    browser: Annotated[bool, typer.Option(help="Whether to open the browser.")] = True,
) -> None:
    """Open trained models in the browser: what they attend to, and how every part computes.

    This is `seqloom serve` on this machine only, with its page opened. Runs in progress are followed live.
    """

    def ready(url: str) -> None:
        if browser:
            import webbrowser

            webbrowser.open(url)

    run_server(folders, "127.0.0.1", port, changes=set_, quiet=True, ready=ready, unfinished="begun")
