"""The file of a tokenizer: nothing lost, nothing run, and a clear word when it is not what was written."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from seqloom.errors import DamagedError, OutputError
from seqloom.tokens import TokenConfig, Tokenizer
from seqloom.tokens.tokenizer_file import fingerprint, text_of
from tests.tokens.examples import KINDS, TEXTS, trained

AGAIN = "\n    -> copy the file again, or train the tokenizer anew"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "source.tokenizer.json"


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_saved_is_loaded(kind, file):
    tokenizer = trained(kind)
    tokenizer.save(file)
    loaded = Tokenizer.load(str(file))
    assert loaded == tokenizer
    assert loaded.config == tokenizer.config
    assert list(loaded.frequency) == list(tokenizer.frequency)
    assert loaded.encode_batch(TEXTS) == tokenizer.encode_batch(TEXTS)
    assert json.loads(file.read_text(encoding="utf-8"))["fingerprint"] == loaded.fingerprint


def test_options_and_typos_are_in_the_file(file):
    config = TokenConfig(kind="word", mend_typos=True, stop_words=("my",), lower=True, min_frequency=2)
    tokenizer = Tokenizer.train([*["my good prince"] * 10, "Prinse"], config)
    tokenizer.save(file)
    loaded = Tokenizer.load(file)
    assert loaded.data == tokenizer.data
    assert loaded.tokenize("MY PRINSE, goood hemlet") == ["prince", "<unk>", "good", "<unk>"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_cut_of_the_file_is_noticed(kind, file):
    trained(kind).save(file)
    whole = file.read_bytes()
    for end in [0, 1, len(whole) // 2, len(whole) - 3]:
        file.write_bytes(whole[:end])
        with pytest.raises(DamagedError, match=rf"^{re.escape(str(file))}: is damaged: it is not JSON \(") as raised:
            Tokenizer.load(file)
        assert str(raised.value).endswith(AGAIN)


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_letter_is_noticed(kind, file):
    trained(kind).save(file)
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace('"t"', '"q"', 1) if '"t"' in text else text.replace('"sat"', '"qat"'), encoding="utf-8"
    )
    with pytest.raises(DamagedError) as raised:
        Tokenizer.load(file)
    assert str(raised.value) == f"{file}: is damaged: it is not what was written{AGAIN}"


def test_no_file(file):
    with pytest.raises(DamagedError) as raised:
        Tokenizer.load(file)
    assert str(raised.value) == f"{file}: there is no such file\n    -> check the path"
    with pytest.raises(DamagedError, match="is not a regular file"):
        Tokenizer.load(file.parent)


@pytest.mark.parametrize("text", ["{}", '{"version": "1.0", "model": {"type": "BPE"}}'])
def test_the_file_of_something_else(text, file):
    file.write_text(text)
    with pytest.raises(DamagedError) as raised:
        Tokenizer.load(file)
    assert str(raised.value) == (
        f"{file}: is not a seqloom tokenizer\n    -> give the *.tokenizer.json of a trained model"
    )


@pytest.mark.parametrize("data", [b"\xff\xfe", b"\x80\x04K\x03.", b"[" * 100_000, b"[]", b"3", b"null"])
def test_what_is_no_json_object(data, file):
    file.write_bytes(data)
    with pytest.raises(DamagedError, match=r"is damaged: it (is not JSON|is not a JSON object|nests deeper)"):
        Tokenizer.load(file)


@pytest.mark.parametrize("number", [2, 0, "1", None])
def test_another_format(number, file):
    file.write_text(json.dumps({"seqloom": "tokenizer", "format": number}))
    with pytest.raises(DamagedError) as raised:
        Tokenizer.load(file)
    assert str(raised.value) == (f"{file}: has format {number!r}, this seqloom reads 1\n    -> install a newer seqloom")


def forged(file: Any, kind: str, change: Callable[[dict[str, Any]], Any]) -> None:
    """A file that was changed by one who knows how fingerprints are made."""
    trained(kind).save(file)
    data = json.loads(file.read_text(encoding="utf-8"))
    change(data)
    data["fingerprint"] = fingerprint(data)
    file.write_text(text_of(data), encoding="utf-8")


@pytest.mark.parametrize(
    "kind, change, what",
    [
        ("word", lambda data: data.pop("settings"), "its settings cannot be used"),
        ("word", lambda data: data.update(settings={"kind": "magic"}), "1 setting cannot be used"),
        ("word", lambda data: data.pop("tokens"), "its tokens cannot be used"),
        ("word", lambda data: data["tokens"].pop(0), "its tokens cannot be used"),
        ("word", lambda data: data.update(tokens=data["tokens"][:4]), "its tokens cannot be used"),
        ("word", lambda data: data["tokens"].append(data["tokens"][-1]), "its tokens cannot be used"),
        ("word", lambda data: data["tokens"].append(["x", -1]), "its tokens cannot be used"),
        ("word", lambda data: data["tokens"].append(["x", True]), "its tokens cannot be used"),
        ("word", lambda data: data["tokens"].append([3, 3]), "its tokens cannot be used"),
        ("word", lambda data: data.update(typos={"x": "y"}), "its typos cannot be used"),
        ("word", lambda data: data.update(typos=[]), "its typos cannot be used"),
        ("word", lambda data: data.update(typos={"x": ["y"]}), "its typos cannot be used"),
        ("bpe", lambda data: data["merges"].append([4, 99_999]), "its merges cannot be used"),
        ("bpe", lambda data: data["merges"].append([4]), "its merges cannot be used"),
        ("bpe", lambda data: data["merges"].append([4, 4]), "its parts do not make a bpe tokenizer"),
        ("bpe", lambda data: data["tokens"].append(["€", 1]), "its parts do not make a bpe tokenizer"),
        ("bpe", lambda data: data.update(merges=[], tokens=data["tokens"][:259]), "its parts do not make a bpe"),
        ("bpe", lambda data: data["tokens"].pop(9), "its parts do not make a bpe tokenizer"),
        ("bpe", lambda data: data["settings"].update(kind="unigram"), "its parts do not make a unigram tokenizer"),
        ("unigram", lambda data: data["scores"].append("x"), "its scores cannot be used"),
        ("unigram", lambda data: data["scores"].append(10**400), "its scores cannot be used"),
        ("unigram", lambda data: data["scores"].pop(), "its parts do not make a unigram tokenizer"),
        ("unigram", lambda data: data["tokens"].pop(9), "its parts do not make a unigram tokenizer"),
        ("character", lambda data: data["tokens"].append(["ab", 1]), "its parts do not make a character tokenizer"),
    ],
)
def test_a_forged_file(kind, change, what, file):
    forged(file, kind, change)
    with pytest.raises(DamagedError, match=f"is damaged: {what}") as raised:
        Tokenizer.load(file)
    assert str(raised.value).endswith(AGAIN)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", '"\\ud800"'])
def test_numbers_and_letters_that_are_none(number, file):
    file.write_text(f'{{"seqloom": "tokenizer", "format": 1, "scores": [{number}], "fingerprint": ""}}')
    with pytest.raises(DamagedError, match=r"is damaged: (it is not what was written|it is not JSON|a text in it)"):
        Tokenizer.load(file)


def test_a_place_that_cannot_be_written(tmp_path):
    with pytest.raises(OutputError, match="cannot write"):
        trained("word").save(tmp_path / "no" / "folder" / "a.tokenizer.json")


def test_the_text_is_for_people_too(file):
    Tokenizer.train(["我爱你"], TokenConfig(kind="character")).save(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[1:3] == ['"seqloom": "tokenizer",', '"format": 1,']
    assert '["我", 1]' in lines[4]
