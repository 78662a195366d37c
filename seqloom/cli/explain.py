"""`seqloom explain`: look at a definition or an experiment."""

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom explain",
    "seqloom explain lstm",
    'seqloom explain gru "my own words here" --html gru.html',
    "seqloom explain multi-head --latex",
    "seqloom explain why-tanh --html why-tanh.html",
]


def explain(
    name: Annotated[
        str | None,
        typer.Argument(help="A definition or an experiment; your own as `package.module:function`. Without: a list."),
    ] = None,
    text: Annotated[str | None, typer.Argument(help="Run it over these words.", show_default=False)] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print the LaTeX alone.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page that needs nothing else.")] = None,
) -> None:
    """Show a layer as formula, code, parameter count and numbers; or list what there is to show."""
    from seqloom.cli.console import console
    from seqloom.cli.terminal import show, show_catalogue, show_experiment
    from seqloom.errors import SeqloomError
    from seqloom.explaining.explain import explain, latex_of, save_page
    from seqloom.explaining.panels import Experiment

    if name is None:
        if latex or html is not None:
            raise SeqloomError("which one?", remedy="name a definition: `seqloom explain` lists them")
        show_catalogue()
        return
    if latex:
        print(latex_of(name))
    if latex and html is None:
        return
    explained = explain(name, text)
    if html is not None:
        console.print(f"written {save_page(explained, html)}", highlight=False)
    else:
        show_experiment(explained) if isinstance(explained, Experiment) else show(explained)
