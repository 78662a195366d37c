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
    task: Annotated[str | None, typer.Option(help="classify, tag, generate, translate; embedded data says it.")] = None,
    data: Annotated[str | None, typer.Option(help="Training data, as for `seqloom train`.")] = None,
    valid: Annotated[str | None, typer.Option(help="Validation data; by default found, or split off.")] = None,
    model: Annotated[str | None, typer.Option(help="The architecture; `seqloom summary` lists them.")] = None,
    budget: Annotated[str, typer.Option(help="Time to search for, as 20m or 1h30m.")] = "20m",
    steps: Annotated[int | None, typer.Option(help="Optimizer steps of a trial that goes to its end.")] = None,
    trials: Annotated[int | None, typer.Option(min=1, help="Trials at most.")] = None,
    vary: Annotated[
        list[str],
        typer.Option(
            metavar="KEY=VALUES", help="What to vary: model.name=lstm,cnn or model.dropout=0..0.5; default: a few."
        ),
    ] = [],
    out: Annotated[Path, typer.Option(help="The folder of the search.")] = Path("tuned"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the search in the folder.")] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw scores by setting (.png or .svg).")] = None,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change one setting of all.")] = [],
) -> None:
    """Train with other settings again and again, stop the worse half early, and keep the best model."""
    from seqloom.cli.console import console
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

    def tell(line: str) -> None:
        console.print(line, highlight=False, markup=False, soft_wrap=True)

    found = search(settings, out, budget, vary, trials=trials, resume=resume, tell=tell)
    console.print(found.table().rich())
    if plot:
        tell(f"written {found.plot(plot)}")
    tell(f"the best model is in {found.folder / 'best'}")
