"""The data sets beside the repository are read as their SOURCE.md says they are."""

from collections import Counter

import pytest

from seqloom.data.settings import DataConfig
from seqloom.data.source import open_source
from seqloom.data.splits import open_data


def count(records):
    return sum(1 for _ in records)


def values(records, column):
    return [record.columns[column] for record in records]


def test_multi30k(shared_data):
    config = DataConfig(train=str(shared_data / "multi30k"), source_language="en", target_language="de")
    splits = open_data(config, "translate")
    pairs = list(splits["train"])
    assert (len(pairs), count(splits["valid"]), count(splits["test"])) == (29_000, 1_014, 1_000)
    assert pairs[0].columns == {
        "source": "Two young, White males are outside near many bushes.",
        "target": "Zwei junge weiße Männer sind im Freien in der Nähe vieler Büsche.",
    }
    assert sum(pair.columns["target"] != str(pair.columns["target"]).strip() for pair in pairs) == 40


def test_tatoeba(shared_data):
    file = shared_data / "tatoeba-zh-en" / "cmn.txt.gz"
    assert count(open_source(file, task="translate", columns={"source": 1, "target": 2})) == 28_449


@pytest.mark.parametrize("split, expected", [("train", 20_000), ("val", 5_000)])
def test_imdb(shared_data, split, expected):
    source = open_source(shared_data / "imdb" / f"{split}.tsv.gz", task="classify")
    assert Counter(values(source, "label")) == {"pos": expected // 2, "neg": expected // 2}


def test_rt_polarity(shared_data):
    folder = shared_data / "rt-polarity"
    files = {label: folder / f"rt-polarity.train.{label}.gz" for label in ("pos", "neg")}
    assert Counter(values(open_source(files, task="classify"), "label")) == {"pos": 4_798, "neg": 4_798}


def test_vader(shared_data):
    rows = {"tweets": 4_200, "amazonReviewSnippets": 3_708, "nytEditorialSnippets": 5_190}
    for name, expected in rows.items():
        file = shared_data / "vader-groundtruth" / f"{name}_GroundTruth.txt.gz"
        source = open_source(file, task="classify", columns={"label": 2, "text": 3})
        ratings = [float(str(label)) for label in values(source, "label")]
        assert len(ratings) == expected
        assert all(-4 <= rating <= 4 for rating in ratings)


def test_banking77(shared_data):
    source = open_source(shared_data / "banking77" / "train.csv.gz", task="classify")
    labels = values(source, "label")
    assert (len(labels), len(set(labels))) == (10_003, 77)
    assert next(iter(source)).columns == {"label": "card_arrival", "text": "I am still waiting on my card?"}


@pytest.mark.parametrize(
    "file, sentences, words",
    [
        ("ud-english-ewt/en_ewt-ud-train.conllu.gz", 12_544, 204_577),
        ("ud-english-ewt/en_ewt-ud-dev.conllu.gz", 2_001, 25_147),
        ("ud-chinese-gsd/zh-ud-train.conllu.gz", 3_997, 98_608),
        ("ud-chinese-gsd/zh-ud-dev.conllu.gz", 500, 12_663),
        ("wnut17/wnut17train.conll.gz", 3_394, 62_730),
        ("wnut17/emerging.dev.conll.gz", 1_009, 15_733),
    ],
)
def test_tagged_sentences(shared_data, file, sentences, words):
    tokens = values(open_source(shared_data / file, task="tag"), "tokens")
    assert (len(tokens), sum(map(len, tokens))) == (sentences, words)


def test_tags_of_ewt_and_entities_of_wnut17(shared_data):
    file = shared_data / "ud-english-ewt" / "en_ewt-ud-train.conllu.gz"
    source = open_source(file, columns={"tags": "UPOS", "fine": "XPOS"})
    assert len({tag for tags in values(source, "tags") for tag in tags}) == 17
    assert len({tag for tags in values(source, "fine") for tag in tags}) == 49
    tags = values(open_source(shared_data / "wnut17" / "wnut17train.conll.gz"), "tags")
    assert sum(tag.startswith("B-") for sentence in tags for tag in sentence) == 1_975


@pytest.mark.parametrize(
    "file, lines",
    [("wikitext-2/train.txt.gz", 36_718), ("wikitext-2/valid.txt.gz", 3_760), ("names/names.txt.gz", 32_033)],
)
def test_lines_of_text(shared_data, file, lines):
    assert count(open_source(shared_data / file, task="generate")) == lines


def test_tokens_of_wikitext_and_characters_of_tinyshakespeare(shared_data):
    texts = values(open_source(shared_data / "wikitext-2" / "train.txt.gz", task="generate"), "text")
    assert sum(len(text.split()) + 1 for text in texts) == 2_088_628
    texts = values(open_source(shared_data / "tinyshakespeare" / "input.txt.gz", task="generate"), "text")
    assert sum(len(text) + 1 for text in texts) == 1_115_394


@pytest.mark.parametrize("split, expected", [("train", 7_173), ("val", 700)])
def test_nasa_keywords(shared_data, split, expected):
    source = open_source(
        shared_data / "nasa-keywords" / f"{split}.jsonl.gz",
        columns={"source": "description", "target": "keywords"},
        task="summarise",
    )
    assert count(source) == expected


@pytest.mark.parametrize("split, expected", [("train", 1_992), ("dev", 619)])
def test_scitldr(shared_data, split, expected):
    assert count(open_source(shared_data / "scitldr-a" / f"{split}.jsonl.gz", task="summarise")) == expected


@pytest.mark.parametrize("split, expected", [("train", 19_141), ("val", 1_000)])
def test_acl_titles(shared_data, split, expected):
    file = shared_data / "acl-titles" / f"{split}.tsv.gz"
    assert count(open_source(file, task="summarise", columns={"source": 3, "target": 2})) == expected
