"""The studio without a mouse, from right to left, and with one model beside another."""

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def tab_to(tab: Page, selector: str) -> None:
    """With the Tab key alone, as far as it takes."""
    for _ in range(60):
        tab.keyboard.press("Tab")
        if tab.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"the Tab key does not lead to {selector}")


def test_the_keyboard_alone_is_enough(visit):
    tab = visit("#model=heads", locale="en-US")
    tab.locator(".panel.heads").wait_for()
    tab_to(tab, "textarea")
    tab.keyboard.press("Control+A")
    tab.keyboard.type("4 0 7")
    tab.keyboard.press("Enter")
    expect(tab.locator(".token[data-at^=s]")).to_have_count(4)
    tab_to(tab, ".token[data-at=s0]")
    tab.keyboard.press("ArrowRight")
    expect(tab.locator(".token[data-at=s1]")).to_be_focused()
    assert "0 is looked at most by" in str(tab.locator(".panel.weave .sentence").text_content())
    tab.keyboard.press("ArrowDown")  # across, to the strongest partner
    expect(tab.locator(".token[data-at^=t]:focus")).to_have_count(1)
    tab_to(tab, "button.candidate")
    tab.keyboard.press("Enter")
    expect(tab.locator(".answer .before")).to_be_visible()
    tab_to(tab, ".head .off")
    tab.keyboard.press("Space")
    expect(tab.locator(".head[data-off]")).to_have_count(1)
    tab_to(tab, ".panel summary")
    tab.keyboard.press("Enter")
    expect(tab.locator(".save[open]")).to_have_count(1)
    tab.keyboard.press("Escape")
    expect(tab.locator(".save[open]")).to_have_count(0)
    tab.keyboard.press("Control+Home")
    tab.evaluate("document.activeElement.blur()")
    tab_to(tab, "[data-view=whatif]")
    tab.keyboard.press("Enter")
    tab_to(tab, ".drops .word")
    tab.keyboard.press("Space")
    expect(tab.locator(".sides output")).to_have_count(2)
    expect(tab.locator(".drops .word[aria-pressed=true]")).to_be_focused()
    tab.locator(".panel.origin").wait_for()
    expect(tab.locator(".drops .word[aria-pressed=true]")).to_be_focused()  # also after what takes longer


def test_a_text_from_right_to_left_stands_from_right_to_left(visit):
    tab = visit("#model=words", locale="en-US")
    tab.get_by_label("Your text").fill("שלום עולם טוב")
    expect(tab.locator(".tags-text")).to_have_attribute("dir", "rtl")
    expect(tab.locator(".tagged bdi").first).to_have_text("שלום")
    boxes = [word.bounding_box() for word in tab.locator(".tagged").all()]
    assert [box["x"] for box in boxes if box] == sorted((box["x"] for box in boxes if box), reverse=True)
    tab.locator("[data-place=models]").select_option("mood")
    tab.get_by_label("Your text").fill("הסרט היה טוב מאוד")
    expect(tab.locator(".salience-text")).to_have_attribute("dir", "rtl")


def test_the_answer_row_of_a_right_to_left_source_begins_at_the_right(visit):
    tab = visit("#model=digits&text=%D8%B3%D9%84%D8%A7%D9%85+%D8%B9%D9%84%D9%8A%D9%83%D9%85", locale="en-US")
    tab.locator(".token[data-at=s1]").wait_for()
    first, second = (tab.locator(f".token[data-at=s{at}]").bounding_box() for at in (0, 1))
    rtl = tab.locator(".threads .row").first.get_attribute("data-rtl")
    assert first and second and (first["x"] > second["x"]) is (rtl is not None and rtl != "false")


def test_two_models_and_two_checkpoints_of_one_stand_side_by_side(visit):
    tab = visit("#text=1+2+3&view=whatif", locale="en-US")
    chosen, against = tab.locator("[data-place=models]"), tab.get_by_label("Answered by")
    against.select_option("heads")
    expect(tab.locator(".side h3")).to_have_text(["As it is", "By heads"])
    steps = [
        str(one)
        for one in chosen.locator("optgroup option[value^='heads@']").evaluate_all("all => all.map(one => one.value)")
    ]
    assert len(steps) == 3
    chosen.select_option(steps[-1])  # the first checkpoint
    tab.get_by_label("Your text").fill("1 2 3")
    against.select_option(steps[0])  # the last one
    expect(tab.locator(".side h3").nth(1)).to_have_text("By heads, step 60")
    expect(tab.locator(".sides output")).to_have_count(2)
    expect(tab.locator(".panel.whatif .sentence")).to_have_text(re.compile("The answer (turns from .* into|stays) .*"))
    assert f"model={steps[-1]}".replace("@", "%40") in tab.url and f"against={steps[0]}".replace("@", "%40") in tab.url
    again = visit(tab.url[tab.url.index("#") :], locale="en-US")
    turned = again.locator(".panel.whatif .sentence", has_text=re.compile("The answer (turns from .* into|stays) .*"))
    said = str(turned.text_content())
    expect(tab.locator(".panel.whatif .sentence")).to_have_text(said)  # it may still be about the text before


def test_the_temperature_is_set_by_a_slider_and_what_is_drawn_is_drawn_again(visit):
    tab = visit("#model=song&text=re&temperature=1.2", locale="en-US")
    slider = tab.get_by_label("Temperature")
    first = str(tab.locator(".answer output").text_content())
    tab.get_by_role("button", name="Draw again").click()
    expect(tab.locator(".answer output")).not_to_have_text(first)
    assert "seed=1" in tab.url
    slider.focus()
    tab.keyboard.press("Home")
    expect(tab.locator(".temperature output")).to_have_text("always the most probable")
    expect(tab.get_by_role("button", name="Draw again")).to_have_count(0)
    assert "temperature=0" in tab.url
