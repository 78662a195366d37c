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
    "seqloom evaluate runs/reviews test.tsv --against runs/other",
]


def evaluate(
    folder: Annotated[Path, typer.Argument(help="A trained model: its folder, or a pack.")],
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="Data of the same kind; two files are a pair. Default: the validation part of the training data."
        ),
    ] = None,
    part: Annotated[str, typer.Option(help="Without data, the part to measure on: valid or test.")] = "valid",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    against: Annotated[Path | None, typer.Option(help="Another model: is the difference significant?")] = None,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Train simple models on its training data, and measure them too.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Plot quality by input length (.png or .svg).")] = None,
    beam: Annotated[int | None, typer.Option(help="Beam size: hypotheses kept at each step.")] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Without data: open the files that a model of somebody else's names.")
    ] = False,
    task_tag: Annotated[str | None, typer.Option(help="Of a model for several tasks, the tag of one.")] = None,
    engine: EngineOption = Engine.auto,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Any option of the task.")] = [],
) -> None:
    """Measure a model on data: accuracy, F1, perplexity, BLEU, or other metrics of its task."""
    from seqloom.cli.console import console
    from seqloom.config import gather
    from seqloom.engines.facts import check_engine, facts_at
    from seqloom.errors import SeqloomError
    from seqloom.evaluating.baselines.score import sentence
    from seqloom.evaluating.bootstrap import compare
    from seqloom.evaluating.by_length import drawable
    from seqloom.evaluating.by_length import plot as draw
    from seqloom.training.model import load

    check_engine(folder, facts_at(folder), engine.value)
    if plot:
        drawable(plot)
    if against and against.resolve() == folder.resolve():
        raise SeqloomError(f"{folder} against itself", remedy="name another model")
    where: Any = data[0] if data and len(data) == 1 else data or None
    options = gather(None, set_, beam=beam, task_tag=task_tag)
    options.setdefault("part", part)
    reading = options.pop("data", {})
    if not isinstance(reading, dict):
        raise SeqloomError("--set data=...: data is a section", remedy="write it like data.on_bad=skip")
    models = {str(place): load(place).reading(**reading) for place in (folder, against) if place}
    if len({model.config.task for model in models.values()}) > 1:
        tasks = " and ".join(model.config.task for model in models.values())
        raise SeqloomError(f"these two are for different tasks: {tasks}", remedy="compare two of the same")
    if where is None and len({str(model.config.data) for model in models.values()}) > 1:
        raise SeqloomError("these two were trained on different data", remedy="give data to measure both on")
    found = {name: model.evaluate(where, trust=trust, **options) for name, model in models.items()}
    first, *others = found.values()
    simple = measured_beside(models[str(folder)], where, part, asked=baseline, trust=trust)
    alike = len({one.how for one in found.values()}) == 1
    compared = None
    if alike and others and first.counted and others[0].counted:
        compared = compare(first.counted, others[0].counted)
    if as_json:
        beside = {"baselines": {one.name: {one.metric: one.value} for one in simple}} if simple else {}
        values = first.json() if not others else {"first": first.json(), "second": others[0].json()}
        print(
            json.dumps({**values, **({"compared": compared.json()} if compared else {}), **beside}, ensure_ascii=False)
        )
    else:
        show(found, compared)
        if simple:
            console.print(sentence(simple), highlight=False, markup=False, soft_wrap=True)
    if not alike:
        raise SeqloomError(
            f"measured in two ways, so they are not compared: {'; '.join(one.how for one in found.values())}",
            remedy="compare two of a kind; of translators --set capitals=false measures both without case, "
            "--set measure=bleu both by one metric",
        )
    if plot:
        curves = {name: one.by_length for name, one in found.items() if one.by_length}
        if not curves:
            raise SeqloomError(
                "there is no quality by length to draw",
                remedy="that is for models that generate text; leave out --plot",
            )
        draw(curves, plot, first.measure)


def measured_beside(model: "Model", where: Any, part: str, *, asked: bool, trust: bool) -> "list[BaselineScore]":
    """The baselines of data if they are asked for; else those of its validation data, which training measured."""
    known = where is None and part == "valid" and bool(model.measured_baselines())
    return model.baseline(where, part=part, trust=trust) if asked or known else []


def show(found: dict[str, "Evaluation"], compared: "SystemComparison | None") -> None:
    """Metrics, tables, and quality by length of each model; then how the two compare."""
    from rich.table import Table

    from seqloom.cli.console import console
    from seqloom.evaluating.by_length import bars

    for name, one in found.items():
        if len(found) > 1:
            console.print(f"[bold]{name}[/bold]")
        console.print("   ".join(f"{key} {value:.4f}" for key, value in one.metrics.items()), highlight=False)
        if one.left_out:
            console.print(str(one.left_out), highlight=False, markup=False)
        for shown in one.tables:
            console.print(shown.rich())
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
