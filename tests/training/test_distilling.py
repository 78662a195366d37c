"""Pairs that trained models make of data: whose answers, in which order, stopped and gone on with."""

import gzip
import json
import os

import pytest
from typer.testing import CliRunner

import seqloom
from seqloom.cli import app
from seqloom.errors import SeqloomError
from seqloom.training import distilling, readings
from seqloom.training.model import Model

WORDS = {"eins": "one", "zwei": "two", "drei": "three", "vier": "four", "fünf": "five", "acht": "eight", "neun": "nine"}
PAIRS = list(WORDS.items())
SIZE = {"name": "encoder-decoder", "embedding": 12, "encoder_widths": [12], "decoder_widths": [12]}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Two translators of the numbers, there and back, one that classifies, and a language model of the words."""
    folder = tmp_path_factory.mktemp("teachers")
    back = [(target, source) for source, target in PAIRS]
    small = {"data": {"valid_share": 0}, "tokens": {"kind": "character"}, "train": {"baseline": False, "choose": False}}
    for name, pairs in (("there", PAIRS), ("back", back)):
        rows = [dict(zip(("source", "target"), pair)) for pair in pairs]
        seqloom.train(small, task="translate", data=rows, out=folder / name, steps=30, quiet=True, model=SIZE)
    rows = [{"text": source, "label": target[0]} for source, target in PAIRS]
    seqloom.train(small, task="classify", data=rows, out=folder / "labels", steps=1, quiet=True)
    lines = {"name": "gru", "embedding": 5, "widths": [7], "length": 6}
    texts = [{"text": source} for source, _ in PAIRS]
    seqloom.train(small, task="generate", data=texts, out=folder / "writer", steps=3, quiet=True, model=lines)
    (folder / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS))
    (folder / "sources.txt").write_text("".join(f"{a}\n" for a, _ in PAIRS))
    return folder


def read(file):
    lines = file.read_text().splitlines()
    assert lines[0] == "source\ttarget"
    return [tuple(line.split("\t")) for line in lines[1:]]


def test_answers_stand_beside_what_they_answer(place, tmp_path):
    found = seqloom.distil(
        place / "there", data=place / "pairs.tsv", out=tmp_path / "out.tsv", backward=[place / "back"], copies=2, beam=3
    )
    sources, targets = ([pair[side] for pair in PAIRS] for side in (0, 1))
    there = [answer.text for answer in seqloom.load(place / "there")(sources, beam=3)]
    back = [answer.text for answer in seqloom.load(place / "back")(targets, beam=3)]
    made = [*zip(sources, there), *zip(back, targets)]
    assert read(tmp_path / "out.tsv") == [*PAIRS, *PAIRS, *(pair for pair in made if all(pair))]
    assert (found.records, found.rows) == (7, len(read(tmp_path / "out.tsv")))
    assert str(found).endswith(f"{found.rows} pairs out of 7")


def test_several_answers_of_sources_alone_as_jsonl(place, tmp_path):
    seqloom.distil(place / "there", data=place / "sources.txt", out=tmp_path / "out.jsonl", beam=3, n_best=3)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    (answer,) = seqloom.load(place / "there")(["zwei"], beam=3, n_best=3)
    wanted = [answer.text, *(other.text for other in answer.alternatives)]
    assert [row["target"] for row in rows if row["source"] == "zwei"] == [text for text in wanted if text]


def test_two_files_and_what_would_end_a_row(place, tmp_path):
    (tmp_path / "a.de.gz").write_bytes(gzip.compress("eins\nzwei\u2028zwei\n".encode()))
    (tmp_path / "a.en").write_text("one\ntwo\n")
    files = {"source": tmp_path / "a.de.gz", "target": tmp_path / "a.en"}
    seqloom.distil(backward=place / "back", data=files, out=tmp_path / "out.tsv", copies=1)
    assert read(tmp_path / "out.tsv")[:2] == [("eins", "one"), ("zwei zwei", "two")]


def test_what_was_stopped_goes_on_to_the_same_file(place, tmp_path, monkeypatch):
    monkeypatch.setattr(distilling, "AT_ONCE", 2)
    asked = {"data": place / "pairs.tsv", "copies": 1, "beam": 2}
    seqloom.distil(place / "there", out=tmp_path / "whole.tsv", **asked)
    answer, calls = Model.__call__, []

    def stopped(self, texts, **options):
        calls.append(texts)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return answer(self, texts, **options)

    monkeypatch.setattr(Model, "__call__", stopped)
    with pytest.raises(KeyboardInterrupt):
        seqloom.distil(place / "there", out=tmp_path / "out.tsv", **asked)
    assert not (tmp_path / "out.tsv").exists()
    with (tmp_path / ".out.tsv.part").open("a") as torn:
        torn.write("half a row")
    with pytest.raises(SeqloomError, match="was started with other models, data or options"):
        seqloom.distil(place / "there", out=tmp_path / "out.tsv", **{**asked, "beam": 3})
    seqloom.distil(place / "there", out=tmp_path / "out.tsv", **asked)
    assert calls[3] == ["fünf", "acht"]
    assert (tmp_path / "out.tsv").read_bytes() == (tmp_path / "whole.tsv").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["out.tsv", "whole.tsv"]


def test_mistakes_are_told_before_anything_is_written(place, tmp_path):
    def wrong(match, *models, data=place / "pairs.tsv", out=tmp_path / "out.tsv", **options):
        with pytest.raises(SeqloomError, match=match):
            seqloom.distil(models, data=data, out=out, **options)

    wrong("no model was given")
    wrong("is a model for classify, which writes no texts", place / "labels")
    wrong("neither .tsv nor .jsonl", place / "there", out=tmp_path / "out.txt")
    wrong("5 answers from a beam of 4", place / "there", n_best=5)
    wrong("nowhere", place / "nowhere")
    wrong("none.tsv", place / "there", data=tmp_path / "none.tsv")
    wrong("target", place / "there", data=place / "sources.txt", copies=1)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "out.tsv").write_text("mine")
    wrong("already exists", place / "there")
    assert (tmp_path / "out.tsv").read_text() == "mine"


def test_a_language_model_continues_texts_for_a_student_with_another_vocabulary(place, tmp_path, monkeypatch):
    monkeypatch.setattr(distilling, "AT_ONCE", 3)
    asked = {"data": place / "sources.txt", "length": 5, "copies": 1}
    found = seqloom.distil(place / "writer", out=tmp_path / "out.txt", **asked)
    lines = (tmp_path / "out.txt").read_text().split("\n")
    prompts = [source for source, _ in PAIRS]
    assert lines[:7] == prompts and str(found).endswith("14 texts out of 7")
    model = seqloom.load(place / "writer")
    pieces = [model(prompts[at : at + 3], length=5, temperature=1.0, seed=at) for at in (0, 3, 6)]
    assert lines[7:] == [*"\n".join(one.text for piece in pieces for one in piece).split("\n"), ""]
    seqloom.distil(place / "writer", out=tmp_path / "out.jsonl", **asked)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["text"] for row in rows[:7]] == prompts and len(rows) == 14
    words = {"kind": "word", "lower": True}  # the teacher knows characters alone
    small = {"name": "gru", "embedding": 4, "widths": [6], "length": 3}
    settings = {"data": {"valid_share": 0}, "tokens": words, "train": {"baseline": False, "choose": False}}
    student = seqloom.train(
        settings, task="generate", data=tmp_path / "out.txt", out=tmp_path / "student", steps=1, quiet=True, model=small
    )
    assert student("acht", length=2).text


def test_texts_and_pairs_are_not_mixed(place, tmp_path):
    with pytest.raises(SeqloomError, match="is a model for generate, which writes texts, not pairs"):
        seqloom.distil([place / "there", place / "writer"], data=place / "sources.txt", out=tmp_path / "out.tsv")
    with pytest.raises(SeqloomError, match="ends in neither"):
        seqloom.distil(place / "writer", data=place / "sources.txt", out=tmp_path / "out.tsv")


def test_the_command_writes_and_says_what(place, tmp_path):
    typed = ["distil", place / "there", "--data", place / "pairs.tsv", "--out", tmp_path / "out.tsv", "--copies", "1"]
    done = CliRunner().invoke(app, list(map(str, typed)))
    assert (done.exit_code, "pairs out of 7" in done.stdout) == (0, True), done.output
    done = CliRunner().invoke(app, ["distil", str(place / "there")])
    assert isinstance(done.exception, SeqloomError) and "--data was given 0 times" in str(done.exception)


def test_a_teacher_that_writes_nothing_is_an_error(place, tmp_path, monkeypatch):
    monkeypatch.setattr(readings.PairReading, "answers", lambda self, records, model, options: [[" "] for _ in records])
    with pytest.raises(SeqloomError, match="holds no pair: nothing was written for any of 7 records"):
        seqloom.distil(place / "there", data=place / "pairs.tsv", out=tmp_path / "none.tsv")
