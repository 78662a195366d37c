"""Pages opened in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from seqloom.explaining.explanation import Explanation
from seqloom.explaining.page import page
from seqloom.explaining.panels import Experiment
from tests.explaining.pages import Visit


@pytest.fixture
def visit(chromium: Browser, tmp_path: Path) -> Iterator[Visit]:
    """Open a page from a file; nothing may be fetched by it, and nothing may go wrong in it."""
    wrong: list[str] = []
    opened: list[Page] = []

    def asked(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    def opens(explained: Explanation | Experiment, width: int = 1600, height: int = 900, **options: Any) -> Page:
        file = tmp_path / f"{len(opened)}.html"
        file.write_text(page(explained), encoding="utf-8")
        tab = chromium.new_page(viewport={"width": width, "height": height}, **options)
        opened.append(tab)
        tab.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("dialog", asked)
        tab.on("request", lambda request: None if re.match("file:|data:", request.url) else wrong.append(request.url))
        tab.goto(file.as_uri())
        expect(tab.locator("#theme button")).to_have_count(3)
        return tab

    yield opens
    for tab in opened:
        tab.close()
    assert wrong == []
