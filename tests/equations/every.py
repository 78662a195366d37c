"""Every definition that seqloom ships, worked out on a sentence once."""

from functools import cache

import pytest

from seqloom.equations.drawing.graph import call_paths
from seqloom.explaining.catalogue import definitions
from seqloom.explaining.explanation import SEVERAL, Explanation, explain_definition

DEFINITIONS = [definition.bind() for definition in definitions().values()]
every_definition = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.label)


def opened(definition) -> list[str]:
    """The calls that are opened in the figure of the whole; of a large model, only the outermost (`figure_of`)."""
    paths = call_paths(definition)
    return paths if len(paths) <= SEVERAL else [path for path in paths if "/" not in path]


@cache
def explained(label: str, sentence: str = "the cat sat") -> Explanation:
    return explain_definition(definitions()[label], sentence)
