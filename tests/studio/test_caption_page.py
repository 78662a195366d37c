"""A model that describes pictures, in a real browser: attention over them, regions to blank, pictures of one's own."""

import re
from pathlib import Path
from random import Random

import pytest
from PIL import Image
from playwright.sync_api import expect

import seqloom
from tests.tasks.drawings import draw

pytestmark = pytest.mark.browser
DRAWN = "a blue square below right"


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    draw(DRAWN, Random(3)).save(tmp_path / "mine.png")
    return tmp_path / "mine.png"


def pixels(tab, selector: str) -> str:
    return str(tab.locator(f"{selector} canvas").first.evaluate("canvas => canvas.toDataURL()"))


def test_an_example_is_shown_at_once_and_a_picture_of_ones_own_is_described(visit, picture):
    tab = visit("#model=drawings", locale="en-US")
    expect(tab.locator(".answer output")).to_have_text(
        re.compile("a (red|green|blue) square (above|below) (left|right)")
    )
    first = tab.locator(".asked-picture").get_attribute("src")
    tab.get_by_role("button", name="Another example").click()
    expect(tab.locator(".asked-picture")).not_to_have_attribute("src", str(first))
    assert "example=1" in tab.url and tab.get_by_label("Your text").is_hidden()
    tab.locator("input[type=file]").set_input_files(picture)
    expect(tab.locator(".answer output")).to_have_text(DRAWN)
    again = visit(tab.url[tab.url.index("#") :], locale="en-US")  # the address holds the picture
    expect(again.locator(".answer output")).to_have_text(DRAWN)


def test_every_word_is_stepped_through_and_lays_its_attention_over_the_picture(visit, picture):
    tab = visit("#model=drawings", locale="en-US")
    tab.locator("input[type=file]").set_input_files(picture)
    expect(tab.locator(".answer output")).to_have_text(DRAWN)
    tab.locator("h1").evaluate("node => document.activeElement.blur()")
    seen = set()
    for at, word in enumerate(DRAWN.split()):
        tab.keyboard.press("ArrowRight")
        expect(tab.locator(f'.word-card[data-at="t{at}"]')).to_have_attribute("aria-pressed", "true")
        expect(tab.locator(".panel.weave .sentence")).to_have_text(
            re.compile(rf"{word} looks (most at row \d, column \d: 0\.\d\d|at all regions alike\.)")
        )
        expect(tab.locator(".panel.steps .sentence")).to_contain_text(f"{word} has probability")
        seen.add(pixels(tab, ".picture-map"))
    assert len(seen) > 1 and "at=t4" in tab.url
    box = tab.locator(".picture-map canvas").bounding_box()
    assert box is not None
    tab.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 0.9 * box["height"])
    expect(tab.locator(".panel.weave .sentence")).to_have_text(
        re.compile(r"Row 3, column 4 is looked at most for \w+: ")
    )
    tab.locator('.word-card[data-at="t1"]').focus()
    tab.keyboard.press("End")
    expect(tab.locator('.word-card[data-at="t4"]')).to_be_focused()


def test_a_region_is_blanked_and_every_output_says_which_regions_it_came_from(visit, picture):
    tab = visit("#model=drawings", locale="en-US")
    tab.locator("input[type=file]").set_input_files(picture)
    expect(tab.locator(".answer output")).to_have_text(DRAWN)
    tab.get_by_role("button", name="What if").click()
    expect(tab.locator(".sides output")).to_have_text(DRAWN)
    for name in ("row 3, column 3", "row 3, column 4"):
        tab.get_by_role("button", name=f"Blank {name}").focus()
        tab.keyboard.press("Enter")
        expect(tab.get_by_role("button", name=f"Blank {name}")).to_have_attribute("aria-pressed", "true")
        expect(tab.get_by_role("button", name=f"Blank {name}")).to_be_focused()
    expect(tab.locator(".sides output")).to_have_count(2)
    assert "other=10.11" in tab.url
    tab.locator(".outputs .word", has_text="blue").click()
    expect(tab.locator(".panel.origin .sentence")).to_have_text(
        re.compile(r"row \d, column \d speaks most (for|against) blue")
    )
    tab.get_by_role("button", name="Undo").click()
    expect(tab.locator(".side.none")).to_be_visible()


def test_a_file_and_a_notebook_show_the_same_views(drawings, picture, open_html, tmp_path):
    answer = seqloom.load(drawings)(str(picture))
    answer.plot(tmp_path / "seen.html")
    tab = open_html((tmp_path / "seen.html").read_text(encoding="utf-8"), 1200, 900, locale="en-US")
    expect(tab.locator(".word-card")).to_have_count(5)
    tab.locator('.word-card[data-at="t1"]').hover()
    expect(tab.locator(".panel.weave .sentence")).to_contain_text("blue looks most at row")
    assert "<iframe" in answer._repr_html_()


def test_what_it_got_wrong_is_seen_as_pictures_each_a_click_away(visit):
    tab = visit("#model=drawings&view=data&only=all", 375, locale="zh-CN")
    tab.locator("button.example img").first.wait_for()
    shown = tab.locator("button.example img").first.get_attribute("src")
    tab.locator("button.example").first.click()
    expect(tab.locator(".asked-picture")).to_have_attribute("src", str(shown))
    assert tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_a_large_photo_is_made_smaller_here_and_what_is_no_picture_is_said(visit, tmp_path):
    noise = Image.frombytes("RGB", (900, 700), Random(1).randbytes(900 * 700 * 3))
    noise.save(tmp_path / "large.png")  # 1.9 MB: more than the server takes
    (tmp_path / "none.png").write_text("no picture")
    tab = visit("#model=drawings", locale="en-US")
    first = str(tab.locator(".asked-picture").get_attribute("src"))
    tab.locator("input[type=file]").set_input_files(tmp_path / "none.png")
    expect(tab.locator(".trouble")).to_contain_text("no picture that the browser can read")
    tab.locator("input[type=file]").set_input_files(tmp_path / "large.png")
    expect(tab.locator(".asked-picture")).not_to_have_attribute("src", first)
    expect(tab.locator(".trouble")).to_be_hidden()
