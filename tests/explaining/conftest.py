"""Pages opened in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from seqloom.explaining.page import page
from tests.explaining.pages import Visit


@pytest.fixture
def visit(open_html: Callable[..., Page]) -> Visit:
    """Open the page of what was explained."""

    def opens(explained: Any, width: int = 1600, height: int = 900, **options: Any) -> Page:
        tab = open_html(page(explained), width, height, **options)
        expect(tab.locator("#theme button")).to_have_count(3)
        return tab

    return opens
