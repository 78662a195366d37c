"""The section [data]."""

import inspect

import pytest

from seqloom.config import check, load
from seqloom.data.settings import DataConfig
from seqloom.data.source import open_source
from seqloom.errors import ConfigError


def test_every_setting_has_a_default_and_a_sentence():
    assert DataConfig()
    for name, field in DataConfig.model_fields.items():
        assert field.description and field.description.endswith("."), name


def test_the_settings_of_reading_are_those_of_open_source():
    options = inspect.signature(open_source).parameters
    for name, value in DataConfig().how().items():
        assert options[name].default == value or (options[name].default is None and not value)


def test_a_file_says_where_the_data_is(write):
    file = write(
        "a.toml",
        'train = {source = "a.en", target = "a.de"}\nheader = false\n[columns]\ntext = "review"\nlabel = 3\n',
    )
    config = load(DataConfig, file, ["on_bad=skip"])
    assert config.train == {"source": "a.en", "target": "a.de"}
    assert config.columns == {"text": "review", "label": 3}
    assert (config.header, config.on_bad) == (False, "skip")


def test_cutting_off_everything_is_a_mistake():
    with pytest.raises(ConfigError, match=r"valid_share: with test_share 1.2 of the data is cut off"):
        check(DataConfig, {"valid_share": 0.7, "test_share": 0.5}, where="a.toml")


def test_a_wrong_policy_is_a_mistake():
    with pytest.raises(ConfigError, match="on_bad: 'ignore'"):
        check(DataConfig, {"on_bad": "ignore"}, where="a.toml")


@pytest.mark.parametrize(
    "encoding, why",
    [
        ("idna", "there is no encoding of this name for files"),
        ("rot13", "there is no encoding of this name for files"),
        ("../x", "there is no encoding of this name for files"),
        ("cp500", "lines of cp500 do not end in one byte"),
        ("utf-7", "it lets half a character pass"),
        ("raw_unicode_escape", "it lets half a character pass"),
    ],
)
def test_an_encoding_has_to_be_one_of_text_in_lines(encoding, why):
    """With idna the first bad line was a traceback; UTF-7 brought half a character, which no file of ours can hold."""
    with pytest.raises(ConfigError, match=f"encoding: '{encoding}': {why}"):
        check(DataConfig, {"encoding": encoding}, where="a.toml")


def test_groups_cannot_be_cut_from_the_end():
    with pytest.raises(ConfigError, match="split_by: records with equal values need not be together at the end"):
        check(DataConfig, {"split_by": "author", "cut_from": "end"}, where="a.toml")
