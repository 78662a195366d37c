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
    config: Annotated[
        Path | None, typer.Argument(help=r"A configuration file (TOML) with a section \[compare].")
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="classify, tag, generate, translate or caption; not needed for embedded data.")
    ] = None,
    data: Annotated[str | None, typer.Option(help="Training data; default: embedded data for the task.")] = None,
    valid: Annotated[
        str | None, typer.Option(help="Validation data; default: found next to the training data, or split off.")
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(help="Architectures, comma-separated; default: a selection for the task."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Output folder; models already trained there are reused.")] = Path(
        "comparison"
    ),
    equal: Annotated[str | None, typer.Option(help="What is equal for all models: time, steps or parameters.")] = None,
    budget: Annotated[str | None, typer.Option(help="Training time per model, e.g. 10m.")] = None,
    steps: Annotated[int | None, typer.Option(help="Optimizer steps per model.")] = None,
    parameters: Annotated[int | None, typer.Option(help="Number of parameters, with --equal parameters.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Training runs per model, with different seeds.")] = None,
    vary: Annotated[list[str], typer.Option(metavar="KEY=A,B,C", help="A setting to vary.")] = [],
    ablation: Annotated[str | None, typer.Option(help="A predefined ablation; --ablations lists them.")] = None,
    sentence: Annotated[str | None, typer.Option(help="The input to show for every model.")] = None,
    set_: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a setting for all models.")
    ] = [],
    ablations: Annotated[bool, typer.Option("--ablations", help="List the predefined ablations.")] = False,
) -> None:
    """Train several models on the same data, tokens and batches, and write a report that compares them.

    Run the same command again to continue a comparison that was stopped.
    """
    from seqloom.cli.console import console, say
    from seqloom.config import gather, over
    from seqloom.errors import SeqloomError

    if ablations:
        list_ablations()
        return
    if config is None and task is None and data is None and ablation is None:
        raise SeqloomError("nothing to compare", remedy="pass --task translate, or --data FILE and its --task")
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
    say(f"\nReport: {found.report}")


def list_ablations() -> None:
    from rich.table import Table

    from seqloom.cli.console import console
    from seqloom.comparing.compared_models import available_ablations

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("ablation", "question", "varies", "by default"):
        table.add_column(title)
    for each in available_ablations():
        table.add_row(each.name, each.question, each.vary.replace("[", r"\["), f"--task {each.task}")
    console.print(table)
