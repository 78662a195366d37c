"""`seqloom serve`: put trained models behind HTTP."""

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from seqloom.cli.export import Engine, EngineOption

if TYPE_CHECKING:
    from seqloom.serving.model_store import Unfinished

EXAMPLES = [
    "seqloom serve demo",
    "seqloom serve runs/en-de runs/de-en reviews=runs/imdb --port 9000",
    "SEQLOOM_KEY=... seqloom serve runs/en-de --host 0.0.0.0 --allow-host translate.example.org",
]
NEEDED = ("fastapi", "h11", "prometheus_client", "python_multipart", "py3langid", "sentencex")
"""Packages of the extra `serve`."""


Ready = Callable[[str], None]
"""Told the address once the server answers."""


def serve(
    folders: Annotated[list[str], typer.Argument(help="Trained models (folders or packs), optionally as NAME=FOLDER.")],
    host: Annotated[str, typer.Option(help="Address to listen on; anything but loopback needs a key.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any free port.")] = 8000,
    key: Annotated[
        str, typer.Option(envvar="SEQLOOM_KEY", help="API key that clients must send; preferably set as SEQLOOM_KEY.")
    ] = "",
    allow_host: Annotated[
        list[str], typer.Option(metavar="NAME", help="A host name that this server accepts in requests.")
    ] = [],
    engine: EngineOption = Engine.auto,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a limit.")] = [],
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not log requests.")] = False,
) -> None:
    """Serve models over HTTP: a native API, LibreTranslate's, OpenAI's, and the studio.

    Loopback by default. Every request has limits; texts are never logged.
    """
    run_server(folders, host, port, key, allow_host, set_, engine=engine, quiet=quiet)


def run_server(
    folders: list[str],
    host: str,
    port: int,
    key: str = "",
    allow_host: Sequence[str] = (),
    changes: Sequence[str] = (),
    *,
    engine: Engine = Engine.auto,
    quiet: bool,
    ready: Ready = lambda url: None,
    unfinished: "Unfinished" = "none",
    spoken: bool = True,
) -> None:
    """Serve until somebody ends it.

    unfinished  which folders need not hold a trained model yet
    spoken      whether it says what it serves, and where
    """
    from seqloom.cli.console import console
    from seqloom.config import load
    from seqloom.engines.metadata import check_engine, metadata_at
    from seqloom.errors import SeqloomError

    check_installed()
    import torch

    from seqloom.serving.app import make_app
    from seqloom.serving.http_server import listen
    from seqloom.serving.logs import log_to_stderr
    from seqloom.serving.middleware import is_loopback
    from seqloom.serving.service import InferenceService
    from seqloom.serving.settings import Bounds, HTTPSettings
    from seqloom.threads import choose_threads

    if not is_loopback(host) and not key:
        raise SeqloomError(
            f"{host} is reachable from other machines, and no key is set",
            remedy="set SEQLOOM_KEY, or listen on 127.0.0.1",
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SeqloomError("a key must consist of visible ASCII characters", remedy="choose another")
    names = set(HTTPSettings.model_fields)
    ours = [change for change in changes if change.partition("=")[0].strip() not in names]
    bounds = load(Bounds, None, ours)
    settings = load(HTTPSettings, None, [change for change in changes if change not in ours], host=host, port=port)
    torch.set_num_threads(choose_threads(torch.get_num_threads()))
    service = InferenceService(folders, bounds, key, unfinished)
    for entry in service.model_store.entries.values():
        check_engine(entry.folder, metadata_at(entry.folder), engine.value)
        if spoken:
            console.print(f"{entry.name}: {entry.task}, {entry.size / 1e6:.1f} MB", highlight=False)

    def started(url: str) -> None:
        if spoken:
            console.print(f"Serving on [bold]{url}[/bold]  (Ctrl-C ends)", highlight=False)
        ready(url)

    def draining() -> None:
        service.draining = True

    app = make_app(service, [host, *allow_host])
    with log_to_stderr(logging.WARNING if quiet else logging.INFO):
        listen(app, settings, overloaded=app.overloaded, ready=started, draining=draining)


def check_installed() -> None:
    """Say which extra to install where a package is missing."""
    from seqloom.extras import require

    for package in NEEDED:
        require(package, "serve", "`seqloom serve`")
