"""What the tests of pages share: examples, and ways to find things on a page."""

from collections.abc import Callable

import torch
from playwright.sync_api import FloatRect, Locator, Page

from seqloom.explaining.catalogue import find
from seqloom.explaining.explanation import Explanation, explain_definition
from seqloom.explaining.panels import BarChart, Experiment, HeatMap, LineChart, Series, Table
from seqloom.explaining.values import Value, value_of

Visit = Callable[..., Page]

HOSTILE = ["<script>alert(1)</script>", "\"&'", "</script><img src=x onerror=alert(2)>", "<b>bold</b>"]
PANES = ["figure", "formula", "code"]
LARGE = value_of(torch.linspace(-1, 1, 80 * 60).reshape(80, 60))
EXPERIMENT = Experiment(
    name="reach",
    title="Reach",
    question="How far does it reach?",
    text=["As far as `lstm` goes.", "1 < 2 & 3"],
    panels=[
        LineChart("Gradient", "distance", "size", [
            Series("plain", [0, 10, 20], [1.0, 0.01, 0.0001]), Series("gated", range(0, 30, 10), [1.0, 0.5, 0.25]),
        ], y_scale="log"),
        BarChart("Parts", "numbers", ["words", "gates"], [("small", [10, 20]), ("large", [30, 60])], stacked=True),
        HeatMap("Shares", value_of(torch.tensor([[0.25, 0.75], [1.0, 0.0]]), ["a", "b"], ["c", "d"])),
        HeatMap("Heads", value_of(torch.arange(12.0).reshape(2, 2, 3) - 5.5)),
        HeatMap("Large", LARGE),
        Table("Scores", ["layer", "score"], [["lstm", "99.1 %"], ["<i>gru</i>", "98.0 %"]]),
    ],
)  # fmt: skip


def example(name: str, sentence: str = "the cat sat down") -> Explanation:
    return explain_definition(find(name), sentence)


def place(tab: Page, pane: str, id: str) -> Locator:
    """The places of an id in a pane of the view that is open."""
    return tab.locator(f'article:not([hidden]) .{pane} [data-id="{id}"]')


def area(locator: Locator) -> FloatRect:
    found = locator.bounding_box()
    assert found, "it is drawn"
    return found


def lit(tab: Page, pane: str) -> set[str]:
    """The ids that are lit in a pane of the view that is open."""
    found = tab.locator(f"article:not([hidden]) .pane.{pane} [data-id][data-lit]").all()
    return {str(place.get_attribute("data-id")) for place in found}


def row(tab: Page) -> list[str]:
    """The numbers shown for this moment."""
    marked = tab.locator("#value tr.marked td")
    return (marked if marked.count() else tab.locator("#value tbody td")).all_inner_texts()


def two_digits(value: Value) -> list[str]:
    return [f"{number:.2f}".replace("-", "−") for number in value.data if number is not None]
