"""What a run is told: each task with its own defaults, whatever else is said."""

import pytest

from seqloom.config import Config, check
from seqloom.errors import ConfigError, UnknownName
from seqloom.training.run_config import RUNS, check_run
from seqloom.training.settings import TrainConfig


def sections(task):
    return [name for name, field in RUNS[task].model_fields.items() if isinstance(field.get_default(), Config)]


@pytest.mark.parametrize("task", list(RUNS))
def test_one_setting_of_a_section_leaves_the_others_at_the_defaults_of_the_task(task):
    default = check_run({"task": task}, where="test")
    for section in sections(task):
        values = getattr(default, section).model_dump()
        key = next(iter(values))
        assert check_run({"task": task, section: {key: values[key]}}, where="test") == default, (section, key)


@pytest.mark.parametrize("task", list(RUNS))
def test_settings_that_were_written_down_are_read_again(task):
    default = check_run({"task": task}, where="test")
    assert check_run(default.model_dump(mode="json"), where="test") == default


def test_a_task_is_asked_for_and_must_be_known():
    with pytest.raises(ConfigError, match="task: is missing"):
        check_run({}, where="test")
    with pytest.raises(UnknownName, match="translate"):
        check_run({"task": "tranlate"}, where="test")


def test_few_steps_have_a_short_warm_up():
    assert check(TrainConfig, {"steps": 60}, where="x").warmup_steps == 6
    assert check(TrainConfig, {"steps": 3}, where="x").warmup_steps == 0
    assert check(TrainConfig, {"steps": 101}, where="x").warmup_steps == 100
    with pytest.raises(ConfigError, match="60 is not below"):
        check(TrainConfig, {"steps": 60, "warmup_steps": 60}, where="x")
