"""What every test shares: a fixed seed, files written on the spot, real data, and Chromium to open pages in."""

import gzip
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import settings
from playwright.sync_api import Browser, Dialog, Page, expect, sync_playwright

from seqloom.training.run import train
from tests.once import once
from tests.sizes import load_fitting
from tests.tasks.songs import write_song
from tests.tasks.tagged import write_tagged
from tests.tasks.written_numbers import train_reader

QUICK = ["train.steps=3", "train.warmup_steps=1", "train.batch_tokens=300", "model.embedding=8", "model.widths=[8]"]

for one in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(one) is signal.SIG_IGN:  # as under nohup; processes that tests start would ignore them too
        signal.signal(one, signal.default_int_handler if one is signal.SIGINT else signal.SIG_DFL)

os.environ.setdefault("KERAS_BACKEND", "torch")  # read when keras, an oracle, is first imported

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CHROMIUM_ARGS = [
    "--no-sandbox",  # CI runs as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 120_000
"""Milliseconds after which something on a page will never happen."""
expect.set_options(timeout=PATIENCE)
settings.register_profile("steady", derandomize=True, deadline=None)  # the same examples on every machine
settings.load_profile("steady")
REQUIRED = os.environ.get("SEQLOOM_BROWSER") == "required"
ROOT = Path(__file__).parents[1]
LEFT_OUT = pytest.StashKey[int]()
SHARED = Path(__file__).parents[2] / "shared" / "data"
"""Real data sets: tests that ask for `shared_data` run where they are, and must run in CI."""


@pytest.fixture(autouse=True)
def seed() -> None:
    """Start every test from the same random numbers, whatever ran before it."""
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Encoded data of one test is not there for the next."""
    monkeypatch.setenv("SEQLOOM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, bytes | str], Path]:
    """Write a file, packed if its name ends in .gz."""

    def write(name: str, content: bytes | str) -> Path:
        raw = content.encode() if isinstance(content, str) else content
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return file

    return write


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a Python with a script; none outlives the test."""
    with ExitStack() as ends:

        def start(script: str, *arguments: object) -> subprocess.Popen[str]:
            command = [sys.executable, "-c", script, *map(str, arguments)]
            process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            ends.enter_context(process)
            ends.callback(process.kill)
            return process

        yield start


@pytest.fixture(scope="session")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that reads digits well."""
    return once(tmp_path_factory, "digits", train_reader) / "run"


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory, digits: Path) -> Path:
    """Folders: digits (translate, well trained), song (generate), mood (classify), words (tag)."""

    def make(place: Path) -> None:
        shutil.copytree(digits, place / "digits")
        reviews = [f"{mood}\ta {word} film" for mood, word in (("good", "fine"), ("bad", "poor"), ("good", "great"))]
        (place / "reviews.tsv").write_text("\n".join(reviews * 9), encoding="utf-8")
        for name, task, data, model in (
            ("song", "generate", write_song(place / "song.txt"), "gru"),
            ("mood", "classify", place / "reviews.tsv", "lstm"),
            ("words", "tag", write_tagged(place / "tagged.conll"), "gru"),
        ):
            config = load_fitting(QUICK, task=task, data__train=str(data), model__name=model)
            train(config, place / name, quiet=True)

    return once(tmp_path_factory, "models", make)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets."""
    if not SHARED.is_dir():
        pytest.fail(f"no data sets in {SHARED}", pytrace=False)
    return SHARED


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless Chromium of the system's; open pages with `new_page`."""
    if CHROMIUM is None:
        pytest.fail("no Chromium on this machine (Debian: apt install chromium)", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page that waits for as long as a busy machine may take; it is closed after the test."""
    with ExitStack() as ends:

        def new_page(**options: Any) -> Page:
            page = chromium.new_page(**options)
            ends.callback(page.close)
            page.set_default_timeout(PATIENCE)
            return page

        yield new_page


@pytest.fixture
def open_html(new_page: Callable[..., Page], tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Open HTML from a file; nothing may be fetched by it, and nothing may go wrong in it."""
    wrong: list[str] = []
    opened: list[Page] = []

    def asked(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    def opens(html: str, width: int, height: int, **options: Any) -> Page:
        file = tmp_path / f"{len(opened)}.html"
        file.write_text(html, encoding="utf-8")
        tab = new_page(viewport={"width": width, "height": height}, **options)
        opened.append(tab)
        tab.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("dialog", asked)
        tab.on("request", lambda request: None if re.match("file:|data:", request.url) else wrong.append(request.url))
        tab.goto(file.as_uri())
        return tab

    yield opens
    assert wrong == []


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the browser tests last; leave out what needs a browser or real data where there is none, unless required.

    Last, because playwright keeps an event loop running, and asyncio.run then refuses to start another.
    """
    if not SHARED.is_dir() and os.environ.get("CI") != "true":
        without = [item for item in items if "shared_data" in getattr(item, "fixturenames", ())]
        items[:] = [item for item in items if item not in without]
        config.hook.pytest_deselected(items=without)
    if "SEQLOOM_AXE" not in os.environ and not REQUIRED:
        without = [item for item in items if item.get_closest_marker("axe")]
        items[:] = [item for item in items if item not in without]
        config.hook.pytest_deselected(items=without)
    browser = [item for item in items if item.get_closest_marker("browser")]
    others = [item for item in items if not item.get_closest_marker("browser")]
    if CHROMIUM is not None or REQUIRED:
        items[:] = others + browser
    elif browser:
        items[:] = others
        config.hook.pytest_deselected(items=browser)
        note_left_out(config, len(browser))


def note_left_out(config: pytest.Config, count: int) -> None:
    """Keep the count for the summary; a worker of pytest-xdist also sends it to the controller."""
    config.stash[LEFT_OUT] = count
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = count


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the count from a worker; every worker collects, and leaves out, the same tests."""
    if "left_out" in getattr(node, "workeroutput", {}):
        node.config.stash[LEFT_OUT] = node.workeroutput["left_out"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(f"{count} browser tests left out: no Chromium on this machine")
