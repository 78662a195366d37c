"""`seqloom demo`: the first thing to see. A translator learns to read dates as people write them."""

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from seqloom.tasks.translate.answers import Translation
    from seqloom.training.model import Model

EXAMPLES = ["seqloom demo", "seqloom demo --out dates"]
SETTINGS: dict[str, Any] = {
    "task": "translate",
    "data": {"train": "embedded:dates"},
    "tokens": {"kind": "character", "joint": False},
    "model": {
        "name": "rnn-attention", "embedding": 64, "encoder_widths": [128], "decoder_widths": [128], "hidden": 128,
        "length": 64,
    },
    "train": {
        "steps": 400, "batch_tokens": 8000, "learning_rate": 0.004, "schedule": "cosine", "warmup_steps": 50,
        "evaluate_every": 100, "checkpoint_every": 100, "log_every": 15, "choose": False, "baseline": False,
    },
    "translate": {"measure": "exact"},
}  # fmt: skip
"""Characters in, characters out, with attention between them: at most four minutes on two cores."""
SHOWN = 8
"""Dates that are printed."""
UNFAMILIAR = ("Sonntag, 3. Mai 2020", "the 3rd of May, 2020", "3/V/2020", "3 maj 2020", "next Tuesday")
"""Date formats; all but the first are not in the training data."""


def demo(out: Annotated[Path, typer.Option(help="The folder of the run.")] = Path("demo")) -> None:
    """Train a model that reads dates in thirteen languages, and see what it does."""
    from seqloom.cli.console import console
    from seqloom.training.loading import load
    from seqloom.training.run import train
    from seqloom.training.run_config import check_run

    console.print(
        "Dates as people write them in thirteen languages, and the same dates in ISO 8601: 40,000 pairs from Babel's "
        "locale data. A recurrent network with attention learns to read them, character by character.\n",
        highlight=False,
    )
    result = train(check_run(SETTINGS, where="demo"), out, resume=True)
    console.print(result.summary(), "", sep="\n", highlight=False, markup=False)
    show(load(out), out)


def show(model: "Model", out: Path) -> None:
    """Test dates right and wrong, attention weights, unfamiliar formats, and what to try next."""
    from rich.markup import escape

    from seqloom.attention.terminal import TerminalHeatmap
    from seqloom.cli.console import console
    from seqloom.data.source import open_source

    pairs = [
        (str(r.columns["source"]), str(r.columns["target"])) for r in open_source("embedded:dates", task="translate")
    ]
    answers: list[Translation] = model([source for source, _ in pairs], beam=1, attention=False)
    right = [answer.text == target for answer, (_, target) in zip(answers, pairs, strict=True)]
    wrong = [place for place, ok in enumerate(right) if not ok]
    console.print(f"Of {len(pairs):,} dates of the test set:")
    for place in sorted([*wrong[:2], *range(SHOWN - len(wrong[:2]))]):
        mark = "[green]✓[/green]" if right[place] else f"[red]✗[/red] [dim](it is {pairs[place][1]})[/dim]"
        console.print(f"  {escape(pairs[place][0]):36} {answers[place].text}  {mark}", highlight=False)
    console.print(f"\nexact match {100 * sum(right) / len(right):.1f} %", highlight=False)
    console.print("\nAttention weights (columns: what it read, rows: what it wrote):\n")
    longest = max((source for source, _ in pairs[:50] if len(source) <= 20), key=len)
    seen = model(longest, beam=1).attention
    if seen is not None:
        console.print(TerminalHeatmap(seen))
    console.print("\nFormats that were not in the training data, and how sure it is:")
    for text in UNFAMILIAR:
        answer = model(text, beam=1, attention=False)
        console.print(f"  {text:36} {answer.text}  [dim]{100 * answer.certainty:.0f} %[/dim]", highlight=False)
    seqloom = command()
    console.print(
        f'\nNext:\n  {seqloom} predict {out} "4 juillet 1976" --attention -\n'
        f'  {seqloom} explain {out} "4 juillet 1976" --html explained.html\n'
        f"  {seqloom} serve {out}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


def command() -> str:
    """How this command is reached from here: by name, or by its path where no environment is active."""
    called = Path(sys.argv[0])
    return "seqloom" if shutil.which("seqloom") or called.name != "seqloom" else os.path.relpath(called)
