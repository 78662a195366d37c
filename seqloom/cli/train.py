"""`seqloom train`: from a file of text to a trained model in a folder."""

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom train --task classify --data reviews.tsv --model lstm --out runs/reviews",
    "seqloom train --task classify --data reviews.tsv --out runs/reviews --resume",
    "seqloom train --task classify --data reviews.tsv --model cnn --out runs/cnn --set train.steps=500",
]


def train(
    config: Annotated[Path | None, typer.Argument(help="A configuration file (TOML).")] = None,
    task: Annotated[str | None, typer.Option(help="What the model does: classify.")] = None,
    data: Annotated[str | None, typer.Option(help="Training data: a file, a pattern, a folder.")] = None,
    model: Annotated[str | None, typer.Option(help="The architecture, as lstm, cnn or transformer.")] = None,
    out: Annotated[Path, typer.Option(help="The folder of the run.")] = Path("run"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the newest sound checkpoint in --out.")] = False,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, mps, auto.")] = None,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change one setting.")] = [],
) -> None:
    """Train a model and keep its best checkpoint."""
    from seqloom.cli.console import console
    from seqloom.training.run import train as run
    from seqloom.training.run_config import load_run

    settings = load_run(config, set_, task=task, data__train=data, model__name=model, train__device=device)
    try:
        result = run(settings, out, resume=resume)
    except KeyboardInterrupt:
        console.print(f"\nSaved. Go on with the same command and --resume: {out}", highlight=False)
        raise typer.Exit(130) from None
    console.print(result.summary(), highlight=False, markup=False)
