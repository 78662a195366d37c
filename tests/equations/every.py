"""Every definition that seqloom ships, worked out on a sentence once."""

from functools import cache

import pytest

from seqloom.explaining.catalogue import definitions
from seqloom.explaining.explanation import Explanation, explain_definition

DEFINITIONS = list(definitions().values())
every_definition = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.label)


@cache
def explained(label: str, sentence: str = "the cat sat") -> Explanation:
    return explain_definition(definitions()[label], sentence)
