"""`seqloom train`: from a file of text to a trained model in a folder."""

import os
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom train --task classify --data reviews.tsv --model lstm --out runs/reviews",
    "seqloom train --resume runs/reviews",
    "seqloom train --data embedded:names --out runs/watched --watch",
    "seqloom train --task classify --data reviews.tsv --model cnn --out runs/cnn --set train.steps=500",
    "seqloom train --task classify --data reviews.tsv --out runs/quick --epochs 3 --lr 0.003 --batch 2000",
    "seqloom train --teacher runs/reviews --data reviews.tsv --model cnn --out runs/student",
    "seqloom train --data embedded:names --out runs/names",
]

EXAMPLE = dict.fromkeys(("classify", "tag", "generate", "translate"), ' "a text of your own"')
"""What is given to a model of a task, as it is typed."""
DATA = {".csv", ".tsv", ".json", ".jsonl", ".txt", ".gz", ".conll", ".conllu", ".parquet", ".npy", ".xlsx"}


def train(
    config: Annotated[
        Path | None, typer.Argument(help="A configuration file (TOML); with --resume, the folder of a run.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help="classify, tag, generate, translate, caption, or package.module:Name; implied by embedded data."
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(help="Training data: a file, a glob pattern, a folder, data:NAME/SPLIT or embedded:NAME."),
    ] = None,
    valid: Annotated[
        str | None, typer.Option(help="Validation data; default: found next to the training data, or split off.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The architecture; `seqloom summary` lists them.")] = None,
    teacher: Annotated[str | None, typer.Option(help="A trained model (folder or pack) to distil from.")] = None,
    out: Annotated[Path, typer.Option(help="The folder of the run.")] = Path("run"),
    resume: Annotated[bool, typer.Option("--resume", help="Resume the run in the folder with its settings.")] = False,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, mps, auto.")] = None,
    steps: Annotated[int | None, typer.Option(help="Optimizer steps in total.")] = None,
    budget: Annotated[str | None, typer.Option(help="Training time, e.g. 45m or 1h30m, instead of --steps.")] = None,
    epochs: Annotated[float | None, typer.Option(help="Passes over the training data, instead of --steps.")] = None,
    lr: Annotated[float | None, typer.Option("--lr", help="Peak learning rate.")] = None,
    batch: Annotated[int | None, typer.Option(help="Tokens per batch, including padding.")] = None,
    trust: Annotated[bool, typer.Option("--trust", help="With --resume: resume a run that you did not start.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Open a page that follows the run live.")] = False,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a setting.")] = [],
) -> None:
    """Train a model and keep its best checkpoint."""
    from contextlib import nullcontext

    from seqloom.cli.console import say
    from seqloom.cli.demo import command
    from seqloom.cli.watch import watched
    from seqloom.errors import SeqloomError
    from seqloom.training.checkpoint import FOLDER
    from seqloom.training.live import STOPPED
    from seqloom.training.run import train as run
    from seqloom.training.run_config import load_run
    from seqloom.training.run_folder import settings_of
    from seqloom.training.saved_task import SETUP

    if config is not None and not resume and config.is_file() and config.suffix.lower() in DATA:
        remedy = f"to train on it: seqloom train --task classify --data {config} --out run"
        raise SeqloomError(f"{config} is data, not a configuration file (.toml)", remedy=remedy)
    lengths = {"--steps": steps, "--epochs": epochs, "--budget": budget}
    given = [name for name, value in lengths.items() if value is not None]
    if len(given) > 1:
        raise SeqloomError(f"{' and '.join(given)} cannot be combined", remedy="give one of them")
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
    with watched(out) if watch and leads else nullcontext() as page:
        try:
            result = run(settings, out, resume=resume)
        except KeyboardInterrupt:
            if leads:
                saved = any((out / FOLDER).glob("*"))
                said = f"Saved. {resume_hint(out)}" if saved else "Stopped before anything was trained."
                say(f"\n{said}")
            raise typer.Exit(130) from None
        if leads:
            stopped = result.finished.startswith(STOPPED)
            following = (
                resume_hint(out) if stopped else f"Try it: {command()} predict {out}{EXAMPLE.get(settings.task, '')}"
            )
            for line in (*result.summary().splitlines(), following):
                say(line)
        if page is not None:
            page.stay()


def resume_hint(out: Path) -> str:
    return f"Go on with seqloom train --resume {out}"
