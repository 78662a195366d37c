"""What every test shares: a fixed seed, and Chromium for those that drive a browser."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

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
settings.register_profile("steady", derandomize=True, deadline=None)  # the same examples on every machine
settings.load_profile("steady")
REQUIRED = os.environ.get("SEQLOOM_BROWSER") == "required"
LEFT_OUT = pytest.StashKey[int]()


@pytest.fixture(autouse=True)
def seed() -> None:
    """Start every test from the same random numbers, whatever ran before it."""
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless Chromium of the system's; open pages with `chromium.new_page()`."""
    if CHROMIUM is None:
        pytest.fail("no Chromium on this machine (Debian: apt install chromium)", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        yield browser
        browser.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the browser tests last; without a browser leave them out, unless it is required.

    Last, because playwright keeps an event loop running, and asyncio.run then refuses to start another.
    """
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
