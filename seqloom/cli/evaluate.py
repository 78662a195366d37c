"""`seqloom evaluate`: how good a trained model is on data it has not seen."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqloom.cli.export import Engine, EngineOption

if TYPE_CHECKING:
    from seqloom.evaluating.baselines.score import BaselineScore
    from seqloom.evaluating.bootstrap import SystemComparison
    from seqloom.tasks.task import Evaluation
    from seqloom.training.model import Model

EXAMPLES = [
    "seqloom evaluate runs/reviews test.tsv",
    "seqloom evaluate runs/reviews",
    "seqloom evaluate runs/reviews test.tsv --json",
    "seqloom evaluate runs/reviews test.tsv --baseline",
    "seqloom evaluate runs/reviews test.tsv --plot confusion.png",
    "seqloom evaluate runs/reviews test.tsv --against runs/other",
]


def evaluate(
    folder: Annotated[Path, typer.Argument(help="A trained model: its folder or pack.")],
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="Data in the same format; two files are a pair. Default: the validation split of the training data."
        ),
    ] = None,
    part: Annotated[str, typer.Option(help="The split to evaluate on if no data is given: valid or test.")] = "valid",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    against: Annotated[
        Path | None, typer.Option(help="Another model to compare with, with a significance test.")
    ] = None,
    baseline: Annotated[bool, typer.Option("--baseline", help="Also train and evaluate simple baselines.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Plot the confusion matrix, or quality by input length (.png or .svg).")
    ] = None,
    beam: Annotated[int | None, typer.Option(help="Beam size.")] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="If no data is given: open the data files named by a model that you did not train."
        ),
    ] = False,
    task_tag: Annotated[str | None, typer.Option(help="The tag of the task, for a model with several.")] = None,
    engine: EngineOption = Engine.auto,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Set any option of the task.")] = [],
) -> None:
    """Evaluate a model on data: accuracy, F1, perplexity, BLEU, or other metrics of its task."""
    from seqloom.cli.console import beside, say
    from seqloom.config import gather
    from seqloom.engines.metadata import check_engine, metadata_at
    from seqloom.errors import SeqloomError
    from seqloom.evaluating.baselines.score import sentence
    from seqloom.evaluating.bootstrap import compare
    from seqloom.evaluating.plots import drawable, plot_by_length
    from seqloom.training.loading import load

    check_engine(folder, metadata_at(folder), engine.value)
    if plot:
        drawable(plot)
    if against and against.resolve() == folder.resolve():
        raise SeqloomError(f"{folder} is compared with itself", remedy="give another model")
    where: Any = data[0] if data and len(data) == 1 else data or None
    options = gather(None, set_, beam=beam, task_tag=task_tag)
    options.setdefault("part", part)
    reading = options.pop("data", {})
    if not isinstance(reading, dict):
        raise SeqloomError("--set data=...: data is a section", remedy="write it like data.on_bad=skip")
    models = {str(place): load(place).reading(**reading) for place in (folder, against) if place}
    if len({model.config.task for model in models.values()}) > 1:
        tasks = " and ".join(model.config.task for model in models.values())
        raise SeqloomError(
            f"the models are for different tasks: {tasks}", remedy="compare two models for the same task"
        )
    if where is None and len({str(model.config.data) for model in models.values()}) > 1:
        raise SeqloomError("the models were trained on different data", remedy="give data to evaluate both on")
    found = {name: model.evaluate(where, trust=trust, **options) for name, model in models.items()}
    first, *others = found.values()
    simple = measured_beside(models[str(folder)], where, part, asked=baseline, trust=trust)
    alike = len({one.how for one in found.values()}) == 1
    compared = None
    if alike and others and first.counted and others[0].counted:
        compared = compare(first.counted, others[0].counted)
    if as_json:
        baselines = {"baselines": {one.name: {one.metric: one.value} for one in simple}} if simple else {}
        values = first.json() if not others else {"first": first.json(), "second": others[0].json()}
        print(
            json.dumps(
                {**values, **({"compared": compared.json()} if compared else {}), **baselines}, ensure_ascii=False
            )
        )
    else:
        show(found, compared)
        if simple:
            say(sentence(simple))
    if not alike:
        raise SeqloomError(
            f"they were measured in different ways: {'; '.join(one.how for one in found.values())}",
            remedy="measure both in the same way; for translators --set capitals=false measures both without case, "
            "--set measure=bleu both by one metric",
        )
    if plot:
        curves = {name: one.by_length for name, one in found.items() if one.by_length}
        if others and not curves:
            raise SeqloomError(
                "two models in one picture are drawn by length", remedy="leave out --against to draw one"
            )
        drawn = plot_by_length(curves, plot, first.measure) if others else first.plot(plot)
        say(f"written {drawn}", beside)


def measured_beside(model: "Model", where: Any, part: str, *, asked: bool, trust: bool) -> "list[BaselineScore]":
    """The baselines of data if they are asked for; else those of its validation data, which training measured."""
    known = where is None and part == "valid" and bool(model.measured_baselines())
    return model.baseline(where, part=part, trust=trust) if asked or known else []


ROWS_SHOWN = 40
"""Of a table; --json has all."""


def show(found: dict[str, "Evaluation"], compared: "SystemComparison | None") -> None:
    """Metrics, tables, and quality by length of each model; then how the two compare."""
    from rich.table import Table

    from seqloom.cli.console import console
    from seqloom.evaluating.by_length import bars
    from seqloom.evaluating.tables import metric_text

    for name, one in found.items():
        if len(found) > 1:
            console.print(f"[bold]{name}[/bold]")
        console.print("   ".join(f"{key} {metric_text(value)}" for key, value in one.metrics.items()), highlight=False)
        if one.left_out:
            console.print(str(one.left_out), highlight=False, markup=False)
        for shown in one.tables:
            console.print(shown.rich(ROWS_SHOWN))
    curves = {name: one.by_length for name, one in found.items() if one.by_length}
    if curves:
        console.print(bars(curves))
    if compared:
        measure = next(iter(found.values())).measure
        table = Table(title=f"{measure}: the same examples, two models", title_justify="left", box=None)
        table.show_header = False
        for row in compared.rows():
            table.add_row(*row)
        console.print(table)
