"""Languages are told among those that the models read."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from seqloom.serving.segmentation import detect, name_of
from seqloom.serving.segmentation.languages import LanguageGuess, base

TEXTS = {
    "en": "The weather is fine today and we walk to the market.",
    "fr": "Il fait beau aujourd'hui et nous allons au marché.",
    "de": "Das Wetter ist heute schön und wir gehen zum Markt.",
    "zh": "今天天气很好，我们去市场。",
    "pt": "Hoje o tempo está bom e nós vamos ao mercado.",
    "ar": "الطقس جميل اليوم ونحن نذهب إلى السوق.",
    "no": "Været er fint i dag, og vi går til markedet.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_detect(language):
    found = detect(TEXTS[language], list(TEXTS))
    assert found[0].language == language
    assert found[0].confidence > (40 if language == "no" else 80)  # Danish is near
    assert [answer.confidence for answer in found] == sorted((answer.confidence for answer in found), reverse=True)
    assert {answer.language for answer in found} == set(TEXTS)
    assert all(0 <= answer.confidence <= 100 for answer in found)


def test_codes_come_back_as_they_were_given():
    assert detect(TEXTS["zh"], ["en-GB", "zh-Hans", "pt-BR"])[0].language == "zh-Hans"
    assert detect(TEXTS["pt"], ["en-GB", "zh-Hans", "pt_BR"])[0].language == "pt_BR"
    assert detect(TEXTS["no"], ["en", "nb"])[0].language == "nb"
    assert [answer.language for answer in detect(TEXTS["zh"], ["zh-Hant", "zh-Hans", "zh-Hant"])] == [
        "zh-Hant",
        "zh-Hans",
    ]


def test_a_language_that_no_model_reads_is_not_taken_for_another():
    assert detect(TEXTS["en"], ["de"]) == [LanguageGuess("de", 0.0)]


def test_a_spoken_language_counts_as_its_written_one_unless_asked_for():
    alone = detect("你好", ["zh"])[0].confidence
    both = {answer.language: answer.confidence for answer in detect("你好", ["zh", "yue"])}
    assert alone > 90
    assert both["yue"] > both["zh"]


def test_what_cannot_be_told_is_a_guess():
    found = detect(TEXTS["en"], ["und", "de", "tlh", "en"])
    assert [answer.language for answer in found] == ["en", "und", "tlh", "de"]
    assert 0 < found[1].confidence == found[2].confidence < 1


@pytest.mark.parametrize("text", ["", " \n\t", "123 + 4", "😀", "ok"])
def test_a_text_that_says_nothing(text):
    assert detect(text, ["uz", "sr", "en", "und"]) == [LanguageGuess(code, 0.0) for code in ("uz", "sr", "en", "und")]


def test_the_list_is_never_empty():
    assert detect("Hello there", [])[0].language == "und"


def test_odd_texts():
    assert detect("\ud800 a", ["en"])[0].language == "en"
    assert detect(" " * 50_000 + TEXTS["en"] * 50_000, ["fr", "en"])[0].language == "en"
    assert detect(TEXTS["en"] * 40 + TEXTS["fr"] * 5_000, ["fr", "en"])[0].language == "en"  # the beginning tells


def test_threads_do_not_disturb_each_other():
    with ThreadPoolExecutor(8) as pool:
        asked = [(text, [language, "es"]) for language, text in TEXTS.items()] * 20
        found = list(pool.map(lambda ask: detect(*ask)[0].language, asked))
    assert found == list(TEXTS) * 20


def test_nothing_is_loaded_before_it_is_used():
    late = "{'babel', 'py3langid', 'sentencex', 'torch'}"
    script = f"import sys, seqloom.serving.segmentation; print(sorted({late} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=200)
    assert done.stdout.strip() == "[]"


def test_base():
    assert [base(code) for code in ("zh-Hans-CN", "pt_BR", "EN", "und", "")] == ["zh", "pt", "en", "und", ""]


@pytest.mark.parametrize(
    "code, name",
    [
        ("en", "English"), ("de", "German"), ("zh", "Chinese"), ("zh_Hant", "Chinese (Traditional)"),
        ("tlh", "Klingon"), ("und", "Undetermined"), ("xx", "xx"), ("", ""), ("../etc", "../etc"),
        ("a" * 300, "a" * 300), ("en-", "English"),
    ],
)  # fmt: skip
def test_name_of(code, name):
    assert name_of(code) == name
