"""What the tests of data share."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from seqloom.errors import DataError


@pytest.fixture(scope="session")
def attempt() -> Callable[[Iterable[Any]], tuple[list[Any], DataError | None]]:
    """Read until the end or the first error that a user may see; any other error is ours."""

    def attempt(records: Iterable[Any]) -> tuple[list[Any], DataError | None]:
        found = []
        try:
            for record in records:
                found.append(record)
        except DataError as error:
            return found, error
        return found, None

    return attempt
