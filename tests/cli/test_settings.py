"""`seqloom settings`, and the page that is made from it."""

import json
from pathlib import Path

import pytest

import seqloom
from seqloom.errors import UnknownName
from seqloom.training.run_config import load_run
from seqloom.training.settings_list import check_names, list_settings, page
from tests.typed import typed

DOCS = Path(seqloom.__file__).parent.parent / "docs"


def test_the_page_is_what_the_code_says():
    assert (DOCS / "settings.md").read_text(encoding="utf-8") == page(), (
        "seqloom settings --markdown > docs/settings.md"
    )


def test_every_setting_has_a_sentence():
    for task in ("classify", "tag", "generate", "translate"):
        assert [setting.name for setting in list_settings(task) if not setting.sentence] == []


def test_only_what_the_architecture_reads_is_listed_with_the_defaults_it_has():
    cnn = {setting.name: setting for setting in list_settings("classify", "cnn")}
    assert "model.window" in cnn
    assert not {"model.heads", "model.bidirectional"} & cnn.keys()
    assert cnn["train.learning_rate"].default == 0.001
    tiny = {setting.name: setting.default for setting in list_settings("translate", "transformer-tiny")}
    assert tiny["model.encoder_widths"] == [128] * 4


def test_an_architecture_alone_brings_its_task():
    assert check_names("cnn", None) == ("classify", "cnn")
    assert check_names("rnn-attention", None) == ("translate", "rnn-attention")
    with pytest.raises(UnknownName, match=r"no task is called 'clasify'\n    -> did you mean classify"):
        check_names("clasify", None)


def test_settings_are_shown_as_a_table_and_as_json(tmp_path):
    shown = typed("settings", folder=tmp_path).stdout
    assert "train.learning_rate" in shown
    assert "seqloom settings caption | classify | generate" in shown
    lines = [json.loads(line) for line in typed("settings", "tag", "--json", folder=tmp_path).stdout.splitlines()]
    assert {"name", "default", "sentence"} == lines[0].keys()
    assert any(line["name"].startswith("tag.") for line in lines)


def test_widths_stand_for_those_of_encoder_and_decoder():
    chosen = load_run(None, ["model.widths=[48]"], task="translate", model__name="rnn-attention").model_dump()["model"]
    assert chosen["encoder_widths"] == chosen["decoder_widths"] == [48]
    made = load_run(None, ["model.widths=[48]", "model.encoder=words"], task="translate", model__name="rnn-attention")
    assert made.model_dump()["model"]["decoder_widths"] == [48]  # embeddings as they are have no layers
    with pytest.raises(seqloom.SeqloomError, match="stands for both encoder_widths and decoder_widths"):
        load_run(None, ["model.widths=[48]", "model.encoder_widths=[9]"], task="translate", model__name="rnn-attention")
