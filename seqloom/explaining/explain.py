"""`seqloom.explain(name)`: the one call behind the command, the page and the notebook."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqloom.equations import Equations
from seqloom.equations.latex import latex
from seqloom.errors import SeqloomError, quoted
from seqloom.explaining import experiments
from seqloom.explaining.catalogue import definitions, find
from seqloom.explaining.example_inputs import SENTENCE
from seqloom.explaining.explanation import Explanation, explain_definition
from seqloom.explaining.panels import Experiment
from seqloom.explaining.walkthrough import Walkthrough
from seqloom.storage import SUFFIX

if TYPE_CHECKING:
    from seqloom.training.model import Model


def explain(
    what: str | Path | Equations[..., Any] | Model, sentence: Any = None
) -> Explanation | Experiment | Walkthrough:
    """Explain a definition or a trained model with the numbers of a sentence, or run one of the small experiments.

    `what` is a name (`seqloom explain` lists them), a user's own definition as `package.module:function`,
    the definition itself, or a trained model or its folder, which reads the sentence with the weights it learned.
    The result shows itself in a notebook; `save(path)` writes it to a file.

    >>> explain("dot").formula
    ['e = q kᵀ']
    """
    if not isinstance(what, str | Path | Equations) or (isinstance(what, str | Path) and is_folder(what)):
        return trained(what, sentence)
    if not isinstance(sentence, str | None):
        raise SeqloomError(f"{quoted(sentence)} is not a sentence", remedy="give a string")
    if isinstance(what, Equations):
        return explain_definition(what, SENTENCE if sentence is None else sentence)
    what = str(what)
    name = what.replace("_", "-").lower()
    if name in experiments.NAMES:
        if sentence is not None and name not in experiments.TAKE_WORDS:
            raise SeqloomError(f"{name} is an experiment with its own numbers", remedy="leave the text out")
        return experiments.run(name, sentence)
    return explain_definition(find(what), SENTENCE if sentence is None else sentence)


def is_folder(what: str | Path) -> bool:
    """Whether a trained model is meant: a path, a pack, or a name that no definition and no experiment has."""
    if isinstance(what, Path) or os.sep in what:
        return ":" not in str(what)
    known = what.replace("_", "-").lower()
    return (
        (Path(what).is_dir() or what.endswith(SUFFIX)) and known not in experiments.NAMES and known not in definitions()
    )


def trained(model: Any, sentence: Any) -> Walkthrough:
    """A trained model, or the folder of one."""
    from seqloom.explaining.trained import explain_trained  # here: a definition need not wait for tasks and data

    return explain_trained(model, sentence)


def latex_of(name: str) -> str:
    """The formulas of a definition, or of what gives the answer in a trained model."""
    if is_folder(name):
        return trained(name, None).last.latex
    if name.replace("_", "-").lower() in experiments.NAMES:
        raise SeqloomError(f"{name} is an experiment, not a formula", remedy="write its page with --html FILE")
    return latex(find(name))
