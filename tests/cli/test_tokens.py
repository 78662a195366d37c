"""`seqloom tokens`: how a text is cut."""

import json

import pytest

from seqloom.storage import write_manifest
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer
from tests.typed import typed


def test_a_text_is_cut_as_the_settings_say(tmp_path):
    lines = typed("tokens", "Don't pay 3.50!", folder=tmp_path).stdout.splitlines()
    assert lines[0] == "text: 4 tokens (word)"
    assert [line.strip() for line in lines[1:]] == ["Don't", "pay", "3.50", "!"]
    shown = typed("tokens", "ab", "--set", "tokens.kind=character", "--json", folder=tmp_path).stdout
    assert [piece["token"] for piece in json.loads(shown)["tokens"]] == ["a", "b"]


@pytest.mark.parametrize("place", ["run", "run/setup"])
def test_a_model_shows_ids_and_what_is_unknown_to_it(tmp_path, place):
    (tmp_path / place).mkdir(parents=True)
    Tokenizer.train(["a fine film"], TokenConfig(kind="word")).save(tmp_path / place / "text.tokenizer.json")
    write_manifest(tmp_path / place)
    shown = typed("tokens", "a dull film", "--model", "run", folder=tmp_path).stdout.splitlines()
    assert shown[0] == "text: 3 tokens (word) of a vocabulary of 7"
    assert [line.split() for line in shown[1:]] == [["4", "a"], ["1", "<unk>", "unknown:", "dull"], ["5", "film"]]


WRONG = [
    (["--set", "tokens.kind=bpe"], "a bpe tokenizer has to be trained on data\n    -> give a trained model"),
    (["--set", "tokens.knd=word"], "tokens.knd: no such setting\n      -> did you mean kind?"),
    (["--model", "none"], "none is not a folder\n    -> give the folder of a trained model"),
    (["--model", "none", "--set", "tokens.lower=true"], "none has its own settings of tokens"),
]


@pytest.mark.parametrize("arguments, what", WRONG)
def test_mistakes_say_what_to_do(tmp_path, arguments, what):
    done = typed("tokens", "a text", *arguments, folder=tmp_path)
    assert done.returncode == 1
    assert what in done.stderr
