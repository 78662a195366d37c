"""The studio as people use it: one server with a model for each task, and pages in which nothing may go wrong."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

import seqloom
from seqloom.training.model import Model
from seqloom.training.run import train
from tests.conftest import QUICK
from tests.once import once
from tests.serving.conftest import Running
from tests.sizes import load_fitting
from tests.tasks.drawings import train_captioner
from tests.tasks.written_numbers import settings, write_pairs

Visit = Callable[..., Page]


@pytest.fixture(scope="session")
def moods(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A classifier whose training data is still where it was."""

    def make(place: Path) -> None:
        words = (("good", "fine"), ("bad", "poor"), ("good", "great"))
        lines = [f"{mood}\tit was a {word} film" for mood, word in words]
        reviews = tmp_path_factory.mktemp("reviews") / "reviews.tsv"  # it stays where it is
        reviews.write_text("\n".join(lines * 20), encoding="utf-8")
        config = load_fitting(QUICK, task="classify", data__train=str(reviews), model__name="lstm")
        train(config, place / "moods", quiet=True)

    return seqloom.load(once(tmp_path_factory, "moods", make) / "moods")


@pytest.fixture(scope="session")
def heads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Transformer with heads that can be switched off, as it is and as it was at two earlier steps."""

    def make(place: Path) -> None:
        pairs = write_pairs(tmp_path_factory.mktemp("pairs") / "pairs.tsv")  # it stays where it is
        more = ["train.checkpoint_every=20", "train.evaluate_every=20", "train.keep=3", "model.length=512"]
        train(settings(pairs, *more, name="transformer-tiny", steps=60), place / "heads", quiet=True)

    return once(tmp_path_factory, "heads", make) / "heads"


@pytest.fixture(scope="session")
def drawings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that describes pictures: squares of three colours, in four corners."""

    def make(place: Path) -> None:
        drawn = tmp_path_factory.mktemp("drawings")  # they stay where they are
        train_captioner(drawn)
        (drawn / "run").rename(place / "drawings")

    return once(tmp_path_factory, "studio-drawings", make) / "drawings"


@pytest.fixture(scope="session")
def running(models: Path, heads: Path, drawings: Path, moods: Model) -> Iterator[Running]:
    """One server for all tests of pages."""
    folders = [*(models / name for name in ("digits", "mood", "words", "song")), heads, drawings, moods.folder]
    demo = [f"dates={os.environ['SEQLOOM_DEMO']}"] if "SEQLOOM_DEMO" in os.environ else []  # for screenshots
    found = Running([*map(str, folders), *demo])
    yield found
    assert found.stop()[0] == 0


@pytest.fixture
def visit(new_page: Callable[..., Page], running: Running) -> Iterator[Visit]:
    """Open the page; nothing goes wrong in it, and it asks nobody but its server."""
    wrong: list[str] = []

    def opens(address: str = "", width: int = 1600, **options: object) -> Page:
        tab = new_page(viewport={"width": width, "height": 900}, **options)
        tab.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on(
            "request", lambda one: None if re.match(f"{running.url}|data:|blob:", one.url) else wrong.append(one.url)
        )
        tab.goto(f"{running.url}/{address}")
        tab.locator(".panel, .inside").first.wait_for()
        return tab

    yield opens
    assert wrong == []
