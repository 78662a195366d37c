"""What a person sees of a run: live lines in a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from seqloom.evaluating.tables import metric_text
from seqloom.training.durations import format_duration
from seqloom.training.settings import TrainConfig
from seqloom.training.throughput import Throughput

WIDEST_BAR = 40
LONGEST_SAMPLE = 160
"""Characters of a sample answer that are shown."""
PER_SECOND = 4
"""How often the live lines are drawn."""
WORTH_SAYING = 0.25
"""The share by which the number of steps must change to be said again: on a busy machine it does so all the time."""
SECONDS_APART = 5.0
"""Elsewhere than in a terminal: the time between two lines of steps, for a log or a notebook is soon full of them."""


class Display:
    """Shows steps as they come. Elsewhere than in a terminal no line is ever broken, so that logs stay readable."""

    def __init__(
        self,
        config: TrainConfig,
        first_step: int,
        *,
        predicts_tokens: bool = False,
        console: Console | None = None,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.steps, self.quiet, self.predicts_tokens = config.steps, quiet, predicts_tokens
        self.told_steps = config.steps
        self.smoothed = config.label_smoothing > 0 or config.r_drop > 0
        self.console = console or Console(stderr=True)
        self.throughput = Throughput(config.steps, config.evaluate_every)
        self.done, self.tokens = first_step, 0
        self.now: list[str] = []
        self.last_score: list[str] = []
        self.clock, self.last_line = clock, -math.inf
        self.live: Live | None = None
        if self.console.is_terminal and not self.console.is_dumb_terminal and not quiet:
            self.live = Live(
                get_renderable=self.panel, console=self.console, refresh_per_second=PER_SECOND, transient=True
            )
            self.live.start()

    def begin(self, tokens: int) -> None:
        """Before every step: so many tokens were read so far."""
        self.tokens = tokens
        self.throughput.begin()

    def step(self, step: int, tokens: int) -> None:
        """After every step."""
        self.throughput.end(tokens - self.tokens)
        self.done = step

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Every logged step: its metrics. The loss is the mean since the last line; so is the speed."""
        loss = float(values["loss"])
        self.now = [f"epoch {values['epoch']:.2f}", f"loss {loss:.4f}"]
        if self.predicts_tokens and not self.smoothed:  # the exponential of a smoothed loss is no perplexity
            self.now.append(f"ppl {perplexity(loss)}")
        self.now.append(f"{self.throughput.lap():,.0f} tokens/s")
        if self.live is None and self.clock() >= self.last_line + SECONDS_APART:
            self.last_line = self.clock()
            left = f"{format_duration(self.throughput.left(step))} left"
            self.say("  ".join([f"step {step:,}/{self.steps:,}", *self.now, left]))

    def evaluated(self, step: int, metrics: Mapping[str, float], *, best: bool, sample: str) -> None:
        """The metrics on validation data, if there is any, and a sample answer."""
        self.throughput.evaluation()
        if metrics:
            self.last_score = [f"{name} {metric_text(value)}" for name, value in metrics.items()]
            if self.predicts_tokens and "loss" in metrics and "perplexity" not in metrics:
                self.last_score.append(f"ppl {perplexity(metrics['loss'])}")
            noted = ["(best so far)"] if best else []
            self.say_parts([f"step {step:,}  valid:", *self.last_score, *noted])
        if sample:
            shown = "".join(c if c.isprintable() else " " for c in sample)
            self.say(f"    {shown if len(shown) <= LONGEST_SAMPLE else f'{shown[:LONGEST_SAMPLE]} ...'}", cut=True)

    def replan(self, steps: int, budget: str) -> None:
        """So many steps fit into a budget now; said if it is quite another number than was said last."""
        self.steps = self.throughput.steps = steps
        if abs(steps - self.told_steps) > WORTH_SAYING * self.told_steps:
            self.say(f"{'fewer' if steps < self.told_steps else 'more'} steps fit into {budget}: {steps:,}")
            self.told_steps = steps

    def say(self, text: str, *, cut: bool = False) -> None:
        """A line that stays; in a terminal a long one is cut or goes on below."""
        if self.quiet:
            return
        if self.live is None:
            self.console.print(Text(text), soft_wrap=True)
        else:
            self.console.print(Text(text, no_wrap=cut, overflow="ellipsis" if cut else "fold"))

    def say_parts(self, parts: Sequence[str]) -> None:
        """Metrics on a line; in a terminal on as many as they need, none of them broken."""
        width = math.inf if self.live is None else self.console.width - 1
        for line in lines_of(parts, width):
            self.say(line)

    def panel(self) -> Group:
        """The live lines, drawn for the width that the terminal has now."""
        width = self.console.width - 1  # some terminals break a line that fills them
        head = f"{self.done:,}/{self.steps:,}"
        tail = f"{self.done / self.steps:4.0%}  {format_duration(self.throughput.left(self.done))} left"
        bar = Table.grid(padding=(0, 1))
        room = width - len(head) - len(tail) - 3
        bar.add_row(
            Text(head, style="bold"),
            ProgressBar(self.steps, self.done, width=max(min(room, WIDEST_BAR), 1)),
            Text(tail, no_wrap=True),
        )
        shown = [self.now, ["valid:", *self.last_score] if self.last_score else []]
        lines = (next(lines_of(parts, width)) for parts in shown if parts)
        return Group(bar, *(Text(line, no_wrap=True, overflow="ellipsis") for line in lines))

    def close(self) -> None:
        if self.live is not None:
            self.live.stop()
            self.live = None


def perplexity(loss: float) -> str:
    """The perplexity of a mean loss."""
    return f"{math.exp(loss):,.2f}" if loss < 20 else "> 1e8"


def lines_of(parts: Sequence[str], width: float) -> Iterator[str]:
    """Parts with two spaces between them, on lines that are not wider; the second begins with spaces.

    >>> list(lines_of(["loss 1.25", "accuracy 0.5", "f1 0.4"], 24))
    ['loss 1.25  accuracy 0.5', '    f1 0.4']
    """
    line = parts[0]
    for part in parts[1:]:
        if cell_len(line) + 2 + cell_len(part) > width:
            yield line
            line = f"    {part}"
        else:
            line = f"{line}  {part}"
    yield line
