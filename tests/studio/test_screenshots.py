"""The pictures of the README, taken in states that are tested; SEQLOOM_SCREENSHOTS names a folder to keep them in."""

import os
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
WIDTH, HEIGHT = 1400, 900


DEMO = (
    "SEQLOOM_DEMO" in os.environ
)  # the folder of `seqloom demo`, for pictures that are kept: it says more than digits
MODEL, TEXT, ANSWER, AT = (
    ("dates", "4 juillet 1976", "1976-07-04", 5) if DEMO else ("digits", "4 0 7", "four zero seven", 2)
)


def weave(tab: Page) -> None:
    expect(tab.locator(".answer output")).to_have_text(ANSWER)
    expect(tab.locator(".panel.weave .sentence")).to_contain_text("looks most at")
    expect(tab.locator(f".token[data-at=t{AT}]")).to_have_attribute("aria-pressed", "true")


def picture(tab: Page) -> None:
    expect(tab.locator(".answer output")).to_contain_text("square")
    expect(tab.locator(".panel.weave .sentence")).to_contain_text("looks most at row")


def inside(tab: Page) -> None:
    expect(tab.locator(".answer output")).to_have_text(ANSWER)
    tab.locator('[data-part]:not([hidden]) article:not([hidden]) .figure .result[data-id="p"]').hover()
    expect(tab.locator("[data-part]:not([hidden]) .value .arithmetic li").first).to_be_visible()


def whatif(tab: Page) -> None:
    expect(tab.locator(".sides output")).to_have_count(2)
    expect(tab.locator(".panel.origin .sentence")).to_contain_text("speaks most")


ASKED = f"model={MODEL}&text={TEXT.replace(' ', '+')}"
STATES = {
    "studio": (f"{ASKED}&at=t{AT}", "light", weave),
    "studio-picture": ("model=drawings&example=5&at=t2", "dark", picture),
    "studio-inside": (f"{ASKED}&view=inside&step={AT}", "light", inside),
    "studio-whatif": (f"{ASKED}&view=whatif&other={TEXT[2:].replace(' ', '+')}&out={AT}", "dark", whatif),
}
"""By the name of the file: what is opened, in which colours, and what is seen."""


@pytest.mark.parametrize("name", STATES)
def test_a_screenshot_shows_what_it_is_of(visit, tmp_path, name):
    state, colours, seen = STATES[name]
    tab = visit(f"#model={MODEL}", WIDTH, locale="en-US", color_scheme=colours, reduced_motion="reduce")
    tab.wait_for_load_state("networkidle")  # the time that is shown is that of a page that is there, as when one types
    tab.evaluate("state => location.hash = state", state)
    seen(tab)
    tab.wait_for_load_state("networkidle")
    folder = Path(os.environ.get("SEQLOOM_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    tab.screenshot(path=folder / f"{name}.png")
    with Image.open(folder / f"{name}.png") as taken:
        assert taken.size == (WIDTH, HEIGHT)
        assert len(taken.convert("RGB").getcolors(1 << 24) or []) > 100
