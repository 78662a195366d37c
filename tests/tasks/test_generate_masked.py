"""Masked language models: what is hidden, and how blanks are filled."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from seqloom.errors import SeqloomError
from seqloom.tasks.generate.batch import IGNORED, MASK, MASKED, REPLACED, mask, masked_tokens
from seqloom.tasks.generate.long_text import LongText
from seqloom.tasks.generate.options import GenerateOptions
from seqloom.tasks.generate.stream import side_by_side
from tests.tasks.generating import CPU, corpus_of, trained, untrained


@pytest.mark.parametrize("rate", [0.15, 0.4])
def test_the_shares_of_bert(rate):
    tokens = np.random.default_rng(1).integers(4, 50, 200_000)
    read, targets = mask(tokens, 50, np.random.default_rng(2), rate)
    chosen = targets != IGNORED
    assert chosen.sum() == round(rate * 200_000)
    assert np.array_equal(read[~chosen], tokens[~chosen])
    assert np.array_equal(targets[chosen], tokens[chosen])
    hidden, kept = (read == MASK)[chosen].mean(), (read == tokens)[chosen].mean()
    assert hidden == pytest.approx(MASKED, abs=0.01)
    assert kept == pytest.approx(1 - MASKED - REPLACED + REPLACED / 46, abs=0.01)
    assert read[chosen & (read != MASK)].min() >= 4


def test_of_a_single_token_the_one_is_asked_for():
    assert mask(np.array([7]), 9, np.random.default_rng(0), 0.15)[1].tolist() == [7]


def test_what_is_unknown_is_never_asked_for():
    read, targets = mask(np.array([1, 7, 1] * 500), 9, np.random.default_rng(0), 0.15)
    assert set(targets.tolist()) == {IGNORED, 7}
    assert np.array_equal(read.reshape(-1, 3)[:, [0, 2]], np.ones((500, 2)))


def test_a_hidden_token_leaks_from_nowhere(song):
    """With other tokens where it is hidden, the model reads, and says, the same."""
    task, model = untrained(song, "generate.objective=masked", model__name="transformer")
    rows = [np.random.default_rng(0).integers(4, task.tokenizer.size, 40).tolist()] * 2
    masks = partial(masked_tokens, segments=side_by_side(40, 20), device=CPU, vocab=9, rate=0.15)
    hidden = masks(LongText(corpus_of(rows[0]), 3), generator=np.random.default_rng(8))
    where = (hidden.tokens == MASK) & (hidden.targets >= 0)
    assert where.any()
    rows[1] = torch.where(where, (hidden.targets + 1 - 4) % 5 + 4, torch.tensor(rows[0]).view(2, 20)).flatten().tolist()
    other = masks(LongText(corpus_of(rows[1]), 3), generator=np.random.default_rng(8))
    assert torch.equal(hidden.tokens, other.tokens)
    assert not torch.equal(hidden.targets, other.targets)
    scores = [model(batch.tokens, batch.lengths, where) for batch in (hidden, other)]
    torch.testing.assert_close(scores[0], scores[1])


def test_a_masked_model_fills_blanks(song):
    changes = ["generate.objective=masked", "tokens.kind=word", "train.steps=300", "model.widths=[24, 24]"]
    model = trained(song, *changes, "model.window=5", "train.learning_rate=0.01", model__name="cnn")
    found = model(["down ___ stream", "life <mask> a ___"])
    assert [str(answer) for answer in found] == ["down the stream", "life is a dream"]
    assert [next(iter(words)) for words in found[1].blanks] == ["is", "dream"]
    assert all(0 < share <= 1 for share in found[1].blanks[0].values())
    assert len(model("down ___ stream", candidates=2).blanks[0]) == 2
    first, again = (model.evaluate(str(song)).metrics for _ in range(2))
    assert first == again
    assert first["accuracy"] > 0.8


@pytest.mark.parametrize("name", ["transformer", "mixer", "lstm"])
@pytest.mark.parametrize("kind", ["character", "bpe", "word"])
def test_every_reader_fills_blanks_with_every_kind_of_token(song, name, kind):
    changes = ["generate.objective=masked", f"tokens.kind={kind}", "tokens.size=300", "model.bidirectional=true"]
    task, model = untrained(song, *changes, model__name=name)
    found: Any = task.predict(model, ["row ___ ___ boat", "___"], GenerateOptions(candidates=3))
    assert [len(answer.blanks) for answer in found] == [2, 1]
    for answer in found:
        words = [next(iter(blank)) for blank in answer.blanks]
        assert answer.text == answer.seed.replace("___", "{}").format(*words)
        assert all(0 < share < 1 for blank in answer.blanks for share in blank.values())
    alone: Any = task.predict(model, ["row ___ ___ boat"], GenerateOptions(candidates=3))[0]
    assert [pytest.approx(blank) for blank in alone.blanks] == list(found[0].blanks)


def test_blanks_that_cannot_be_filled(song):
    model = trained(song, "generate.objective=masked", "train.steps=6", model__name="transformer")
    with pytest.raises(SeqloomError, match=r"no blank in 'a dream'\n    -> write ___ or <mask>"):
        model("a dream")
    with pytest.raises(SeqloomError, match="has 33 tokens including its ends, and the model reads 20"):
        model("___" + "a" * 30)
