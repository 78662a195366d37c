"""`seqloom tune`: look for good settings."""

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom tune --task classify --data reviews.tsv --budget 20m --out tuned",
    "seqloom tune --task classify --data reviews.tsv --vary model.name=lstm,cnn --vary model.dropout=0..0.5",
    "seqloom tune --resume --out tuned --budget 20m",
    'seqloom predict tuned/best "a wonderful film"',
]


def tune(
    config: Annotated[Path | None, typer.Argument(help="A configuration file (TOML).")] = None,
    task: Annotated[
        str | None, typer.Option(help="classify, tag, generate or translate; not needed for embedded data.")
    ] = None,
    data: Annotated[str | None, typer.Option(help="Training data, as for `seqloom train`.")] = None,
    valid: Annotated[
        str | None, typer.Option(help="Validation data; default: found next to the training data, or split off.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The architecture; `seqloom summary` lists them.")] = None,
    budget: Annotated[str, typer.Option(help="Time for the search, e.g. 20m or 1h30m.")] = "20m",
    steps: Annotated[int | None, typer.Option(help="Optimizer steps of a full trial.")] = None,
    trials: Annotated[int | None, typer.Option(min=1, help="Maximum number of trials.")] = None,
    vary: Annotated[
        list[str],
        typer.Option(
            metavar="KEY=VALUES",
            help="Settings to search, e.g. model.name=lstm,cnn or model.dropout=0..0.5; default: a few important ones.",
        ),
    ] = [],
    out: Annotated[Path, typer.Option(help="The folder of the search.")] = Path("tuned"),
    resume: Annotated[bool, typer.Option("--resume", help="Resume the search in the folder.")] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Plot scores by setting (.png or .svg).")] = None,
    set_: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a setting for all trials.")
    ] = [],
) -> None:
    """Search for good settings: train many trials, stop the worse half early, keep the best model."""
    from seqloom.cli.console import console, say
    from seqloom.evaluating.plots import drawable
    from seqloom.training.run_config import load_run
    from seqloom.training.tuning import begun_with, search

    if plot:
        drawable(plot)
    if resume and (config, task, data) == (None, None, None):
        settings, vary = begun_with(out)
    else:
        settings = load_run(
            config, set_, task=task, data__train=data, data__valid=valid, model__name=model, train__steps=steps
        )

    found = search(settings, out, budget, vary, trials=trials, resume=resume, tell=say)
    console.print(found)
    if plot:
        say(f"written {found.plot(plot)}")
    say(f"the best model is in {found.folder / 'best'}")
