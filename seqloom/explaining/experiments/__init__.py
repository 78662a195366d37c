"""Small experiments of the line from RNN to Transformer, each a few lines on the layers."""

from seqloom.explaining.experiments import (
    bare_attention,
    forgetting,
    masks,
    norms,
    parameters,
    position_matters,
    rank,
    why_sqrt_d,
    why_tanh,
)
from seqloom.explaining.panels import Experiment

MODULES = {
    "why-tanh": why_tanh,
    "forgetting": forgetting,
    "bare-attention": bare_attention,
    "why-sqrt-d": why_sqrt_d,
    "position-matters": position_matters,
    "masks": masks,
    "layer-norm-or-batch-norm": norms,
    "where-parameters-are": parameters,
    "rank": rank,
}
NAMES = {name: module.QUESTION for name, module in MODULES.items()}
TAKE_WORDS = {name for name, module in MODULES.items() if hasattr(module, "SENTENCE")}
"""The experiments that can be run on a sentence of one's own."""


def run(name: str, sentence: str | None = None) -> Experiment:
    """Run an experiment by name."""
    module = MODULES[name]
    title, text, panels = module.run(sentence or module.SENTENCE) if hasattr(module, "SENTENCE") else module.run()
    return Experiment(name, title, module.QUESTION, text, panels)
