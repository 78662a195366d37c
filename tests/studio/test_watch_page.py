"""`seqloom train --watch` as people use it: a page follows the run, a button stops it, and it goes on afterwards."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from seqloom.training.checkpoint import kept_steps
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from seqloom.training.run_folder import settings_of
from tests.serving.conftest import MAIN
from tests.tasks.written_numbers import SMALL, write_pairs

PATIENCE = 120
"""Seconds after which something will never happen."""
LONG = ["train.steps=100000", "train.log_every=5", "train.keep=3", "train.schedule=constant", "model.dropout=0"]
OFTEN = ["train.evaluate_every=20", "train.checkpoint_every=20"]

WATCHED = """
import pathlib, sys, time
from seqloom.cli.watch import watched
with watched(pathlib.Path(sys.argv[1])):
    time.sleep(1000)
"""


@pytest.fixture
def training(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A run that would go on for hours; no browser of the system's is opened."""
    pairs = write_pairs(tmp_path / "pairs.tsv")
    fitting = [change for change in SMALL if not change.startswith("model.heads")]
    changes = [part for change in [*fitting, *LONG, *OFTEN] for part in ("--set", change)]
    command = ["train", "--task", "translate", "--data", str(pairs), "--model", "rnn-attention", "--out", "run"]
    ours, theirs = os.openpty()  # a terminal: the page stays when the run has ended
    with (tmp_path / "said.txt").open("w") as said:  # not a pipe, which would fill up
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, *command, "--watch", *changes],
            cwd=tmp_path, stdin=theirs, stdout=said, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "BROWSER": "true", "OMP_NUM_THREADS": "1", "COLUMNS": "300"},
        )  # fmt: skip
    yield process
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=PATIENCE)
    finally:
        process.kill()
        os.close(ours)
        os.close(theirs)


def address(training: "subprocess.Popen[str]", folder: Path) -> str:
    """The page of a run, once it is there."""
    found = until(lambda: re.findall(r"http://[^\s]+", (folder / "said.txt").read_text()) or training.poll())
    assert isinstance(found, list), (folder / "said.txt").read_text()
    return str(found[0])


def until(happened: Callable[[], object]) -> object:
    deadline = time.monotonic() + PATIENCE
    while not (found := happened()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def gone(url: str) -> bool:
    """Whether nothing listens there any more."""
    with socket.socket() as asking:
        asking.settimeout(PATIENCE)
        return asking.connect_ex((urlsplit(url).hostname, urlsplit(url).port)) != 0


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGHUP])
def test_the_page_ends_with_a_command_that_is_killed_or_whose_terminal_goes_away(start, tmp_path, monkeypatch, end):
    monkeypatch.setenv("BROWSER", "true")
    command = start(WATCHED, tmp_path / "run")
    url = command.stdout.readline().split()[-1]
    assert not gone(url)
    command.send_signal(end)
    assert command.wait(timeout=PATIENCE) == -end
    until(lambda: gone(url))


@pytest.mark.browser
def test_a_page_follows_a_run_and_stops_it_and_the_run_goes_on_afterwards(training, new_page, tmp_path):
    url = address(training, tmp_path)
    assert url.endswith("/#view=runs")
    wrong: list[str] = []
    tab = new_page(locale="en-US", viewport={"width": 1600, "height": 900})
    tab.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.goto(url)
    expect(tab.locator(".run-card .status")).to_have_text("training")
    expect(tab.locator(".panel.curve-loss .sentence")).to_contain_text("run now, after")
    first = str(tab.locator(".run-card .far").text_content())
    expect(tab.locator(".run-card .far")).not_to_have_text(first)  # it follows
    expect(tab.locator(".sample-list li").nth(1)).to_be_visible()  # samples over time
    expect(tab.locator("[data-place=models]")).to_contain_text("run, step")  # checkpoints can be asked already
    stop = tab.get_by_role("button", name="Stop and save")
    stop.focus()
    tab.wait_for_timeout(2000)  # the page looks again, and leaves the focus where it is
    expect(stop).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.locator(".run-card .status")).to_have_text("stopped; it can go on")
    expect(tab.locator("[data-place=models] > option")).to_have_text("run")  # the model is there now
    tab.get_by_role("button", name="Weave").click()
    expect(tab.locator(".panel.weave")).to_be_visible()
    tab.get_by_role("button", name="What if").click()
    other = tab.get_by_label("Answered by").locator("optgroup option").last
    says = str(other.text_content())  # the same run at another step
    tab.get_by_label("Answered by").select_option(str(other.get_attribute("value")))
    expect(tab.locator(".side h3").nth(1)).to_have_text(f"By {says}")
    assert wrong == []
    tab.close()
    training.send_signal(signal.SIGINT)
    assert training.wait(timeout=PATIENCE) == 0
    assert gone(url)
    run = tmp_path / "run"
    done = max(kept_steps(run))
    train(load_run(None, [f"train.steps={done + 3}"], settings_of(run)), run, resume=True, quiet=True)
    assert max(kept_steps(run)) == done + 3
