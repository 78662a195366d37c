"""From sentences with tags to a tagger: what it learns from, what it says, how it is measured."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from seqloom.cli import app
from seqloom.data.source import open_source
from seqloom.errors import ConfigError, DataError
from seqloom.models.registry import names
from seqloom.tasks.tag.batch import IGNORED, TagBatch
from seqloom.tasks.tag.settings import TagConfig
from seqloom.tasks.tag.task import Tag
from seqloom.tasks.tag.word_splitting import token_ids_of, words_of
from seqloom.tasks.trainable import Plan
from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.run import train
from seqloom.training.run_config import RunConfig, load_run
from tests.sizes import load_fitting
from tests.tasks.tagged import write_tagged

QUICK = [
    "model.embedding=16", "model.widths=[12]", "model.length=16",
    "model.dropout=0.1", "tag.characters=16", "train.steps=50", "train.warmup_steps=5", "train.batch_tokens=300",
    "train.learning_rate=0.01", "train.evaluate_every=50", "train.checkpoint_every=50",
]  # fmt: skip
ARCHITECTURES = [name for name in names("tag") if name != "words"]  # which sees no neighbours
SENTENCES = [
    {"tokens": ["Ada", "'s", "dog", "ca", "n't", "fly", "to", "the", "U.S."], "tags": list("NXNVXVPDN")},
    {"tokens": ["the", "dog", "ran"], "tags": list("DNV")},
    {"tokens": ["dogs"], "tags": ["N"]},
]


def settings(data: Path, *changes: str, **flags: Any) -> RunConfig:
    return load_fitting(
        ["model.hidden=24", "model.heads=2", *QUICK, *changes], task="tag", data__train=str(data), **flags
    )


def trained(tmp_path: Path, kind: str, *changes: str, **flags: Any) -> tuple[Model, float]:
    """A model, and its score on sentences that it was not trained on."""
    data, held_out = (
        write_tagged(tmp_path / "train.conll", kind),
        write_tagged(tmp_path / "new.conll", kind, 60, seed=5),
    )
    train(settings(data, "data.valid_share=0", *changes, **flags), tmp_path / "run", quiet=True)
    model = load(tmp_path / "run")
    return model, model.evaluate(str(held_out)).selection_score


def learned(**settings: Any) -> Tag:
    config = TagConfig(**settings)
    return Tag.learn(config, open_source(SENTENCES, task="tag"), {})


# --- learning -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_architecture_learns_what_the_neighbour_says(tmp_path, name):
    steps = 150 if name == "mixer" else 50  # it learns a neighbour for every place it may stand
    model, score = trained(tmp_path, "neighbour", f"train.steps={steps}", model__name=name)
    assert score > 0.97
    assert model("the can you can").tags == ["DET", "NOUN", "PRON", "VERB"]


@pytest.mark.parametrize("kind", ["cnn", "lstm"])
def test_letters_tell_what_words_never_seen_are(tmp_path, kind):
    model, score = trained(tmp_path, "ending", f"tag.character_kind={kind}", "train.steps=80")
    assert score > 0.95
    assert model("xyzzyly xyzzying").tags == ["ADV", "VERB"]


def test_without_letters_words_never_seen_are_guessed(tmp_path):
    model, score = trained(tmp_path, "ending", "tag.characters=0", "train.steps=80")
    assert score < 0.6
    assert "characters" not in model.task.tokenizers


def test_parts_of_words_have_their_tag_at_the_first(tmp_path):
    model, score = trained(tmp_path, "neighbour", "tokens.kind=bpe", "tokens.size=268", "tokens.lower=false")
    assert max(len(parts) for parts in token_ids_of(model.task.tokenizers["text"], ["the", "play", "they"])) > 1
    assert score > 0.97
    assert model("the play they play").tags == ["DET", "NOUN", "PRON", "VERB"]


def test_spans_are_found_and_measured(tmp_path):
    model, score = trained(tmp_path, "names", "train.steps=80")
    found = model.evaluate(str(tmp_path / "new.conll"))
    assert score > 0.95 and found.selection_score == found.metrics["f1"]
    there = (tmp_path / "new.conll").read_text().count("\tB-")
    assert sum(kind["there"] for kind in found.details["spans"].values()) == there
    assert [row[0] for row in found.tables[0].rows] == ["LOC", "PER", "all"]
    answer = model("with Ada Bo in Cy")
    assert answer.json()["spans"] == [
        {"type": "PER", "text": "Ada Bo", "start": 5, "end": 11},
        {"type": "LOC", "text": "Cy", "start": 15, "end": 17},
    ]
    assert model("now").json()["spans"] == []


# --- data -----------------------------------------------------------------------------------------


def corpus_of(task: Tag, tmp_path: Path, items: list[dict[str, list[str]]]) -> Any:
    return task.corpus(open_source(items, task="tag"), tmp_path / "corpora", {"items": items})


def test_words_are_kept_whole_and_letters_keep_their_case():
    task = learned()
    assert token_ids_of(task.tokenizers["text"], ["U.S.", "u.s.", "DOG", "cow"])[:3] == [
        [task.tokenizers["text"].vocabulary.index(word)] for word in ("u.s.", "u.s.", "dog")
    ]
    assert token_ids_of(task.tokenizers["text"], ["cow"]) == [[task.tokenizers["text"].unk]]
    assert task.tokenizers.get("characters") is not None and {"A", "a", "'"} <= set(
        task.tokenizers["characters"].vocabulary
    )


def test_long_sentences_lose_no_word_and_stay_whole_when_measured(tmp_path):
    task = learned(model={"length": 4})
    corpus = corpus_of(task, tmp_path, SENTENCES)
    assert corpus.lengths("text").tolist() == [4, 4, 1, 3, 1]
    assert [int(corpus["goes_on", row][0]) for row in range(5)] == [0, 1, 1, 0, 0]
    found = task.evaluate(task.make_model(), corpus, torch.device("cpu"), None)
    assert found.details["words"] == 13


def test_a_span_across_two_pieces_is_one(tmp_path):
    items = [
        {"tokens": list("abbbc"), "tags": ["B-X", "I-X", "I-X", "I-X", "O"]},
        {"tokens": list("cacbbc"), "tags": ["O", "B-X", "O", "I-X", "I-X", "O"]},
    ]
    task = Tag.learn(TagConfig(model={"length": 2}), open_source(items, task="tag"), {})
    right = torch.zeros(task.tokenizers["text"].size, 3, dtype=torch.float64)
    for word, tag in zip("abc", task.tags, strict=True):
        right[task.tokenizers["text"].vocabulary.index(word), task.tag_ids[tag]] = 1

    class Knows(torch.nn.Module):
        """The tag of every word, whatever stands around it."""

        def forward(self, w: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
            return right[w]

    found = task.evaluate(Knows(), corpus_of(task, tmp_path, items), torch.device("cpu"), None)
    assert found.details["spans"] == {"X": {"right": 3, "given": 3, "there": 3}}


def test_padding_and_later_parts_of_words_never_count(tmp_path):
    task = learned(tokens={"kind": "bpe", "size": 261})
    corpus = corpus_of(task, tmp_path, SENTENCES)
    batch = task.batch(corpus, [0, 1, 2], torch.device("cpu"))
    assert int((batch.tags != IGNORED).sum()) == 13 < int(batch.lengths.sum()) < batch.tokens.numel()
    scores = torch.randn(*batch.tags.shape, len(task.tags), dtype=torch.float64)
    expected = [
        -torch.log_softmax(scores[row, place], -1)[batch.tags[row, place]]
        for row, place in (batch.tags != IGNORED).nonzero().tolist()
    ]
    torch.testing.assert_close(task.head.loss(task.make_model(), scores, batch), torch.stack(expected).sum())


def test_each_word_of_a_batch_has_its_own_letters(tmp_path):
    task = learned()
    corpus = corpus_of(task, tmp_path, SENTENCES)
    batch = task.batch(corpus, [1, 0], torch.device("cpu")).select([1])
    assert task.tokenizers.get("characters") is not None
    read = [task.tokenizers["characters"].decode(batch.spellings[place].tolist()) for place in batch.spelled[0]]
    assert read == SENTENCES[0]["tokens"]
    assert batch.tags[0].tolist() == [task.tag_ids[tag] for tag in SENTENCES[0]["tags"]]


def test_a_word_of_many_letters_keeps_both_ends():
    task = learned()
    (row,) = task.inputs.examples(["a" * 30 + "dog"], [0])
    assert task.tokenizers.get("characters") is not None
    assert task.tokenizers["characters"].decode(row.letters) == "a" * 12 + "a" * 9 + "dog"


def test_a_tag_never_seen_is_named_with_its_place(tmp_path):
    data = write_tagged(tmp_path / "train.conll")
    other = tmp_path / "valid.conll"
    other.write_text("the\tDET\n\nthe\tDET\nodd\tODD\n")
    with pytest.raises(DataError, match=r"valid.conll:3: the tag 'ODD' of 'odd' was never seen in training"):
        train(settings(data, data__valid=str(other)), tmp_path / "run", quiet=True)


WRONG_DATA = {
    "one tag": ([{"tokens": ["a", "b"], "tags": ["X", "X"]}], "every word has the tag 'X'"),
    "tags like words": (
        [{"tokens": ["a", "b"], "tags": [f"t{n}", f"u{n}"]} for n in range(10)],
        "20 different tags for 20 words",
    ),
    "too few tags": ([{"tokens": ["a", "b"], "tags": ["X"]}], "unequal tokens and tags"),
}


@pytest.mark.parametrize("items, what", WRONG_DATA.values(), ids=WRONG_DATA.keys())
def test_data_that_cannot_be_meant_is_refused(items, what):
    with pytest.raises(DataError, match=what):
        Tag.learn(TagConfig(), open_source(items, task="tag"), {})


WRONG_SETTINGS = {
    "letters as tokens": (["tokens.kind=character"], "tokens.kind: tags are for words"),
    "words left out": (["tokens.stop_words=english"], "tokens.stop_words: every word has a tag"),
    "chance cuts": (["tokens.kind=bpe", "tokens.bpe_dropout=0.1"], "tokens.bpe_dropout: words are tokenised once"),
    "an odd half": (["tag.character_kind=lstm", "tag.characters=7"], "tag.characters: 7 is odd"),
    "heads": (["model.name=transformer", "tag.characters=15"], "tag.characters: 2 heads do not divide a width of 16"),
}


@pytest.mark.parametrize("changes, what", WRONG_SETTINGS.values(), ids=WRONG_SETTINGS.keys())
def test_settings_that_cannot_be_are_refused(changes, what, tmp_path):
    with pytest.raises(ConfigError, match=what):
        settings(tmp_path / "any.conll", *changes)


def test_a_section_named_in_part_keeps_the_defaults_of_a_tagger():
    config: Any = load_run(None, ["tokens.size=500", "model.embedding=8", "tag.characters=4"], task="tag")
    assert (config.tokens.kind, config.tokens.lower, config.model.bidirectional) == ("word", True, True)


# --- use ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, words",
    [
        ("The dog can't fly.", ["The", "dog", "ca", "n't", "fly", "."]),
        ("Bo's dogs,won't", ["Bo", "'s", "dogs", ",", "wo", "n't"]),
        ("o'clock", ["o'clock"]),
        ("  ", []),
    ],
)
def test_text_is_cut_as_the_data_was(text, words):
    found = words_of(learned().tokenizers["text"], text)
    assert [word.text for word in found] == words
    assert all(text[word.start :].startswith(word.text) for word in found)


def test_a_text_a_list_of_words_and_nothing_can_be_tagged():
    task = learned(model={"length": 2})
    model = task.make_model().eval()
    answers = task.predict(model, ["The dog ran", ["The", "dog", "ran"], "", [], "unheard of"], None)
    assert answers[0] == answers[1]
    assert [len(answer.tags) for answer in answers] == [3, 3, 0, 0, 2]
    assert str(answers[0]) == " ".join(f"{word}/{tag}" for word, tag in zip(["The", "dog", "ran"], answers[0].tags))
    assert set(answers[4].json()) == {"text", "tokens", "tags", "scores"}
    assert all(1 / len(task.tags) <= score <= 1 for answer in answers for score in answer.scores)
    assert task.predict(model, [["dog"]], None)[0].text == "dog"
    for strange in (None, 5, {"text": "the dog"}, ["dog", 5]):
        with pytest.raises(DataError, match="is not a text"):
            task.predict(model, [strange], None)


def test_answers_come_in_the_order_of_what_was_asked():
    task = learned()
    model = task.make_model().double().eval()
    asked = ["dog", "the dog ran to the dog", "ran dogs"]
    alone = [task.predict(model, [text], None)[0] for text in asked]
    for one, together in zip(alone, task.predict(model, asked, None), strict=True):
        assert (one.text, one.words, one.tags) == (together.text, together.words, together.tags)
        assert one.scores == pytest.approx(together.scores)


def test_more_parts_than_rows_and_empty_rows_have_a_loss(tmp_path):
    task = learned()
    corpus = corpus_of(task, tmp_path, SENTENCES)
    trainable = task.trainable(corpus, None, Plan(100, 1, 0.1, torch.device("cpu")))
    batch = next(iter(trainable.stream))
    parts = trainable.split(batch, 5)
    model = task.make_model()
    assert [trainable.size(part) for part in parts] == [1, 1, 1, 0, 0]
    model.eval()
    whole, summed = trainable.loss(model, batch), [trainable.loss(model, part) for part in parts[:3]]
    torch.testing.assert_close(whole.total, sum(part.total for part in summed))
    assert whole.count == sum(part.count for part in summed) == 13 == trainable.token_count(batch)
    empty = TagBatch.of(task.inputs.examples([], []), torch.device("cpu"))
    assert trainable.loss(model, empty).total.item() == 0


def test_words_unknown_are_counted_apart(tmp_path):
    task = learned()
    items = [{"tokens": ["the", "Cow", "ran"], "tags": list("DNV")}]
    found = task.evaluate(task.make_model(), corpus_of(task, tmp_path, items), torch.device("cpu"), None)
    assert found.details["unknown"] == 1
    assert found.metrics["unknown_accuracy"] in (0, 1)
    assert [row[:2] for row in found.tables[0].rows] == [["D", "1"], ["N", "1"], ["P", "0"], ["V", "1"], ["X", "0"]]


def test_train_predict_evaluate_as_a_person_types_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_tagged(tmp_path / "sentences.conll")

    def command(*arguments: str, input: str = "") -> str:
        done = CliRunner().invoke(app, arguments, input=input, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    changes = [part for change in QUICK for part in ("--set", change)]
    command("train", "--task", "tag", "--data", "sentences.conll", "--out", "run", *changes)
    assert {file.name for file in Path("run").glob("*.tokenizer.json")} == {
        "text.tokenizer.json",
        "characters.tokenizer.json",
    }
    assert command("predict", "run", "the can") == "the/DET can/NOUN\n"
    lines = command("predict", "run", "--json", input="you can\n\n").splitlines()
    assert [json.loads(line)["tags"] for line in lines] == [["PRON", "VERB"], []]
    assert json.loads(command("evaluate", "run", "sentences.conll", "--json"))["accuracy"] > 0.97
