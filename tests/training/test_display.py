"""What a person sees of a run."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from seqloom.training.display import Display
from seqloom.training.settings import TrainConfig
from seqloom.training.throughput import Throughput

FIGURES = {
    "loss": 1.8123,
    "bits_per_character": 2.61234,
    "bits_per_token": 2.61234,
    "accuracy": 0.4567,
    "macro_f1": 0.4,
}


class Clock:
    """Time that goes by when it is told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_pace_is_that_of_the_last_steps_without_evaluations():
    clock = Clock()
    pace = Throughput(steps=100, evaluate_every=10, clock=clock)
    for step in range(1, 21):
        pace.begin()
        clock.now += 2.0 if step <= 10 else 0.5
        pace.end(tokens=30)
        if step == 10:
            assert pace.lap() == pytest.approx(15)
            pace.evaluation()
            clock.now += 40
    assert pace.lap() == pytest.approx(60), "neither the slow steps before nor the evaluation count"
    assert pace.evaluation_time == pytest.approx(40)
    assert pace.left(20) == pytest.approx(80 * pace.step_time + 8 * 40)
    assert 0.5 < pace.step_time < 2.0


def shown(*, width, terminal, predicts_tokens=True, sample="", seconds=60, **settings) -> str:
    """A run of three logged steps and an evaluation, as it is written out."""
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=terminal, width=width, color_system=None, _environ={"TERM": "xterm"})
    config = TrainConfig(steps=123_456, **settings)
    clock = Clock()
    display = Display(config, 119_000, predicts_tokens=predicts_tokens, console=console, clock=clock)
    display.say("1,234 pairs are longer than 256 tokens and left out")
    for step in (119_010, 119_020, 119_030):
        clock.now += seconds
        display.begin(1_000 * step)
        display.step(step, 1_000 * step + 700)
        display.log(step, {"loss": 2.0794415, "epoch": 12.345})
        if display.live is not None:
            display.live.refresh()
    display.evaluated(119_030, FIGURES, best=True, sample=sample)
    display.close()
    return stream.getvalue()


def rows_of(text: str) -> list[str]:
    """What stood on each row of a terminal, without the codes that move the cursor."""
    return re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_is_wider_than_the_terminal(width):
    text = shown(width=width, terminal=True, sample="早上好 " * 60 + "\x1b[31m\n\t[bold]x")
    rows = rows_of(text)
    assert max(cell_len(row.rstrip()) for row in rows) <= width
    assert "119,030/123,456" in text
    assert "accuracy 0.4567" in text and "macro_f1 0.4" in text, "no figure is broken"
    assert "\x1b[31m" not in text, "a sample cannot paint the terminal"


def test_the_live_lines_say_where_the_run_is():
    rows = rows_of(shown(width=120, terminal=True))
    assert any(re.match(r"119,030/123,456 ━+.* 96%  \d+:\d\d left", row) for row in rows)
    assert any(re.match(r"epoch 12.35  loss 2.0794  ppl 8.00  [\d,]+ tokens/s *$", row) for row in rows)
    assert any(row.startswith("valid:  loss 1.812") for row in rows)


def test_a_log_has_one_line_for_everything_and_breaks_none():
    lines = shown(width=80, terminal=False, sample="word " * 50).splitlines()
    assert len(lines) == 6
    assert re.fullmatch(
        r"step 119,010/123,456  epoch 12.35  loss 2.0794  ppl 8.00  [\d,]+ tokens/s  \d+:\d\d left", lines[1]
    )
    assert lines[4].startswith("step 119,030  valid:  loss 1.812") and lines[4].endswith("ppl 6.12  (best so far)")
    assert lines[5] == "    " + "word " * 32 + " ..."


def test_a_log_of_quick_steps_has_a_line_every_few_seconds():
    lines = shown(width=80, terminal=False, seconds=3).splitlines()
    assert [line.split("/")[0] for line in lines if "left" in line and "tokens/s" in line] == [
        "step 119,010",
        "step 119,030",
    ]


@pytest.mark.parametrize("settings", [{"predicts_tokens": False}, {"label_smoothing": 0.1}])
def test_perplexity_is_shown_only_where_it_means_something(settings):
    lines = shown(width=80, terminal=False, **settings).splitlines()
    assert "ppl" not in lines[1]
    assert ("ppl" in lines[4]) == ("predicts_tokens" not in settings), "the loss of validation data is never smoothed"


def test_a_long_sample_is_shown_in_part():
    screen = io.StringIO()
    display = Display(TrainConfig(), 0, console=Console(file=screen, width=80))
    display.evaluated(10, {}, best=False, sample="word " * 500)
    assert len(screen.getvalue()) < 200
    assert screen.getvalue().rstrip().endswith("...")


def test_a_plan_that_hardly_changes_is_not_told_again():
    screen = io.StringIO()
    display = Display(TrainConfig(steps=100), 0, console=Console(file=screen, width=80))
    for steps in (110, 90, 120, 130, 120, 90):
        display.replan(steps, "8s")
        assert display.steps == steps
    assert screen.getvalue() == "more steps fit into 8s: 130\nfewer steps fit into 8s: 90\n"
