"""Messages are short, whatever they quote."""

import pytest

from seqloom.config import check
from seqloom.data.settings import DataConfig
from seqloom.errors import ConfigError, DataError, SeqloomError, SeqloomWarning, UnknownName, as_path

ROWS = [{"label": "pos", "text": "a fine film " * 40}] * 12_000


def test_rows_where_settings_are_asked_for_are_not_quoted_whole():
    with pytest.raises(ConfigError) as caught:
        check(DataConfig, {"train": ROWS}, where="settings")
    assert len(caught.value.mistakes) > 1000
    assert "... and " in str(caught.value)
    assert len(str(caught.value)) < 20_000


@pytest.mark.parametrize("long", ["word " * 1_000_000, str(ROWS)])
def test_no_message_grows_with_the_data(long):
    errors = [
        SeqloomError(long, where=long, remedy=long),
        DataError(f"{long!r} is no label"),
        UnknownName("label", long, ["pos", "neg"]),
        ConfigError(long, [(long, long, long)] * 1000),
    ]
    for error in errors:
        assert len(str(error)) < 100_000
    assert "characters ...]" in str(errors[0])
    assert len(str(SeqloomWarning(long))) < 5_000


def test_an_unknown_name_says_which_there_are_where_none_is_near():
    assert str(UnknownName("method", "zzz", ["beta", "alpha"])).endswith("-> there are: alpha, beta")
    assert len(str(UnknownName("word", "zzz", [f"{number}" for number in range(10_000)]))) < 200


def test_what_is_no_path_says_what_is_one():
    with pytest.raises(SeqloomError) as caught:
        as_path(5, "out")
    assert str(caught.value) == (
        'out: 5 is not a path\n    -> give a string or a pathlib.Path, as in out="runs/reviews"'
    )
