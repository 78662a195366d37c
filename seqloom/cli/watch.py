"""`seqloom train --watch`: the studio of a run that trains, in a process of its own: neither disturbs the other."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

START_SECONDS = 120
"""In which the server has to start, on a machine that is busy."""
END_SECONDS = 10
"""In which it has to end when it is asked to; then it is ended."""


class WatchPage:
    """The server behind the page; it ends with the command that began it, however that ends."""

    def __init__(self, process: "subprocess.Popen[str]", url: str) -> None:
        self.process, self.url = process, url

    def stay(self) -> None:
        """Keep the page after training, until Ctrl-C; where there is no terminal, nobody could press it."""
        from seqloom.cli.console import console

        if not sys.stdin.isatty():
            return
        console.print(f"The studio stays at [bold]{self.url}[/bold]  (Ctrl-C ends)", highlight=False)
        with suppress(KeyboardInterrupt):
            self.process.wait()


@contextmanager
def watched(out: Path) -> Iterator[WatchPage]:
    """Serve the run in a folder, which need not be there yet, and open its page."""
    from seqloom.cli.console import console
    from seqloom.cli.serve import check_installed
    from seqloom.errors import SeqloomError

    check_installed()
    command = [sys.executable, "-m", "seqloom.cli.watch", str(out)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )  # in a session of its own: Ctrl-C is for the training, which saves first
    try:
        url = first_line(process)
        if not url:
            raise SeqloomError("the page of the run could not be started", remedy="train without --watch")
        console.print(f"Follow it at [bold]{url}[/bold]", highlight=False)
        yield WatchPage(process, url)
    finally:
        process.terminate()
        try:
            process.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()  # what is left of its pipes is closed


def first_line(process: "subprocess.Popen[str]") -> str:
    """What a process says first; nothing if it ends or takes too long."""
    said: list[str] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lambda out: said.append(out.readline()), args=[process.stdout], daemon=True)
    reader.start()
    reader.join(START_SECONDS)
    return said[0].strip() if said else ""


def serve_run(out: str) -> None:
    """The process: serve one run until whoever began it is gone."""
    import os
    import signal
    import webbrowser

    from seqloom.cli.serve import run_server

    def ready(url: str) -> None:
        page = f"{url}/#view=runs"
        print(page, flush=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads what a browser may say
        threading.Thread(target=webbrowser.open, args=[page], daemon=True).start()  # a browser of text does not return

    def end_with_parent() -> None:
        sys.stdin.read()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(END_SECONDS)
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    run_server([out], "127.0.0.1", 0, quiet=True, ready=ready, unfinished="awaited", spoken=False)


if __name__ == "__main__":
    serve_run(sys.argv[1])
