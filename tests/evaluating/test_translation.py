"""Texts against references, with sacrebleu's own functions and sums by hand as oracles."""

import json
from typing import Any

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacremoses import MosesTokenizer  # type: ignore[import-untyped]

from seqloom.errors import DataError
from seqloom.evaluating.bootstrap import bleu_from_counts
from seqloom.evaluating.edit_distance import fewest_edits
from seqloom.evaluating.translation import TranslationMetrics
from tests.evaluating.texts import sentences, with_mistakes

RIGHT = sentences(40)
SAID = with_mistakes(RIGHT, 0.2, seed=1)


def test_bleu_and_chrf_are_those_of_sacrebleu():
    found = TranslationMetrics.of(SAID, RIGHT)
    assert found.bleu.score == pytest.approx(sacrebleu.corpus_bleu(SAID, [RIGHT]).score)
    assert found.chrf.score == pytest.approx(sacrebleu.corpus_chrf(SAID, [RIGHT]).score)
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp" in found.bleu.signature
    assert "moses_bleu" not in found.metrics()


def test_several_references_of_different_number():
    other = with_mistakes(RIGHT, 0.4, seed=2)
    several = [(right, extra) if n % 3 else (right,) for n, (right, extra) in enumerate(zip(RIGHT, other))]
    second: list[Any] = [extra if n % 3 else None for n, extra in enumerate(other)]
    found = TranslationMetrics.of(SAID, several)
    assert found.bleu.score == pytest.approx(BLEU().corpus_score(SAID, [RIGHT, second]).score)
    assert found.bleu.score > TranslationMetrics.of(SAID, RIGHT).bleu.score


def test_chinese_is_cut_into_characters():
    found = TranslationMetrics.of(["我爱机器学习。"], ["我爱学习机器。"], language="zh")
    assert "tok:zh" in found.bleu.signature
    assert found.bleu.score > 0
    assert "moses_bleu" not in found.metrics()


def test_moses_bleu_is_of_lower_cased_moses_tokens():
    said, right = (
        ["Ein Mann's Hund, z.B. Rex!", "Zwei Hunde laufen."],
        ["ein Mann's Hund, z.B. Max!", "Zwei Hunde rennen."],
    )
    found = TranslationMetrics.of(said, right, language="de")
    moses = MosesTokenizer(lang="de")
    cut = [[moses.tokenize(text.lower(), return_str=True) for text in texts] for texts in (said, right)]
    expected = sacrebleu.corpus_bleu(cut[0], [cut[1]], tokenize="none", force=True)
    assert found.moses_bleu.score == pytest.approx(expected.score)
    assert found.moses_bleu.score != pytest.approx(found.bleu.score)
    assert "tok:none" in found.moses_bleu.signature and found.moses_bleu.signature.endswith("pre:lower+moses-de")


def test_error_rates_by_hand():
    said = ["AH B AW T", "K AE T", "R EH D", ""]
    right = [["AH B AW T"], ["K AH T", "K AE T S"], ["R IY D", "R EH D"], ["AY"]]
    found = TranslationMetrics.of(said, right)
    assert found.right == (True, False, True, False)
    assert found.exact == 2 / 4
    assert [(e.count, e.length) for e in found.edits] == [(0, 4), (1, 3), (0, 3), (1, 1)]
    assert found.token_error_rate == pytest.approx(2 / 11)


@given(*[st.text("abc", max_size=6)] * 2)
def test_edit_distance_is_what_its_recursion_says(one, other):
    def distance(i, j):
        if not i or not j:
            return i + j
        return min(
            distance(i - 1, j) + 1, distance(i, j - 1) + 1, distance(i - 1, j - 1) + (one[i - 1] != other[j - 1])
        )

    assert fewest_edits(one, [other]).count == distance(len(one), len(other))


def test_json_has_metrics_and_signatures():
    data = json.loads(json.dumps(TranslationMetrics.of(SAID, RIGHT, language="en").json()))
    assert set(data) == {"bleu", "chrf", "moses_bleu", "exact", "token_error_rate", "sentences", "signatures"}
    assert set(data["signatures"]) == {"bleu", "chrf", "moses_bleu"}
    assert [row[0] for row in TranslationMetrics.of(SAID, RIGHT).rows()] == [
        "bleu",
        "chrf",
        "exact",
        "token_error_rate",
    ]


@pytest.mark.parametrize(
    "arguments, says",
    [
        ((["a"], []), "1 hypotheses for 0"),
        (([], []), "no hypotheses"),
        ((["a"], ["a"], ["b", "c"]), "2 sources for 1"),
        ((["a", "b"], ["a", []]), "sentence 2: a hypothesis has no reference"),
    ],
)
def test_lists_that_do_not_go_together_are_refused(arguments, says):
    with pytest.raises(DataError, match=says):
        TranslationMetrics.of(*arguments)


def test_what_is_missing_is_named():
    with pytest.raises(DataError, match="by language"):
        _ = TranslationMetrics.of(["a"], ["a"]).moses_bleu


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_without_a_dictionary_for_it_a_language_is_cut_into_characters(language):
    said, right = ["私は学生です 한국어를"], ["私は学生だ 한국어로"]
    found = TranslationMetrics.of(said, right, language=language)
    assert found.bleu.score == pytest.approx(sacrebleu.corpus_bleu(said, [right], tokenize="char").score)
    assert "tok:char" in found.json()["signatures"]["bleu"]


def test_spaces_around_signs_do_not_make_an_answer_wrong():
    found = TranslationMetrics.of(["Hallo, du (da).", "我 爱 狗", "a b"], ["Hallo , du ( da ) .", "我爱狗", "ab"])
    assert found.right == (True, True, False)
    assert found.token_error_rate == pytest.approx(2 / (7 + 3 + 1))
    assert TranslationMetrics.of(
        ["我爱机器学习吗"], ["我爱机器学习吧"], language="zh"
    ).token_error_rate == pytest.approx(1 / 7)


def test_between_spaces_stands_one_token():
    found = TranslationMetrics.of(["t: a @~"], ["t a @~"], spaced=True)
    assert (found.edits[0].count, found.edits[0].length) == (1, 3)


def test_capitals_do_not_count_for_a_model_that_writes_none():
    said, right = ["der hund schläft im garten .", "eine katze"], ["Der Hund schläft im Garten .", "Eine Maus"]
    cased, small = TranslationMetrics.of(said, right), TranslationMetrics.of(said, right, cased=False)
    lowered = TranslationMetrics.of(said, [text.lower() for text in right])
    assert small.metrics() == lowered.metrics() != cased.metrics()
    assert "case:lc" in small.bleu.signature and "case:lc" in small.chrf.signature
    assert small.exact == 0.5 and cased.exact == 0
    counted = bleu_from_counts(said, small.references, cased=False)
    assert counted.value == pytest.approx(small.bleu.score)
