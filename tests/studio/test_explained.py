"""What a page says to somebody who sees it for the first time: keys, names, sentences, and that it is at work."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Route, expect

pytestmark = pytest.mark.browser


def test_a_page_says_that_the_model_is_loading_until_there_is_an_answer(new_page, running):
    held: list[Route] = []
    tab = new_page(locale="en-US")
    tab.route("**/api/inspect", lambda route: held.append(route))
    tab.goto(f"{running.url}/#model=digits")
    expect(tab.locator(".waiting")).to_have_text("the model is loading …")
    expect(tab.locator(".question .arrow")).to_be_hidden()
    held[0].continue_()
    tab.locator(".panel.weave").wait_for()
    expect(tab.locator(".waiting")).to_have_count(0)
    expect(tab.locator(".question .arrow")).to_be_visible()


def test_a_link_into_the_tour_of_a_checkpoint_speaks_of_its_task(visit, moods):
    kept = max(int(one.name.partition("-")[2]) for one in (moods.folder / "checkpoints").iterdir())
    tab = visit(f"#model=moods%40{kept}&tour=2", locale="en-US")  # known only once the runs have been read
    expect(tab.locator(".tour h2")).to_have_text("Which words mattered")
    expect(tab.locator(".panel.salience")).to_have_attribute("data-toured", "")


def test_every_scale_says_what_it_measures(visit):
    tab = visit("#model=digits", locale="en-US")
    tab.locator(".panel.strips").wait_for()
    for panel, said in {"weave": "attention weight", "matrix": "attention weight", "strips": "gates"}.items():
        expect(tab.locator(f".panel.{panel} .scale-key").first).to_contain_text(said)
    tab.goto(f"{tab.url.partition('#')[0]}#model=mood")
    expect(tab.locator(".panel.salience .scale-key")).to_have_text("againstfor")
    tab.goto(f"{tab.url.partition('#')[0]}#model=digits&view=whatif")
    expect(tab.locator(".panel.origin .scale-key")).to_contain_text("log-odds gained")


def test_only_labels_that_are_wider_than_their_column_are_turned(visit):
    tab = visit("#model=digits&text=1+2+3+4+5+6+7+8+9+1+2+3", width=375, locale="en-US")
    menu = tab.locator(".panel.matrix .save")
    menu.locator("summary").click()
    with tab.expect_download() as saving:
        menu.get_by_role("button", name="SVG").click()
    drawn = ElementTree.fromstring(Path(saving.value.path()).read_bytes())
    turned = [node.text for node in drawn.iter() if node.get("transform", "").startswith("rotate(-90")]
    assert turned == ["<eos>"]


def test_heads_stand_under_the_name_of_their_layer_until_they_are_ranked(visit):
    tab = visit("#model=heads", locale="en-US")
    expect(tab.locator(".head-grid .layer h3")).to_have_text(["layer 1"])
    expect(tab.locator(".head-grid .layer .head")).to_have_count(2)
    tab.get_by_role("button", name="sharpest first").click()
    expect(tab.locator(".head-grid .layer")).to_have_count(0)
    sharp = [float(text) for text in tab.locator(".head .sharp").all_text_contents()]
    assert sharp == sorted(sharp, reverse=True) and len(sharp) == 2


def test_a_first_token_that_can_see_but_one_is_not_what_the_sentence_is_about(visit):
    tab = visit("#model=heads&text=1+2+3&prefix=5.6.7&group=decoder", locale="en-US")
    expect(tab.locator(".panel.weave .sentence")).to_have_text(re.compile(r"looks most at .+, 0\.\d\d"))


def test_beam_search_is_drawn_to_the_end_of_the_answer(visit):
    tab = visit("#model=digits&text=4+0+7", locale="en-US")
    menu = tab.locator(".panel.tree .save")
    menu.locator("summary").click()
    with tab.expect_download() as saving:
        menu.get_by_role("button", name="CSV").click()
    rows = [line.split(",") for line in Path(saving.value.path()).read_text(encoding="utf-8").splitlines()[1:]]
    assert [row[2] for row in rows if row[5] == "true"] == ["four", "zero", "seven", "<eos>"]
    expect(tab.locator(".panel.tree .sentence")).to_contain_text("4 hypotheses are followed side by side")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_every_view_can_be_reached_on_a_phone_without_scrolling(visit, locale):
    tab = visit("#model=digits", width=375, locale=locale)
    assert tab.locator(".top-bar nav").evaluate("nav => nav.scrollWidth - nav.clientWidth") == 0


def test_what_if_leaves_nothing_to_chance(visit):
    tab = visit("#model=song&view=whatif", locale="en-US")
    expect(tab.locator(".panel.whatif .hint")).to_contain_text("most probable")
    answer = str(tab.locator(".sides output").text_content())
    drawn = visit("#model=song&view=whatif&temperature=2&seed=3", locale="en-US")
    expect(drawn.locator(".sides output")).to_have_text(answer)


def test_the_card_of_the_tour_does_not_lie_over_what_it_speaks_of(visit):
    tab = visit("#model=digits&text=4+0+7", width=375, locale="en-US", reduced_motion="reduce")
    tab.get_by_role("button", name="Tour").click()
    for step in ("2 of 5", "3 of 5"):
        tab.get_by_role("button", name="Next", exact=True).click()
        expect(tab.locator(".tour .count")).to_have_text(step)
        tab.locator(".panel[data-toured]").wait_for()
        shown = tab.locator(".panel[data-toured] canvas").first.bounding_box()
        card = tab.locator(".tour").bounding_box()
        assert shown and card and shown["y"] >= 0 and shown["y"] + 100 < card["y"]


def test_a_run_that_ended_early_is_as_done_as_any_and_says_where_it_ended(visit):
    tab = visit("#model=digits", locale="en-US")

    def early(route: Route) -> None:
        answer = route.fetch()
        found = answer.json()
        for run in found["runs"]:
            run |= {"status": "finished", "step": 72, "steps": 100}
        route.fulfill(response=answer, json=found)

    tab.route("**/api/runs", early)
    tab.get_by_role("button", name="Runs").click()
    expect(tab.locator(".run-card .far").first).to_have_text("ended at step 72 of 100")
    expect(tab.locator(".run-bar").first).to_have_attribute("aria-valuenow", "100")
    expect(tab.locator(".run-card .status").first).to_have_text("finished")


def test_samples_are_those_of_the_model_that_is_chosen(visit):
    tab = visit("#model=heads&view=runs", locale="en-US")
    expect(tab.locator(".panel.samples [aria-pressed=true]")).to_have_text("heads")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_on_a_phone_the_time_stands_beside_the_model_and_saving_beside_the_title(visit, locale):
    tab = visit("#model=drawings", width=375, locale=locale)
    middle = "one => { const box = one.getBoundingClientRect(); return (box.top + box.bottom) / 2 }"
    beside = [(".took", '[data-place="models"]'), (".panel.weave .save summary", ".panel.weave h2")]
    for one, other in beside:
        places = [tab.locator(each).first.evaluate(middle) for each in (one, other)]
        assert abs(places[0] - places[1]) < 12, (one, other)


def test_a_token_that_was_not_the_most_probable_says_which_was(visit):
    tab = visit("#model=digits&text=4+0+7&prefix=4", locale="en-US")  # not what it would have written
    while tab.get_by_role("button", name="Previous token").is_enabled():
        tab.get_by_role("button", name="Previous token").click()
    expect(tab.locator(".panel.steps .sentence")).to_contain_text("more probable was")
