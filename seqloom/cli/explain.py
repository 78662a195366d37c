"""`seqloom explain`: look at a definition, an experiment or a trained model."""

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom explain",
    "seqloom explain lstm",
    'seqloom explain gru "my own words here" --html gru.html',
    "seqloom explain rnn-attention",
    "seqloom explain multi-head --latex",
    "seqloom explain why-tanh --html why-tanh.html",
]
"""As above, but they need a model that was trained."""


def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A definition, an experiment, or a trained model (folder or pack); your own definition as "
            "`package.module:function`. Without: a list."
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Argument(help="The input: a text, or a file of feature frames.", show_default=False)
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print only the LaTeX.")] = False,
    forgetting: Annotated[
        bool, typer.Option("--forgetting", help="For a trained model: the influence of each token on the last state.")
    ] = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a self-contained HTML page.")] = None,
) -> None:
    """Show a layer or a trained model as formula, code, parameter count and numbers; without a name, list them all."""
    from seqloom.cli.console import console
    from seqloom.cli.explain_view import show, show_catalogue, show_experiment, show_walkthrough
    from seqloom.errors import SeqloomError
    from seqloom.explaining.explain import explain, latex_of
    from seqloom.explaining.explanation import Explanation
    from seqloom.explaining.panels import Experiment
    from seqloom.explaining.walkthrough import Walkthrough

    if name is None:
        if latex or html is not None:
            raise SeqloomError("no name given", remedy="name a definition: `seqloom explain` lists them")
        show_catalogue()
        return
    if latex:
        print(latex_of(name))
    if latex and html is None:
        return
    explained: Explanation | Experiment | Walkthrough
    if forgetting:
        from seqloom.explaining.influence import forgetting_of

        explained = forgetting_of(name, text)
    else:
        explained = explain(name, text)
    if html is not None:
        console.print(f"written {explained.save(html)}", highlight=False)
    elif isinstance(explained, Experiment):
        show_experiment(explained, f"{name} --forgetting" if forgetting else "")
    elif isinstance(explained, Walkthrough):
        show_walkthrough(explained, name)
    else:
        show(explained)
