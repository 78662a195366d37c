"""Five hundred tokens: what is drawn while somebody points is what belongs to one token, and frames keep coming."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
TOKENS = 500
MOVES = 40
COUNT = """() => {
  window.drawn = { curves: 0, texts: 0, images: 0, canvases: 0 };
  const pen = CanvasRenderingContext2D.prototype;
  const counted = { bezierCurveTo: "curves", fillText: "texts", drawImage: "images", clearRect: "canvases" };
  for (const [method, name] of Object.entries(counted)) {
    const plain = pen[method];
    pen[method] = function (...given) { window.drawn[name] += 1; return plain.apply(this, given); };
  }
  window.frames_ = [];
  const frame = (now) => { window.frames_.push(now); requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""


@pytest.fixture
def long(visit) -> Page:
    """A text that is as long as any that is looked at."""
    text = "+".join(str(number % 10) for number in range(TOKENS - 1))
    tab: Page = visit(f"#model=heads&text={text}", locale="en-US")
    expect(tab.locator(".token[data-at^=s]")).to_have_count(TOKENS)
    return tab


def test_pointing_draws_one_token_and_frames_keep_coming(long, record_property):
    long.wait_for_timeout(500)  # what was drawn at first is done
    session = long.context.new_cdp_session(long)
    session.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})  # of the processor, whoever else runs
    session.send("Performance.enable")

    def seconds() -> float:
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return float(metrics["ScriptDuration"] + metrics["LayoutDuration"] + metrics["RecalcStyleDuration"])

    box = long.locator(".threads").bounding_box()
    assert box is not None
    long.mouse.move(box["x"] + 20, box["y"] + 20)
    long.evaluate(COUNT)
    before = seconds()
    pointed = set()
    for move in range(MOVES):
        long.mouse.move(box["x"] + 20 + move * (box["width"] - 40) / MOVES, box["y"] + 20)
        pointed.update(
            long.evaluate("[...document.querySelectorAll('.token[aria-pressed=true]')].map(one => one.dataset.at)")
        )
    milliseconds = 1000 * (seconds() - before) / MOVES
    drawn = long.evaluate("window.drawn")
    frames = long.evaluate("window.frames_")
    rate = 1000 * (len(frames) - 1) / (frames[-1] - frames[0])
    record_property("script and layout a move", f"{milliseconds:.2f} ms")
    record_property("frames a second", f"{rate:.0f}")
    print(f"{milliseconds:.2f} ms of script, style and layout a move; {rate:.0f} frames a second")
    assert len(pointed) > MOVES / 4  # the page followed
    assert drawn["texts"] == drawn["images"] == 0  # neither the matrix nor the labels are drawn again
    assert drawn["curves"] <= MOVES * TOKENS  # the threads of one token at most, not all of 250,000
    assert drawn["canvases"] <= 3 * MOVES
    assert len(frames) > 1


def test_a_long_text_is_pooled_and_said_so_and_stays_inside_its_panel(long):
    expect(long.locator(".panel.matrix .sentence")).to_contain_text("Each row sums to 1")
    long.set_viewport_size({"width": 375, "height": 800})
    expect(long.locator(".panel.matrix .sentence")).to_contain_text("Pooled by maximum")
    assert long.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    canvases = long.evaluate("[...document.querySelectorAll('.threads canvas')].map(one => one.width * one.height)")
    assert max(canvases) < 4_000_000  # what is in view, not all of it
