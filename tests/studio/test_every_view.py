"""Every view of the studio: within reach of everybody, saved as picture and numbers, and held whole in its address."""

import csv
import io
import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
STATES = [
    "model=digits", "model=mood", "model=words", "model=song", "model=heads", "model=drawings&at=t1",
    "model=heads&view=whatif&text=1+2+3&other=1+3", "model=drawings&view=whatif&other=0", "model=digits&view=inside",
    "model=heads&view=runs", "model=moods&view=data", "model=drawings&view=data", "model=heads&view=words",
    "model=mood&view=words&word=film", "model=heads&tour=2",
]  # fmt: skip
READY = {"inside": ".inside .pane.figure:visible", "runs": ".panel .sentence", "weave": ".panel .sentence:not(:empty)"}


def ready(tab: Page, state: str) -> None:
    view = dict(part.split("=") for part in state.split("&")).get("view", "weave")
    tab.locator(READY.get(view, ".stage-view .panel .sentence:not(:empty)")).first.wait_for()
    if view == "whatif":
        tab.locator(".panel.origin").wait_for()


@pytest.mark.axe
@pytest.mark.parametrize("width", [375, 1600])
def test_nothing_stands_in_the_way_of_those_who_see_or_hear_it_otherwise(visit, width):
    rules = Path(os.environ["SEQLOOM_AXE"]).read_text(encoding="utf-8")
    tab = visit(width=width, locale="en-US", bypass_csp=True, reduced_motion="reduce")
    tab.evaluate(rules)
    found = []
    for state in STATES:
        tab.evaluate("state => location.hash = state", state)
        tab.wait_for_timeout(100)
        ready(tab, state)
        for theme in ("light", "dark"):
            tab.get_by_label(f"Colours: {theme}").click()
            tab.wait_for_timeout(100)
            violations = tab.evaluate("axe.run().then(found => found.violations)")
            found += [(state, theme, one["id"], one["nodes"][0]["html"][:300]) for one in violations]
        assert tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0, state
    assert found == []


@pytest.mark.parametrize("state", STATES[:-1])
def test_every_panel_is_saved_as_a_picture_and_as_numbers(visit, state):
    tab = visit(f"#{state}", locale="en-US")
    ready(tab, state)
    tab.wait_for_load_state("networkidle")  # gates and states come a moment later
    assert all(
        tab.evaluate("[...document.querySelectorAll('.stage-view .panel')].map(one => !!one.querySelector('.save'))")
    )
    menus = tab.locator(".stage-view .save:visible")
    assert menus.count() > 0
    for menu in menus.all():
        svg, png, numbers, table = (saved(tab, menu, kind) for kind in ("SVG", "PNG", "JSON", "CSV"))
        drawn = ElementTree.fromstring(svg)
        assert len(list(drawn.iter())) > 3 and b"<foreignObject" not in svg
        assert png.startswith(b"\x89PNG") and len(png) > 500
        rows = list(csv.reader(io.StringIO(table.decode())))
        assert len(json.loads(numbers)) == len(rows) - 1 > 0
        assert {len(row) for row in rows} == {len(rows[0])}


def saved(tab: Page, menu, kind: str) -> bytes:
    menu.locator("summary").click()
    with tab.expect_download() as saving:
        menu.locator(".menu button", has_text=kind).click()
    return Path(saving.value.path()).read_bytes()


def test_a_link_shows_the_same_thing_in_every_view(visit):
    """Each view is brought into a state by hand; its address, opened elsewhere, shows what was seen."""
    tab = visit(locale="en-US")

    def same(*places: str) -> None:
        other = visit(tab.url[tab.url.index("#") :], locale="zh-CN")  # the language too
        for place in places:
            expect(other.locator(place).first).to_have_text(str(tab.locator(place).first.text_content()))
        other.close()

    def choose(view: str, model: str) -> None:
        tab.get_by_role("button", name=view, exact=True).click()
        tab.locator("[data-place=models]").select_option(model)

    choose("Weave", "heads")
    tab.get_by_label("Your text").fill("1 2 3")
    expect(tab.locator(".token[data-at^=s]")).to_have_count(4)
    tab.get_by_label("layer", exact=True).select_option("0")
    tab.get_by_label("head", exact=True).select_option("1")
    tab.locator(".token[data-at=t0]").click()
    tab.mouse.move(0, 0)
    tab.get_by_role("button", name="sharpest first").click()
    same(".panel.weave .sentence", ".panel.steps .sentence", ".head .name")
    tab.get_by_role("button", name="What if", exact=True).click()
    tab.locator(".drops .word").first.click()
    tab.get_by_role("button", name="leaving one out").click()
    tab.locator(".outputs .word").nth(1).click()
    expect(tab.locator(".sides output")).to_have_count(2)
    same(".panel.whatif .sentence", ".panel.origin .sentence")
    choose("Inside", "digits")
    tab.locator('[data-part]:not([hidden]) article:not([hidden]) .figure [data-opens="c"]').first.click()
    tab.locator("[data-part]:not([hidden])").get_by_label("Next token", exact=True).click()
    tab.locator("[data-part]:not([hidden]) article:not([hidden]) .code [data-id]").first.click()
    assert "path=c" in tab.url and "step=1" in tab.url and "symbol=" in tab.url
    same("[data-part]:not([hidden]) .trail", "[data-part]:not([hidden]) .value h2", "[data-part]:not([hidden]) .count")
    tab.locator("#whole").get_by_role("button", name="Open encoder").click()
    assert "part=0" in tab.url
    same("[role=tab][aria-selected=true]")
    choose("Runs", "heads")
    tab.locator(".run-name", has_text="digits").click()
    same(".panel.curve-loss .sentence", ".run-card[data-hidden] .run-name")
    choose("Data", "moods")
    tab.get_by_role("button", name="by label").click()
    tab.locator(".confusion-table button").first.click()
    same(".panel.examples .sentence", ".example .given")
    choose("Words", "mood")
    tab.get_by_role("button", name="by frequency").click()
    tab.get_by_label("Find a word").fill("film")
    tab.get_by_label("Find a word").press("Enter")
    expect(tab.locator(".panel.nearest h2")).to_have_text("Nearest: film")
    same(".panel.nearest .sentence", ".panel.words .sentence")
