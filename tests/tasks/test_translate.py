"""From a file of pairs to translations: every model by name, every way to ask."""

import json
import math

import pytest
import torch

from seqloom.attention.attention_weights import attention_map
from seqloom.errors import ConfigError, DataError, SeqloomError
from seqloom.models.registry import names
from seqloom.tasks.pieces import Pieces
from seqloom.tasks.translate.answers import with_copies
from seqloom.tasks.translate.corpus_text import spread
from seqloom.tokens.settings import EOS, TokenConfig
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.loading import load
from seqloom.training.metrics import read_metrics
from seqloom.training.model import Model
from seqloom.training.run import train
from tests.tasks.written_numbers import settings, spoken, write_pairs
from tests.typed import typed


@pytest.fixture
def data(tmp_path):
    return write_pairs(tmp_path / "pairs.tsv")


@pytest.fixture(scope="module")
def model(digits) -> Model:
    return load(digits)


@pytest.mark.parametrize("name", names("translate"))
def test_every_name_trains_and_translates(data, tmp_path, name):
    assert train(settings(data, name=name), tmp_path / "run", quiet=True).step == 4
    answers = load(tmp_path / "run")(["1 2 3", "4"], max_length=6)
    assert [answer.source for answer in answers] == ["1 2 3", "4"]
    assert all(len(answer.tokens) <= 6 and math.isfinite(answer.score) for answer in answers)


def test_numbers_never_seen_are_read_right(model):
    numbers = range(1, 1000, 9)
    answers = model([" ".join(str(number)) for number in numbers], beam=2)
    right = sum(answer.text == spoken(number) for number, answer in zip(numbers, answers, strict=True))
    assert right / len(numbers) > 0.9


def test_attention_shows_where_each_word_came_from(model):
    answer = model("4 0 7")
    assert answer.text == "four zero seven"
    assert answer.attention.source == ("4", "0", "7", "<eos>")
    assert answer.alignment() == "0-0 1-1 2-2"
    assert answer.json()["alignment"] == "0-0 1-1 2-2"


def test_batches_give_what_single_texts_give(model):
    texts = ["5", "1 2 3", "", "9 9 1", "3 3"]
    together = [answer.text for answer in model(texts, beam=3)]
    assert together == [model(text, beam=3).text for text in texts]
    assert together[2] == ""


def test_the_cache_changes_nothing(model):
    """A token's score in an answer is the one that the whole answer, read at once, gives it."""
    answer = model("8 1 6", beam=1)
    task, network = model.task, model.network
    source = torch.tensor([[*task.source_tokenizer.encode("8 1 6"), 3]])
    target = task.target_tokenizer.encode(answer.text)
    scores = network(source, torch.tensor([4]), torch.tensor([[2, *target]]), torch.ones(1, 4, dtype=torch.bool))
    logp = torch.log_softmax(scores, -1)[range(4), [*target, 3]]
    torch.testing.assert_close(logp.tolist(), answer.token_scores, atol=1e-5, rtol=1e-4)


def test_n_best_prefix_and_drawing(model):
    answer = model("1 2", n_best=3, beam=5)
    assert answer.text == "one two"
    assert len(answer.alternatives) == 2
    assert answer.score > answer.alternatives[0].score > answer.alternatives[1].score
    assert model("1 2", prefix="nine").text.startswith("nine")
    drawn = {model("1 2", temperature=3.0, seed=seed, max_length=4).text for seed in range(8)}
    assert len(drawn) > 1
    assert model("1 2", temperature=3.0, seed=4).text == model("1 2", temperature=3.0, seed=4).text


def test_what_is_drawn_does_not_depend_on_where_a_stream_is_cut(model):
    texts = ["4 0 7", "1 2", "4 0 7", "4 0 7"]
    whole = [answer.json() for answer in model(texts, temperature=3.0, seed=5)]
    assert len({whole[place]["text"] for place in (0, 2, 3)}) > 1
    for chunks in ([texts[:1], texts[1:]], [[text] for text in texts]):
        found = [answer.json() for answer in model.stream(chunks, temperature=3.0, seed=5)]
        assert [one["text"] for one in found] == [one["text"] for one in whole]


def test_a_stream_answers_what_came_before_a_text_that_cannot_be_read(model):
    answers = model.stream([["1 2", "4", 7, "5"]])
    assert [next(answers).text, next(answers).text] == ["one two", "four"]
    with pytest.raises(DataError, match="7 is not a text"):
        next(answers)


def test_options_that_cannot_be_are_refused(model):
    with pytest.raises(ConfigError, match="beam"):
        model("1", beam=0)
    with pytest.raises(ConfigError, match="did you mean temperature"):
        model("1", temperatur=1.0)


def test_unknown_words_are_copied_through_attention(data, tmp_path):
    """A target word seen once is unknown to a vocabulary of frequent ones; its source word is put in its place."""
    lines = data.read_text().splitlines()
    lines += [
        f"7 {word}\tseven {word}" for word in ("ox", "elk", "yak", "emu", "owl", "cat", "dog", "hen") for _ in "ab"
    ]
    data.write_text("\n".join(lines))
    changes = ["tokens.min_frequency=5", "model.dropout=0"]
    train(settings(data, *changes, steps=400), tmp_path / "run", quiet=True)
    trained = load(tmp_path / "run")
    assert trained("7 gnu").text == "seven <unk>"
    assert trained("7 gnu", copy_unknown=True).text == "seven gnu"
    with pytest.raises(ConfigError, match="'seven gnu' has parts that are not in the vocabulary"):
        trained("7", prefix="seven gnu")


@pytest.mark.parametrize(
    "kind, seen, text",
    [
        ("word", "I saw, (yesterday).", "I saw Zoe, (Zoe) yesterday."),
        ("character", "oe ran", "Zoe ran"),
        ("character", "我爱机器学习", "我爱机器Q学习"),
    ],
)
def test_what_is_copied_stands_as_it_stood(kind, seen, text):
    tokenizer = Tokenizer.train([seen], TokenConfig(kind=kind))
    tokens = tokenizer.encode(text)
    names = [tokenizer.vocabulary[token] for token in tokens]
    looked = attention_map([*names, "<eos>"], names, [torch.eye(len(names), len(names) + 1)[None]])
    assert "<unk>" in tokenizer.decode(tokens)
    assert with_copies(tokens, looked, tokenizer, text, tokenizer) == text


@pytest.mark.parametrize("text", ["two  dogs run", " two\tdogs\nrun ", "two dogs run"])
@pytest.mark.parametrize("kind", ["bpe", "unigram", "character"])
def test_words_are_counted_whatever_stands_between_them(kind, text):
    tokenizer = Tokenizer.train(["two dogs run", "two\tdogs\nrun"] * 9, TokenConfig(kind=kind, size=280))
    tokens = [*tokenizer.encode(text.rstrip()), EOS]
    numbers = Pieces.of(tokenizer, tokens).word_indices
    assert numbers[-1] == len(text.split())
    assert sorted(set(numbers)) == list(range(len(text.split()) + 1))


def test_evaluate_counts_what_is_right(model, tmp_path):
    found = model.evaluate(str(write_pairs(tmp_path / "test.tsv", range(1, 300, 7))), beam=2)
    answers = model([" ".join(str(number)) for number in range(1, 300, 7)], beam=2)
    right = [answer.text == spoken(number) for number, answer in zip(range(1, 300, 7), answers, strict=True)]
    assert found.metrics["exact"] == pytest.approx(sum(right) / len(right))
    assert found.selection_score == found.metrics["exact"]
    assert found.metrics["chrf"] > 80
    assert "tok:13a" in found.json()["signatures"]["bleu"]
    assert sum(bucket["count"] for bucket in found.json()["by_length"]) == len(right)


def test_without_data_a_model_is_measured_on_what_its_training_kept_aside(data, tmp_path):
    changes = ["data.valid_share=0.05", "data.test_share=0.03", "data.seed=3"]
    train(settings(data, *changes), tmp_path / "run", quiet=True)
    trained = load(tmp_path / "run")
    for part in ("valid", "test"):
        kept = [(one.columns["source"], one.columns["target"]) for one in trained.kept_aside(part)]
        alone = tmp_path / f"{part}.tsv"
        alone.write_text("source\ttarget\n" + "".join(f"{source!s}\t{target!s}\n" for source, target in kept))
        assert trained.evaluate(part=part).json() == trained.evaluate(str(alone)).json()
        assert 0 < len(kept) < 60
    with pytest.raises(DataError, match="no part 'train' was kept aside in training, but valid, test"):
        trained.evaluate(part="train")
    done = typed("evaluate", "run", "--json", "--beam", "1", folder=tmp_path)
    assert json.loads(done.stdout)["sentences"] == len(list(trained.kept_aside("valid")))


def test_texts_that_are_strange_get_an_answer(model):
    for text in ["", "   ", "\x00\x1b[31m", "שלום 1 2", "🙂", "a" * 10_000, " ".join(["1"] * 10_000)]:
        answer = model(text, beam=1, max_length=8)
        assert isinstance(answer.text, str)
    assert model(" ".join(["1"] * 10_000), beam=1, max_length=3).cut
    assert not model("1 2").cut


def test_pairs_longer_than_the_model_are_left_out_and_counted(data, tmp_path, capfd):
    with data.open("a") as file:
        file.write(f"{'1 ' * 50}\t{'one ' * 50}\n")
    train(settings(data, "model.length=20", "data.valid_share=0.01"), tmp_path / "run")
    assert "1 pairs are longer than 20 tokens and left out" in capfd.readouterr().err.replace("\n", " ")
    with pytest.raises(DataError, match="all pairs are longer than 1 tokens"):
        train(settings(data, "model.length=1"), tmp_path / "other", quiet=True)


def test_validation_translates_pairs_from_everywhere_and_says_how_many(data, tmp_path, capfd):
    assert spread(3, 10) == [0, 3, 6] and spread(4, 4) == [0, 1, 2, 3]
    train(settings(data, "translate.validate_pairs=5", "data.valid_share=0.1"), tmp_path / "run")
    assert "validation translates 5 of 33 pairs, word by word" in capfd.readouterr().err.replace("\n", " ")


def test_bpe_dropout_cuts_anew_and_resumes_bit_for_bit(data, tmp_path):
    bpe = ["tokens.kind=bpe", "tokens.size=280", "tokens.bpe_dropout=0.3", "train.checkpoint_every=5"]
    train(settings(data, *bpe, steps=20), tmp_path / "whole", quiet=True)
    train(settings(data, *bpe, steps=20), tmp_path / "parts", quiet=True)
    for late in (tmp_path / "parts" / "checkpoints").glob("step-0000002*"):
        for file in late.iterdir():
            file.unlink()
    train(settings(data, *bpe, steps=20), tmp_path / "parts", resume=True, quiet=True)
    assert read_metrics(tmp_path / "parts") == read_metrics(tmp_path / "whole")
    plain = [change for change in bpe if "dropout" not in change]
    train(settings(data, *plain, steps=20), tmp_path / "plain", quiet=True)
    assert read_metrics(tmp_path / "plain") != read_metrics(tmp_path / "whole")


def test_two_vocabularies_and_one(data, tmp_path):
    train(settings(data, "tokens.joint=false"), tmp_path / "two", quiet=True)
    assert {file.name for file in (tmp_path / "two").glob("*.tokenizer.json")} == {
        "source.tokenizer.json", "target.tokenizer.json"
    }  # fmt: skip
    train(settings(data, "tokens.joint=true", "model.tied=all"), tmp_path / "one", quiet=True)
    assert {file.name for file in (tmp_path / "one").glob("*.tokenizer.json")} == {"text.tokenizer.json"}
    with pytest.raises(ConfigError, match=r"tokens\.joint"):
        train(settings(data, "tokens.joint=false", "model.tied=all"), tmp_path / "wrong", quiet=True)


def test_sides_may_be_cut_in_different_ways(data, tmp_path):
    two = ["tokens.joint=false", "tokens.kind=character", "tokens.target.kind=space", "tokens.target.lower=true"]
    train(settings(data, *two), tmp_path / "run", quiet=True)
    tokenizers = load(tmp_path / "run").task.tokenizers
    assert tokenizers["source"].tokenize("17 42") == ["1", "7", " ", "4", "2"]
    assert tokenizers["target"].tokenize("One seven") == ["one", "seven"]
    with pytest.raises(ConfigError, match=r"(?s)tokens\.target.*shared vocabulary.*tokens\.joint=false"):
        settings(data, "tokens.target.kind=space", "tokens.joint=true")


def test_dropout_of_merges_on_one_side_cuts_that_side_anew(data, tmp_path):
    side = ["tokens.joint=false", "tokens.kind=space", "tokens.target.kind=bpe", "tokens.target.size=280"]
    train(settings(data, *side), tmp_path / "plain", quiet=True)
    train(settings(data, *side, "tokens.target.bpe_dropout=0.5"), tmp_path / "anew", quiet=True)
    assert read_metrics(tmp_path / "plain") != read_metrics(tmp_path / "anew")


def test_a_vocabulary_that_is_taken_over_drops_merges_as_the_new_run_says(data, tmp_path):
    bpe = ["tokens.kind=bpe", "tokens.size=280"]
    train(settings(data, *bpe), tmp_path / "first", quiet=True)
    bpe += [f"start.model={tmp_path / 'first'}", "start.keep=all"]
    train(settings(data, *bpe), tmp_path / "plain", quiet=True)
    train(settings(data, *bpe, "tokens.bpe_dropout=0.5"), tmp_path / "anew", quiet=True)
    assert load(tmp_path / "anew").task.tokenizers["text"].config.bpe_dropout == 0.5
    assert read_metrics(tmp_path / "plain")[0] != read_metrics(tmp_path / "anew")[0]


def test_pairs_with_one_source_are_one_question_with_several_right_answers(model, digits, tmp_path):
    data = tmp_path / "test.tsv"
    data.write_text("1 2\tnonsense\n1 2\tone two\n3 4\tno sense\n1 2\ttwelve\n")
    alone = model.evaluate(str(data))
    assert alone.metrics["exact"] == 1 / 4
    several = load(digits)
    settings = several.task.config.translate.model_copy(update={"several_right": True})
    several.task.config = several.task.config.model_copy(update={"translate": settings})
    found = several.evaluate(str(data))
    assert found.metrics["exact"] == 1 / 2
    assert found.metrics["loss"] == alone.metrics["loss"]
    assert sum(bucket["count"] for bucket in found.json()["by_length"]) == 2


def test_plot_and_json_by_word(model, tmp_path):
    answer = model("4 0 7")
    assert answer.plot(tmp_path / "seen.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(SeqloomError, match="no attention"):
        model("").plot(tmp_path / "nothing.png")


@pytest.mark.parametrize("given", [None, 5, ["1 2", None], {"text": "1 2"}])
def test_what_is_no_text_says_so(model, given):
    with pytest.raises(DataError, match="is not a text"):
        model(given)


def test_vectors_are_near_for_texts_that_are_alike(model):
    found = model.vectors(["1 2 3", "", "1 2 4", "9 9", "1 2 3"])
    assert found.shape == (5, model.network.source.encoder.output_size)
    torch.testing.assert_close(found[0], found[4])
    torch.testing.assert_close(found[3:4], model.vectors(["9 9"]), rtol=1e-4, atol=1e-5)
    assert [text for text, _ in model.nearest("1 2 3", ["9 9", "1 2 4", "5 6 7"], 1)] == ["1 2 4"]


def test_lists_are_phrases_and_count_in_any_order(tmp_path, model, digits):
    data = tmp_path / "keys.jsonl"
    rows = [{"source": "1 2", "target": ["two", "one"]}, {"source": "3", "target": ["three"]}] * 3
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    train(settings(data, "translate.measure=phrase_f1", "data.valid_share=0.4"), tmp_path / "run", quiet=True)
    assert load(tmp_path / "run").task.tokenizers["text"].tokenize("two; one") == ["two", ";", "one"]
    assert "valid_phrase_f1" in read_metrics(tmp_path / "run")[-1]
    found = load(tmp_path / "run").evaluate(str(data))
    assert found.selection_score == found.metrics["phrase_f1"] == found.json()["phrase_f1"]


def test_another_figure_than_the_one_that_chose_the_model_can_be_asked_for(model, tmp_path):
    data = str(write_pairs(tmp_path / "test.tsv", range(1, 300, 17)))
    found = model.evaluate(data, measure="rouge_l")
    assert found.measure == "rouge_l"
    assert found.selection_score == found.metrics["rouge_l"] == found.counted.value
    assert set(found.json()["interval"]) == {"rouge_l"}
    assert {"rouge_1", "rouge_2"} <= found.metrics.keys()
    assert "rouge_1" not in model.evaluate(data).metrics


def test_an_answer_without_spaces_is_drawn_by_piece(data, tmp_path):
    train(settings(data, "tokens.kind=character"), tmp_path / "run", quiet=True)
    answer = load(tmp_path / "run")("4 0 7", prefix="one", max_length=3)
    pieces, words = answer.attention, answer.words
    assert len(pieces.target) > len(words.target) == 1
    assert answer.weights() is answer.weights(pieces=True) is pieces
    assert answer.weights(pieces=False) is words
    assert words.source == ("4", "0", "7", "<eos>")


def test_a_model_without_attention_answers_all_the_same(data, tmp_path):
    train(settings(data, "model.bridge=last", name="transformer-tiny"), tmp_path / "run", quiet=True)
    answer = load(tmp_path / "run")("4 0 7", prefix="four zero")
    assert answer.text.startswith("four zero")
    assert answer.attention is None
