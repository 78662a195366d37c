"""The figure of the whole model: which stages are joined by which values, and what its boxes open."""

import json
import re
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Page

from seqloom.equations import Part, equations
from seqloom.explaining.overview import joins, overview
from seqloom.explaining.walkthrough import Walkthrough, walkthrough
from seqloom.layers.embedding import Embedding
from seqloom.models.registry import names
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.stage import Example, Stage, StageExample
from seqloom.training.catalogue import untrained
from tests.comparing.test_structure import example_of
from tests.explaining.pages import area
from tests.models.seq2seq.test_seq2seq import made, settings
from tests.models.seq2seq.test_sources import PIXELS, WIDTH, Patches, V

WRITTEN = [2, 7, 5]
READ = ("", "w", "encoder")
ENDS = [("", "y", "decoder"), ("decoder", "p", "")]
ATTENDED, BRIDGED = ("encoder", "H", "decoder"), ("encoder", "H", "bridge")


def joined(stages: list[Stage]) -> set[tuple[str, str, str]]:
    with torch.no_grad():
        return set(joins(overview(stages, [stage.traces()[-1].results for stage in stages])))


def stages_of(name: str, **changes: object) -> list[Stage]:
    sizes = {"encoder_widths": [6], "decoder_widths": [6], "heads": 2}
    model = made(name=name, **{**sizes, **changes}).float()
    found: list[Stage] = model.stages(torch.tensor([[4, 9, 5, 11]]), WRITTEN)
    return found


def test_attention_reads_the_hidden_states_and_the_bridge_makes_the_first_state():
    assert joined(stages_of("rnn-attention")) == {READ, BRIDGED, ATTENDED, ("bridge", "s", "decoder"), *ENDS}


def test_a_transformer_has_no_bridge_and_counts_its_positions():
    assert joined(stages_of("transformer")) == {READ, ATTENDED, ("", "i", "decoder"), *ENDS}


def test_a_context_is_pooled_once_and_goes_into_every_bridge_and_every_step():
    found = joined(stages_of("encoder-decoder-every-step", bridge="all", decoder="lstm"))
    assert found == {
        READ, ("encoder", "H", "context"), *(("context", "h", to) for to in ("bridge, h", "bridge, c", "decoder")),
        ("bridge, h", "s", "decoder"), ("bridge, c", "s", "decoder"), *ENDS,
    }  # fmt: skip


def test_a_state_that_is_handed_on_comes_from_the_encoder():
    assert joined(stages_of("lstm-to-lstm")) == {READ, ATTENDED, *ENDS}


@pytest.mark.parametrize("name", names("caption"))
def test_a_captioner_reads_a_picture(name):
    _, _, network = untrained(name, "caption", [], 11)
    assert isinstance(network, Seq2Seq)
    found = joined(network.eval().stages(network.source.example(1, 4), WRITTEN))
    assert {("", "P", "encoder"), *ENDS} <= found
    made_by_bridges = {source for source, value, _ in found if value == "s"}
    made_from = {to for source, _, to in found if source in ("encoder", "context")}
    assert made_from - {"decoder", "context"} == made_by_bridges
    assert (ATTENDED in found) == network.attends


def test_a_source_of_somebodys_own_is_joined_by_its_own_names():
    config = settings(name="rnn-attention", bidirectional=False, decoder_widths=[WIDTH])
    model = Seq2Seq(config, Patches(), Embedding(V, WIDTH)).eval()
    found = joined(model.stages(torch.randn(1, 4, PIXELS), WRITTEN))
    assert found == {
        ("", "x", "patches"), ("patches", "y", "bridge"), ("patches", "y", "decoder"), ("bridge", "s", "decoder"), *ENDS
    }  # fmt: skip


@equations
def doubled(x):
    """Twice as much.

    x  (D)  a vector
    """
    return x + x


def test_a_stage_that_is_a_single_formula_gives_its_result():
    x = torch.randn(3)
    found = joined([Stage("one", Part(doubled), [{"x": x}]), Stage("two", Part(doubled), [{}], {"x": x + x})])
    assert found == {("", "x", "one"), ("one", "result", "two"), ("two", "result", "")}


def test_a_model_of_one_stage_has_no_figure_of_the_whole():
    (classifier,) = example_of("lstm", "model.widths=[6]").stages
    words = list("abcde")
    walk = walkthrough(Example("", [StageExample(classifier.stage, classifier.stage, words, words, words)]), "")
    assert walk.overview is None
    assert 'id="whole"' not in walk._repr_html_()


# --- on the page --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def translator() -> Walkthrough:
    *before, decoder = stages_of("rnn-attention")
    labels = list("abc")
    found = [StageExample(stage, stage, [], [], []) for stage in before]
    return walkthrough(Example("", [*found, StageExample(decoder, decoder, [], labels, labels)]), "")


def current(tab: Page) -> list[str]:
    """The box that is marked, the tab that is chosen, the part that is seen."""
    marked = tab.locator("#whole [aria-current] text").all_text_contents()
    return [*marked, *tab.locator("[role=tab][aria-selected=true]").all_inner_texts(),
            *(str(part.get_attribute("aria-label")) for part in tab.locator("[data-part]:visible").all())]  # fmt: skip


@pytest.mark.browser
def test_a_box_of_the_whole_model_opens_its_stage_by_mouse_and_keyboard(visit, translator):
    tab = visit(translator)
    assert current(tab) == ["decoder"] * 3
    tab.locator("#whole").get_by_role("button", name="Open encoder").click()
    assert current(tab) == ["encoder"] * 3
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert current(tab) == ["bridge"] * 3, "values between the boxes take no focus"
    tab.get_by_role("tab", name="decoder").click()
    assert current(tab) == ["decoder"] * 3


@pytest.mark.browser
def test_the_box_that_is_open_is_in_view_on_a_small_screen(visit, translator):
    tab = visit(translator, width=375)
    for name in ("encoder", "bridge", "decoder"):
        tab.get_by_role("tab", name=name).click()
        box = area(tab.locator("#whole [aria-current]"))
        assert box["x"] >= 0 and box["x"] + box["width"] <= 375, name


@pytest.mark.browser
def test_the_whole_model_is_saved_as_a_picture_and_as_a_table(visit, translator):
    tab = visit(translator)
    kept = {}
    for kind in ("SVG", "JSON"):
        tab.locator("#whole .save summary").click()
        with tab.expect_download() as saving:
            tab.locator("#whole .save button", has_text=kind).click()
        kept[kind] = Path(saving.value.path()).read_text(encoding="utf-8")
    assert {"encoder", "bridge", "decoder"} <= set(re.findall(r">(\w+)</text>", kept["SVG"]))
    assert {tuple(row.values()) for row in json.loads(kept["JSON"])} == set(joins(translator.overview))
