"""What a person sees of a run: a live panel in a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn


@dataclass
class Pace:
    """How fast a run goes, by the clock of this process."""

    began: float
    first_step: int
    tokens: int = 0

    def per_second(self) -> float:
        return self.tokens / max(time.monotonic() - self.began, 1e-9)

    def left(self, step: int, steps: int) -> float:
        """Seconds to go, at the pace so far."""
        done = step - self.first_step
        return (time.monotonic() - self.began) / done * (steps - step) if done else math.nan


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(3725), duration(75), duration(8)
    ('1:02:05', '1:15', '0:08')
    """
    if math.isnan(seconds):
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Display:
    """Shows steps as they come. Plain lines when the output is no terminal, so that logs stay readable."""

    def __init__(self, steps: int, first_step: int, console: Console | None = None, *, quiet: bool = False) -> None:
        self.steps, self.quiet = steps, quiet
        self.console = console or Console(stderr=True)
        self.pace = Pace(time.monotonic(), first_step)
        self.score = ""
        self.bar: Progress | None = None
        if self.console.is_terminal and not quiet:
            columns = (
                TextColumn("[bold]{task.completed:,}[/bold]/{task.total:,}"),
                BarColumn(24),
                TextColumn("{task.description}"),
            )
            self.bar = Progress(*columns, console=self.console)
            self.bar.start()
            self.task = self.bar.add_task("", total=steps, completed=first_step)

    def step(self, step: int, tokens: int) -> None:
        """Every step: count, and move the bar."""
        self.pace.tokens += tokens
        if self.bar is not None:
            self.bar.update(self.task, completed=step)

    def log(self, step: int, values: dict[str, Any]) -> None:
        """Every logged step: the figures."""
        loss = float(values["loss"])
        perplexity = f"  ppl {math.exp(loss):,.2f}" if loss < 20 else ""
        text = (
            f"epoch {values['epoch']:.2f}  loss {loss:.4f}{perplexity}  "
            f"{self.pace.per_second():,.0f} tokens/s  {duration(self.pace.left(step, self.steps))} left"
        )
        if self.bar is not None:
            self.bar.update(self.task, description=f"{text}  {self.score}")
        else:
            self.say(f"step {step:,}/{self.steps:,}  {text}")

    def evaluated(self, step: int, figures: dict[str, float], *, best: bool, sample: str) -> None:
        self.score = "  ".join(f"{name} {value:.4g}" for name, value in figures.items())
        self.say(f"step {step:,}  valid: {self.score}{'  (best so far)' if best else ''}")
        if sample:
            self.say(f"    {sample}")

    def say(self, text: str) -> None:
        if not self.quiet:
            self.console.print(text, highlight=False, markup=False)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()
            self.bar = None
