"""`seqloom compare`: models side by side on the same data, and a report that says what happened and why."""

from pathlib import Path
from typing import Annotated, Any

import typer

EXAMPLES = [
    "seqloom compare --task translate",
    "seqloom compare --task translate --data pairs.tsv --models rnn-attention,transformer-tiny --budget 10m",
    "seqloom compare --task classify --data reviews.tsv --models lstm,mine.cells:gru2 --equal steps --steps 500",
    "seqloom compare --task translate --vary model.heads=1,2,4,8",
    "seqloom compare --task translate --ablation scores",
    "seqloom compare comparison.toml --out multi30k",
]


def compare(
    config: Annotated[Path | None, typer.Argument(help="A configuration file (TOML) with a section [compare].")] = None,
    task: Annotated[str | None, typer.Option(help="classify, tag, generate, translate; embedded data says it.")] = None,
    data: Annotated[str | None, typer.Option(help="Training data; by default embedded data of the task.")] = None,
    valid: Annotated[str | None, typer.Option(help="Validation data; by default found or split off.")] = None,
    models: Annotated[
        str | None,
        typer.Option(help="Architectures in their order, with commas; by default the line of the task."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder; what is trained there already is reused.")] = Path(
        "comparison"
    ),
    equal: Annotated[str | None, typer.Option(help="What all get alike: time, steps or parameters.")] = None,
    budget: Annotated[str | None, typer.Option(help="Training time of each model, as 10m.")] = None,
    steps: Annotated[int | None, typer.Option(help="Optimizer steps of each model.")] = None,
    parameters: Annotated[int | None, typer.Option(help="With --equal parameters: how many.")] = None,
    seeds: Annotated[int | None, typer.Option(help="How often each model is trained.")] = None,
    vary: Annotated[list[str], typer.Option(metavar="KEY=A,B,C", help="A setting that varies.")] = [],
    ablation: Annotated[str | None, typer.Option(help="A ready-made ablation; --ablations lists them.")] = None,
    sentence: Annotated[str | None, typer.Option(help="The input that is shown going through every model.")] = None,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a setting for all.")] = [],
    ablations: Annotated[bool, typer.Option("--ablations", help="List the ready-made ablations.")] = False,
) -> None:
    """Train several models on the same data, tokens and batches, and write a report that compares them.

    A comparison that was stopped goes on when the same command is given again.
    """
    from seqloom.cli.console import console
    from seqloom.config import gather, over
    from seqloom.errors import SeqloomError

    if ablations:
        list_ablations()
        return
    if config is None and task is None and data is None and ablation is None:
        raise SeqloomError("what shall be compared?", remedy="say --task translate, or --data FILE and its --task")
    from seqloom.comparing.ablations import ABLATIONS
    from seqloom.comparing.api import compare

    if ablation in ABLATIONS and config is None and task is None and data is None:
        task = ABLATIONS[ablation].task
    changes: dict[str, Any] = gather(None, [change for change in set_ if change.startswith("compare.")])
    values = over(gather(config), changes)
    try:
        found = compare(
            values, task=task, data=data, valid=valid, models=models, out=out, equal=equal, budget=budget,  # type: ignore[arg-type]
            steps=steps, parameters=parameters, seeds=seeds, vary=vary, ablation=ablation, sentence=sentence,
            settings=[change for change in set_ if not change.startswith("compare.")], say=say,
        )  # fmt: skip
    except KeyboardInterrupt:
        console.print("\nStopped. The same command goes on from here.", highlight=False)
        raise typer.Exit(130) from None
    console.print()
    console.print(found, highlight=False)
    console.print(f"\nReport: {found.report}", highlight=False, markup=False, soft_wrap=True)


def say(text: str) -> None:
    from seqloom.cli.console import console

    console.print(text, highlight=False, markup=False, soft_wrap=True)


def list_ablations() -> None:
    from rich.table import Table

    from seqloom.cli.console import console
    from seqloom.comparing.entrants import available_ablations

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("ablation", "question", "varies", "by default"):
        table.add_column(title)
    for each in available_ablations():
        table.add_row(each.name, each.question, each.vary.replace("[", r"\["), f"--task {each.task}")
    console.print(table)
