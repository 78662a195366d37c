"""Baselines, held to their definitions and counted by hand."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch.nn import functional as F

from seqloom.data.record import Place, Record
from seqloom.evaluating.baselines.logistic_regression import TfIdf, WordRegression
from seqloom.evaluating.baselines.ngram_language_model import NgramLanguageModel
from seqloom.tasks.classify.answers import ANSWERS
from seqloom.tasks.registry import find_task
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer, train_pair
from seqloom.training.run_config import load_run

chance = random.Random(3)
WORDS = ["film", "plot", "good", "bad", "dull", "bright", "cast", "one", "two", "three", "four"]
TEXTS = [" ".join(chance.choices(WORDS, k=chance.randint(1, 7))) for _ in range(60)]
LABELS = torch.tensor([(text.count("o") + 2 * ("bad" in text)) % 3 for text in TEXTS])
PLACE = Place("here")


def summed(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(logits, labels, reduction="sum")


def test_words_are_weighted_by_how_rare_they_are():
    """As scikit-learn's TfidfVectorizer documents it."""
    features = TfIdf(["a film", "a dull film film"], 100)
    dense = features(["film film a new"]).times(torch.eye(3))[0]
    weights = {"a": 1.0, "film": 2.0}  # in both texts, so that ln(3 / 3) + 1 = 1
    assert features.idf[features.ids["dull"]] == pytest.approx(math.log(3 / 2) + 1)
    assert {word: float(dense[id]) for word, id in features.ids.items() if dense[id]} == pytest.approx(
        {word: weight / math.sqrt(5) for word, weight in weights.items()}
    )


def test_logistic_regression_is_where_loss_and_penalty_are_least():
    """The sum is strictly convex in W, so there is one place without a slope: that of scikit-learn with C = 1."""
    ours = WordRegression(TEXTS, LABELS, 3, summed)
    total = summed(ours.features(TEXTS).times(ours.W) + ours.b, LABELS) + ours.W.square().sum() / 2
    slopes = torch.autograd.grad(total, [ours.W, ours.b])
    assert max(float(slope.abs().max()) for slope in slopes) < 0.02
    assert ours(["", "never seen"]).shape == (2, 3)


def test_without_words_the_most_frequent_label_is_given():
    ours = WordRegression([""] * 60, LABELS, 3, summed)
    shares = torch.bincount(LABELS, minlength=3) / 60
    assert torch.allclose(torch.softmax(ours([""]), -1)[0], shares, atol=1e-3)


def test_counts_of_tokens_by_hand():
    model = NgramLanguageModel([1, 2, 1, 2, 1, 3], vocabulary=5, order=2)
    unigram = (3 + 3 / 5) / (6 + 3)  # token 1: seen three times of six, three kinds
    assert model.probability((), 1) == pytest.approx(unigram)
    after_1 = (2 + 2 * ((2 + 3 / 5) / 9)) / (3 + 2)  # 2 follows 1 twice of three times, two kinds
    assert model.probability((1,), 2) == pytest.approx(after_1)
    for history in ((), (1,), (4,)):
        assert sum(model.probability(history, token) for token in range(5)) == pytest.approx(1.0)
    assert model.loss([1, 2]) == pytest.approx(-(math.log(unigram) + math.log(after_1)) / 2)


def records(**columns: Sequence[Any]) -> list[Record]:
    return [Record(dict(zip(columns, row)), PLACE) for row in zip(*columns.values())]


@pytest.mark.parametrize(
    "answer, labels",
    [("label", ["a", "b", "a", "a"]), ("labels", ["a,b", "b", "", "a"]), ("number", ["1", "2", "3", "5"])],
)
def test_classifiers_of_every_answer_have_baselines(answer, labels):
    texts = ["good film", "bad film", "good cast", "so good"]
    config: Any = load_run(None, [f"classify.answer={answer}"], task="classify", data__train="x")
    rows = records(label=labels, text=texts)
    learner = ANSWERS[answer].Learner(config)
    for row in rows:
        learner.add(row)
    task = find_task("classify")(config, {"text": Tokenizer.train(texts, TokenConfig(kind="word"))}, learner.facts("x"))
    constant, on_words = task.baseline(rows, rows)
    assert "most frequent" in constant.name or constant.name == "the mean"
    assert "on words" in on_words.name
    assert constant.metric == on_words.metric
    if answer == "label":
        assert (constant.metric, constant.value) == ("accuracy", 0.75)


def test_a_tagger_has_the_most_frequent_tag_beside_it():
    config = load_run(None, ["tag.characters=0"], task="tag", data__train="x")
    train = records(tokens=[["a", "run"], ["a", "run"], ["run", "it"]], tags=[["D", "N"], ["D", "N"], ["V", "P"]])
    tokenizer = Tokenizer.train(["a run it"], TokenConfig(kind="word"))
    task = find_task("tag")(config, {"text": tokenizer}, {"tags": list("DNPV")})
    (score,) = task.baseline(train, records(tokens=[["a", "run", "it", "new"]], tags=[["D", "V", "P", "P"]]))
    assert (score.metric, score.value) == ("accuracy", 0.75)


def test_a_language_model_has_counts_beside_it():
    config = load_run(None, [], task="generate", data__train="x")
    lines = ["abab", "abba"] * 4
    task = find_task("generate")(config, {"text": Tokenizer.train(lines, TokenConfig(kind="character"))}, {})
    rows = records(text=lines)
    unigrams, trigrams = task.baseline(rows, rows)
    counts = Counter("".join(f"{line}\n" for line in lines))
    assert unigrams.value == pytest.approx(math.exp(-sum(n / 40 * math.log(n / 40) for n in counts.values())), rel=0.1)
    assert 1 < trigrams.value < unigrams.value
    masked = load_run(None, ["generate.objective=masked", "model.name=transformer"], task="generate", data__train="x")
    assert find_task("generate")(masked, task.tokenizers, {}).baseline(rows, rows) == []


def test_a_translator_has_its_source_beside_it():
    config = load_run(None, ["translate.measure=exact"], task="translate", data__train="x")
    pairs = [("one two", "one two"), ("three", "drei")]
    source, target = train_pair(pairs, config.tokens)
    task = find_task("translate")(config, {"source": source, "target": target}, {})
    (score,) = task.baseline([], records(source=[s for s, _ in pairs], target=[t for _, t in pairs]))
    assert (score.metric, score.value) == ("exact", 0.5)
