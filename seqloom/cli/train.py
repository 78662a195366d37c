"""`seqloom train`: from a file of text to a trained model in a folder."""

import os
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom train --task classify --data reviews.tsv --model lstm --out runs/reviews",
    "seqloom train --resume runs/reviews",
    "seqloom train --task classify --data reviews.tsv --model cnn --out runs/cnn --set train.steps=500",
    "seqloom train --task classify --data reviews.tsv --out runs/quick --epochs 3 --lr 0.003 --batch 2000",
    "seqloom train --teacher runs/reviews --data reviews.tsv --model cnn --out runs/student",
    "seqloom train --data embedded:names --out runs/names",
]


def train(
    config: Annotated[
        Path | None, typer.Argument(help="A configuration file (TOML); with --resume, the folder of a run.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help="classify, tag, generate, translate, caption, your own as package.module:Name; embedded data says it."
        ),
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="Training data: a file, a pattern, a folder, or embedded:NAME.")
    ] = None,
    valid: Annotated[
        str | None, typer.Option(help="Validation data; by default found beside the training data, or split off.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The architecture; `seqloom summary` lists them.")] = None,
    teacher: Annotated[
        str | None, typer.Option(help="A trained model to learn from: the folder of its run, or a pack.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder of the run.")] = Path("run"),
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the folder, with the settings it has.")
    ] = False,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, mps, auto.")] = None,
    steps: Annotated[int | None, typer.Option(help="Optimizer steps in total.")] = None,
    budget: Annotated[str | None, typer.Option(help="Time to train for, as 45m or 1h30m, instead of --steps.")] = None,
    epochs: Annotated[float | None, typer.Option(help="Passes over the training data, instead of --steps.")] = None,
    lr: Annotated[float | None, typer.Option("--lr", help="The highest learning rate.")] = None,
    batch: Annotated[int | None, typer.Option(help="Tokens in a batch, padding among them.")] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="With --resume: go on with a run that somebody else began.")
    ] = False,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change one setting.")] = [],
) -> None:
    """Train a model and keep its best checkpoint."""
    from seqloom.cli.console import console
    from seqloom.errors import SeqloomError
    from seqloom.training.checkpoint import FOLDER
    from seqloom.training.run import train as run
    from seqloom.training.run_config import load_run
    from seqloom.training.run_folder import settings_of
    from seqloom.training.saved_task import SETUP

    lengths = {"--steps": steps, "--epochs": epochs, "--budget": budget}
    given = [name for name, value in lengths.items() if value is not None]
    if len(given) > 1:
        raise SeqloomError(f"{' and '.join(given)} both say how long to train", remedy="give one of them")
    if resume and config is not None and config.suffix != ".toml":
        out, config = config, None
    new = (config, task, data) != (None, None, None) and not (out / SETUP).exists()
    begun_with = settings_of(out, trust=trust) if resume and not new else None
    settings = load_run(
        config, set_, begun_with, task=task, data__train=data, data__valid=valid, model__name=model,
        teacher__model=teacher,
        train__device=device, train__steps=steps, train__budget=budget, train__epochs=epochs,
        train__learning_rate=lr, train__batch_tokens=batch,
    )  # fmt: skip
    leads = os.environ.get("RANK", "0") == "0"  # of the processes that torchrun started one speaks
    try:
        result = run(settings, out, resume=resume)
    except KeyboardInterrupt:
        if leads:
            saved = any((out / FOLDER).glob("*"))
            said = (
                f"Saved. Go on with seqloom train --resume {out}" if saved else "Stopped before anything was trained."
            )
            console.print(f"\n{said}", highlight=False, markup=False, soft_wrap=True)
        raise typer.Exit(130) from None
    if leads:
        console.print(result.summary(), highlight=False, markup=False, soft_wrap=True)
