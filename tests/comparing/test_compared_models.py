"""Which models stand in a comparison, with which settings; and what is said of those that cannot."""

import pytest

from seqloom.comparing.ablations import ABLATIONS
from seqloom.comparing.compared_models import available_ablations, compared_models
from seqloom.comparing.default_models import LINES
from seqloom.comparing.findings import name_of
from seqloom.comparing.settings import CompareConfig
from seqloom.config import check
from seqloom.errors import ConfigError, SeqloomError


@pytest.mark.parametrize("task", LINES)
def test_every_model_of_a_line_can_be_built_on_the_embedded_data_and_on_ones_own(task):
    line = LINES[task]
    found = compared_models({"task": task}, CompareConfig())
    assert [one.label for one in found] == [place.label for place in line.places]
    assert {one.config.data.train for one in found} == {line.data}
    assert {one.config.train.budget for one in found} == {line.budget}
    own = compared_models({"task": task, "data": {"train": "mine.tsv"}}, CompareConfig(budget="3m"))
    assert {one.config.train.budget for one in own} == {"3m"}
    assert {one.config.tokens.kind for one in own} == {type(own[0].config.tokens)().kind}  # not those of the line


def test_data_of_several_sets_stands_in_the_place_of_the_embedded_data():
    sets = [{"tag": tag, "train": "pairs.tsv"} for tag in ("<up>", "<down>")]
    found = compared_models({"task": "translate", "data": {"sets": sets}}, CompareConfig(budget="3m"))
    assert {one.config.data.train for one in found} == {""}
    assert {name_of(one.config.data) for one in found} == {"<up>, <down>"}


def test_data_tokens_batches_and_seeds_are_the_same_for_all():
    for task in LINES:
        found = [one.config for one in compared_models({"task": task}, CompareConfig())]
        for shared in ("data", "tokens"):
            assert len({getattr(config, shared).model_dump_json() for config in found}) == 1
        assert len({(config.train.batch_tokens, config.train.seed) for config in found}) == 1


def test_a_setting_varies_and_the_settings_of_the_user_hold_for_all():
    found = compared_models(
        {"task": "translate", "model": {"dropout": 0.25}, "train": {"learning_rate": 0.007}},
        CompareConfig(vary=["model.heads=1,2,4", "train.label_smoothing=0,0.1"]),
    )
    assert [one.label for one in found][:3] == [
        "heads=1 label_smoothing=0", "heads=1 label_smoothing=0.1", "heads=2 label_smoothing=0",
    ]  # fmt: skip
    assert {one.config.model.dropout for one in found} == {0.25}  # type: ignore[attr-defined]
    assert {one.config.train.learning_rate for one in found} == {0.007}


def test_the_fraction_of_the_data_and_the_first_weights_vary_too():
    found = compared_models(
        {"task": "classify"}, CompareConfig(vary=["data.fraction=0.1,1", "start.model=,runs/masked"])
    )
    assert [one.label for one in found] == [
        "fraction=0.1 model=none", "fraction=0.1 model=masked", "fraction=1 model=none", "fraction=1 model=masked",
    ]  # fmt: skip
    assert [(one.config.data.fraction, one.config.start.model) for one in found][1:3] == [
        (0.1, "runs/masked"), (1.0, ""),
    ]  # fmt: skip


def test_models_are_named_by_architecture_by_label_and_as_tables():
    models = ["lstm", "bidirectional-lstm", {"name": "lstm", "label": "wide", "widths": [77]}]
    found = compared_models({"task": "classify", "data": {"train": "mine.tsv"}}, CompareConfig(models=models))
    assert [one.label for one in found] == ["lstm", "bidirectional-lstm", "wide"]
    assert [one.config.model.bidirectional for one in found] == [False, True, False]  # type: ignore[attr-defined]
    assert found[2].config.model.widths == [77]  # type: ignore[attr-defined]


def test_a_table_may_have_sections_of_its_own():
    tuned = {"name": "lstm", "label": "tuned", "start": {"model": "runs/masked"}, "train": {"learning_rate": 0.02}}
    found = compared_models(
        {"task": "classify", "data": {"train": "mine.tsv"}},
        CompareConfig(models=["lstm", tuned], vary=["data.fraction=0.1,1"]),
    )
    assert [one.label for one in found][2:] == ["tuned fraction=0.1", "tuned fraction=1"]
    assert [(one.config.start.model, one.config.train.learning_rate) for one in found][2] == ("runs/masked", 0.02)
    assert found[0].config.start.model == ""


def test_every_ablation_that_is_listed_varies_one_setting_of_one_model():
    listed = available_ablations()
    assert {"scores", "heads", "depth"} <= {each.name for each in listed}
    for each in listed:
        found = compared_models({"task": each.task}, CompareConfig(ablation=each.name))
        assert len(found) == len(each.values)
    assert {each.name for each in listed} <= ABLATIONS.keys()


@pytest.mark.parametrize(
    "given, chosen, said",
    [
        ({}, {}, "task: is missing"),
        (
            {"task": "multitask"},
            {},
            "give --models, and the data as --data; that of several sets as tables [[data.sets]]",
        ),
        (
            {
                "task": "multitask",
                "data": {"sets": [{"tag": "mood", "task": "classify"}, {"tag": "pos", "task": "tag"}]},
            },
            {"models": ["lstm", "rnn"]},
            "no metric in common by which models could be compared\n"
            '      -> measure one of them: evaluate = { task_tag = "mood" }',
        ),
        (
            {"task": "multitask", "data": {"sets": [1, {"task": "tag"}, {"task": "classify"}]}},
            {"models": ["lstm", "rnn"]},
            "data.sets",
        ),
        ({"task": "translate"}, {"models": ["transformer"]}, "nothing to compare with one model"),
        ({"task": "classify"}, {"models": ["lstm", "lstm"]}, "'lstm' is listed twice"),
        ({"task": "classify"}, {"models": ["lstm", "lsmt"]}, "lsmt: model.name"),
        ({"task": "translate"}, {"vary": ["model.heads=3,5"]}, "heads=5: model"),
        ({"task": "translate"}, {"vary": ["tokens.kind=word,bpe"]}, "is the same for all models"),
        ({"task": "translate"}, {"vary": ["model.heads"]}, "not of the form KEY=VALUE"),
        ({"task": "translate"}, {"ablation": "haeds"}, "did you mean heads"),
        ({"task": "translate"}, {"budget": "soon"}, "'soon' is not a duration"),
        ({"task": "translate"}, {"equal": "steps", "budget": "5m"}, "give steps instead of a time"),
        ({"task": "translate"}, {"steps": 5}, "give a time instead of steps"),
        ({"task": "translate"}, {"parameters": 5}, "the models are equal in time"),
    ],
)
def test_what_cannot_be_compared_says_why(given, chosen, said):
    with pytest.raises(SeqloomError) as error:
        compared_models(given, check(CompareConfig, chosen, where="settings"))
    assert said in str(error.value)


def test_all_mistakes_come_at_once():
    with pytest.raises(ConfigError, match="2 settings cannot be used"):
        compared_models({"task": "classify"}, CompareConfig(models=["lsmt", "gruu"]))
