"""Settings of `seqloom.train` as keywords: sections, flat names, objects; and what is said of wrong ones."""

import re
from typing import Any

import pytest

from seqloom.data.in_memory import InMemoryData
from seqloom.errors import ConfigError
from seqloom.layers import lstm
from seqloom.models.settings import ModelConfig
from seqloom.training.keyword_settings import gather_keywords
from seqloom.training.run_config import RunConfig, check_run
from seqloom.training.settings import TrainConfig

ROWS = [("pos", "fine"), ("neg", "dull")]


def chosen(config: Any = None, settings: Any = (), model: Any = None, data: Any = ROWS, **named: Any) -> RunConfig:
    values = gather_keywords(config, settings, task="classify", data=data, model=model, named=named)
    return check_run(values, where="settings")


def test_sections_flat_names_and_objects_say_the_same():
    expected = chosen(settings=["train.learning_rate=0.01", "model.name=lstm", "model.widths=[32]"])
    assert chosen(train={"learning_rate": 0.01}, model={"name": "lstm", "widths": [32]}) == expected
    assert chosen(learning_rate=0.01, model="lstm", widths=[32]) == expected
    assert chosen(train=TrainConfig(learning_rate=0.01), model=ModelConfig(name="lstm", widths=(32,))) == expected
    assert chosen(settings={"train.learning_rate": 0.01, "model": {"name": "lstm", "widths": [32]}}) == expected
    assert chosen({"train": {"learning_rate": 0.01}, "model": {"name": "lstm", "widths": [32]}}) == expected
    assert chosen(expected, data=None) == expected


def test_keywords_go_before_settings_and_those_before_the_file(tmp_path):
    file = tmp_path / "run.toml"
    file.write_text("[train]\nsteps = 500\nkeep = 5\nclip = 0.5\n")
    train: Any = chosen(file, ["train.keep=4", "train.clip=0.4"], clip=0.3).train
    assert (train.steps, train.keep, train.clip) == (500, 4, 0.3)


def test_the_rows_of_a_configuration_object_are_kept():
    assert isinstance(chosen(chosen(), data=None, steps=300).data.train, InMemoryData)


def test_a_model_may_be_an_object_inside_its_section():
    config: Any = chosen(model={"name": lstm, "widths": [8]})
    assert config.model.name == "lstm" or config.model.name.endswith(":lstm")


@pytest.mark.parametrize(
    "keywords, said",
    [
        ({"lerning_rate": 0.1}, "lerning_rate: no such setting\n      -> did you mean learning_rate?"),
        ({"tran": {"steps": 3}}, "tran: no such setting\n      -> did you mean train?"),
        ({"train": {"lerning_rate": 0.1}}, "train.lerning_rate: no such setting\n      -> did you mean learning_rate?"),
        ({"train": 0.01}, "train: 0.01 is not a section of settings\n      -> give a dictionary, as in train={"),
        ({"seed": 3}, "seed: may be data.seed or train.seed\n      -> say which, as in train={'seed': 3}"),
        ({"learning_rate": "fast"}, "train.learning_rate: 'fast': input should be a valid number"),
        ({"learning_rate": [1] * 10_000}, "train.learning_rate: [1, 1, 1, 1, 1, 1, ...]: input should be"),
        ({"settings": [3]}, '3 is not a string\n      -> write it like "train.steps=500"'),
    ],
)
def test_wrong_keywords_say_what_is_right(keywords, said):
    with pytest.raises(ConfigError, match=re.escape(said)):
        chosen(**keywords)
