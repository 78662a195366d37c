"""The rules that choose settings: what they leave alone, what they build, and that they choose once."""

from pathlib import Path
from typing import Any

import pytest
import torch

import seqloom
from seqloom.data.record import Place, Record
from seqloom.models.registry import architectures, names
from seqloom.storage import read_json
from seqloom.tasks.registry import find_task
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.data_statistics import DataStatistics, TextStatistics, measure
from seqloom.training.defaults import RULES, ChosenSetting, as_begun, choose, explanation, with_choices
from seqloom.training.run_config import RunConfig, load_run
from seqloom.training.schedules import Schedule
from tests.training.reviews import write_reviews
from tests.typed import typed

TEXTS = TextStatistics(words=12, longest=40, letters=60, vocabulary=2_000, between_spaces=2_100, script="Latin")
FACTS = {
    "few texts": DataStatistics(90, 2, TEXTS, TEXTS),
    "many labels": DataStatistics(9_000, 77, TEXTS, TEXTS),
    "long texts": DataStatistics(20_000, 2, TextStatistics(230, 900, 1_300, 60_000, 80_000, "Latin"), TEXTS),
    "single words": DataStatistics(
        120_000, 30, TextStatistics(1, 1, 8, 5_000, 5_000, "Latin"), TextStatistics(6, 12, 15, 39, 39, "Latin"),
        repeated_inputs=0.05,
    ),
    "two scripts": DataStatistics(28_000, 0, TextStatistics(9, 30, 10, 3_000, 9_000, "Han"), TEXTS),
    "frames": DataStatistics(300, 4, TextStatistics(words=50, longest=90), frames=True),
    "nothing known": DataStatistics(1),
}  # fmt: skip


def settings(task: str, *changes: str, **flags: Any) -> RunConfig:
    return load_run(None, list(changes), task=task, data__train="x.tsv", **flags)


def values(choices: list[ChosenSetting]) -> dict[str, Any]:
    return {choice.setting: choice.value for choice in choices}


@pytest.mark.parametrize("facts", FACTS.values(), ids=FACTS)
@pytest.mark.parametrize("task", RULES)
def test_every_architecture_gets_settings_that_build(task, facts):
    known = [one.name for one in architectures(task) if one.causal or task != "generate"]
    for name in [None, *known]:
        config = settings(task, model__name=name)
        chosen = with_choices(config, choose(facts, config))
        assert chosen.train.schedule == "cosine"
        assert name is None or chosen.model.name == name  # type: ignore[attr-defined]
        with torch.device("meta"):
            find_task(task).untrained(chosen, 300)


@pytest.mark.parametrize("facts", FACTS.values(), ids=FACTS)
@pytest.mark.parametrize("task", RULES)
def test_what_the_user_set_is_never_changed(task, facts):
    given = {
        "train.steps": 70, "train.learning_rate": 0.5, "train.batch_tokens": 333, "train.schedule": "plateau",
        "train.patience": 3, "tokens.kind": "bpe", "tokens.size": 999, "model.dropout": 0.25, "model.length": 48,
        "model.embedding": 24, "train.average": 0.5,
    }  # fmt: skip
    config = settings(task, *(f"{name}={value}" for name, value in given.items()))
    chosen = with_choices(config, choose(facts, config))
    for name, value in given.items():
        section, key = name.split(".")
        assert getattr(getattr(chosen, section), key) == value, name
    assert not given.keys() & values(choose(facts, config)).keys()


def test_settings_that_another_architecture_reads_keep_the_one_that_reads_them():
    """Widths say that somebody wants layers: a bag of words has none."""
    config = settings("classify", "model.widths=[32]")
    chosen = with_choices(config, choose(FACTS["many labels"], config))
    assert (chosen.model.name, chosen.model.widths) == ("lstm", [32])  # type: ignore[attr-defined]
    assert chosen.tokens.kind == "word"
    config = settings("translate", "model.encoder=cnn", "model.embedding=40")
    assert with_choices(config, choose(FACTS["many labels"], config)).model.encoder == "cnn"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "task, facts, expected",
    [
        ("classify", "many labels", {"model.name": "words", "tokens.kind": "ngram", "model.dropout": 0.3}),
        ("classify", "few texts", {"model.name": "words", "model.dropout": 0.5, "train.epochs": 100.0}),
        ("classify", "long texts", {"model.embedding": 64, "train.epochs": 4.0}),
        ("classify", "single words", {"model.name": "gru", "tokens.kind": "character", "model.bidirectional": True}),
        ("classify", "frames", {"model.bidirectional": True, "model.pooling": "max"}),
        ("tag", "many labels", {"model.name": "lstm", "tag.characters": 128, "train.batch_tokens": 1000}),
        ("translate", "many labels", {"model.name": "transformer-tiny", "tokens.joint": True, "model.tied": "all"}),
        ("translate", "two scripts", {"tokens.joint": False, "model.tied": "target", "tokens.size": 4000}),
        ("translate", "single words", {"tokens.target": {"kind": "space"}, "translate.several_right": True}),
        ("generate", "many labels", {"model.name": "lstm", "model.widths": [512]}),
    ],
)
def test_rules(task, facts, expected):
    chosen = values(choose(FACTS[facts], settings(task)))
    assert {name: chosen.get(name) for name in expected} == expected


@pytest.mark.parametrize("task", RULES)
def test_tokens_depend_on_the_architecture_only_where_it_ignores_order(task):
    """So that architectures can be compared on the same tokens."""
    found = []
    for name in names(task):
        chosen = values(choose(FACTS["many labels"], settings(task, model__name=name)))
        found += [{key: value for key, value in chosen.items() if key.startswith("tokens.")}] if name != "words" else []
    assert all(one == found[0] for one in found)


def test_length_is_left_to_who_says_it():
    for said in ({"train__steps": 70}, {"train__epochs": 2.0}):
        chosen = values(choose(FACTS["many labels"], settings("classify", **said)))
        assert not {"train.epochs", "train.patience", "train.evaluate_every"} & chosen.keys()
    with_budget = values(choose(FACTS["many labels"], settings("classify", train__budget="5m")))
    assert with_budget["train.epochs"] == 3 * values(choose(FACTS["many labels"], settings("classify")))["train.epochs"]


def test_a_model_to_begin_with_says_what_the_model_is():
    begun = settings("classify", "start.model=run")
    assert {name.split(".")[0] for name in values(choose(FACTS["many labels"], begun))} == {"train"}
    vectors = settings("classify", "start.vectors=svd")
    assert "model.embedding" not in values(choose(FACTS["many labels"], vectors))
    assert choose(FACTS["many labels"], settings("classify", "train.choose=false")) == []


def test_facts_of_data():
    place = Place("x")
    records = [Record({"label": label, "text": text}, place) for label, text in (("a", "one two."), ("b", "Three"))]
    facts = measure(records)
    assert (facts.examples, facts.labels, facts.input.words, facts.input.vocabulary) == (2, 2, 2.0, 4)
    pairs = [Record({"source": "ab", "target": "A B"}, place), Record({"source": "ab", "target": "A C"}, place)]
    facts = measure(pairs)
    assert (facts.input.words, facts.target.between_spaces, facts.repeated_inputs) == (1.0, 3, 0.5)
    tagged = measure([Record({"tokens": ["a", "b"], "tags": ["X", "Y"]}, place)])
    assert (tagged.labels, tagged.words) == (2, 2.0)


def test_what_is_chosen_is_said_and_kept_and_not_chosen_again(tmp_path):
    reviews = write_reviews(tmp_path / "reviews.tsv", count=60)
    asked = ["train", "--task", "classify", "--data", reviews.name, "--set", "train.epochs=4"]
    first = typed(*asked, folder=tmp_path)
    assert first.returncode == 0, first.stderr
    said = [line for line in first.stderr.splitlines() if line.startswith("chosen from the data: ")]
    assert len(said) == 1
    assert said[0].startswith("chosen from the data: a bag of words and word pairs: 54 texts of ")
    kept = read_json(tmp_path / "run" / "config.json")["config"]
    assert (kept["model"]["name"], kept["tokens"]["kind"], kept["train"]["schedule"]) == ("words", "ngram", "cosine")
    assert "baselines (accuracy): the most frequent label 0.5000, logistic regression on words " in first.stdout
    again = typed("train", "--resume", "run", "--epochs", "6", folder=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "chosen from the data" not in again.stderr
    assert read_json(tmp_path / "run" / "config.json")["config"]["model"] == kept["model"]
    measured = typed("evaluate", "run", folder=tmp_path).stdout
    assert "baselines (accuracy): the most frequent label 0.5000" in measured
    beside = typed("evaluate", "run", reviews.name, "--baseline", folder=tmp_path).stdout
    assert "logistic regression on words 1.0000" in beside


def test_in_python_a_run_goes_on_with_what_was_chosen(tmp_path):
    reviews = str(write_reviews(tmp_path / "reviews.tsv", count=60))
    options: dict[str, Any] = {"task": "classify", "data": reviews, "out": tmp_path / "run", "quiet": True}
    seqloom.train(steps=5, **options)
    model = seqloom.train(steps=8, resume=True, **options)
    assert (model.config.model.name, model.config.train.steps) == ("words", 8)  # type: ignore[attr-defined]
    assert model("a lovely film").label in ("pos", "neg")


def test_a_run_of_before_keeps_its_settings():
    """Saved settings say everything, so nothing is left open."""
    saved = settings("classify", "model.name=gru", "train.learning_rate=0.25", "tokens.size=77")
    now = settings("classify", "train.steps=9")
    resumed = as_begun(now, saved)
    assert (resumed.model.name, resumed.tokens.size) == ("gru", 77)  # type: ignore[attr-defined]
    assert (resumed.train.learning_rate, resumed.train.steps) == (0.25, 9)


def test_the_rate_is_nothing_where_training_ends():
    for task in RULES:
        config = settings(task)
        train = with_choices(config, choose(FACTS["many labels"], config)).train.with_steps(77)
        rates = [Schedule(train).rate(step) for step in range(1, 78)]
        assert rates[-1] == pytest.approx(0.0)
        assert max(rates) == pytest.approx(train.learning_rate)


def test_the_sentence_is_one_line():
    said = explanation(choose(FACTS["many labels"], settings("classify")))
    assert "\n" not in said and "8 epochs" in said and "learning_rate 0.01" in said
    assert explanation([]) == ""
    named = explanation([ChosenSetting("model.dropout", 0.3)])
    assert named == "chosen from the data: dropout 0.3", "without reasons, where the user named the architecture"


def test_words_and_pairs_come_back_as_the_text(tmp_path: Path):
    from seqloom.tokens.settings import TokenConfig

    texts = ["not so good", "not so bad", "good"]
    tokenizer = Tokenizer.train(texts, TokenConfig(kind="ngram"))
    assert tokenizer.tokenize("not so good") == ["not", "not so", "so", "good"]
    assert tokenizer.decode(tokenizer.encode("not so good")) == "not so good"
    assert [(piece.text, piece.start, piece.end) for piece in tokenizer.pieces("not so new")] == [
        ("not", 0, 3), ("not so", 0, 6), ("so", 4, 6), ("<unk>", 7, 10),
    ]  # fmt: skip
    assert tokenizer.encode("so new") == [tokenizer.encode("so")[0], tokenizer.unk]
    tokenizer.save(tmp_path / "text.tokenizer.json")
    assert Tokenizer.load(tmp_path / "text.tokenizer.json") == tokenizer
    with pytest.raises(seqloom.errors.ConfigError, match="cannot be generated one after the other"):
        settings("translate", "tokens.kind=ngram")
    with pytest.raises(seqloom.errors.ConfigError, match="tags are for single words"):
        settings("tag", "tokens.kind=ngram")
