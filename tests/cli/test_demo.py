"""The demo, with a model that has hardly learned: what it shows must not depend on how good the model is."""

import re
from typing import Any

import pytest

from seqloom.cli import demo


@pytest.fixture
def short(monkeypatch, tmp_path):
    """Three steps of a small model."""
    monkeypatch.chdir(tmp_path)
    quick: dict[str, Any] = {**demo.SETTINGS["train"], "steps": 3, "warmup_steps": 1}
    model = {**demo.SETTINGS["model"], "embedding": 8, "encoder_widths": [8], "decoder_widths": [8], "hidden": 8}
    monkeypatch.setattr(demo, "SETTINGS", {**demo.SETTINGS, "train": quick, "model": model})
    return tmp_path / "demo"


def test_it_trains_and_shows_right_and_wrong_and_where_it_looked(short, capfd):
    demo.demo(short)
    text = capfd.readouterr().out
    assert re.search(r"^exact match \d+\.\d %$", text, re.MULTILINE)
    assert "✗ (it is " in text
    assert "<eos>" in text  # a column of the attention weights
    assert all(line in text for line in demo.UNFAMILIAR)
    assert text.count("seqloom") >= 3


def test_it_can_be_run_again(short, capfd):
    demo.demo(short)
    first = capfd.readouterr().out
    demo.demo(short)
    again = capfd.readouterr().out
    assert first.split("Of 2,000")[1] == again.split("Of 2,000")[1]


def test_its_settings_are_those_of_the_named_model():
    assert demo.SETTINGS["model"]["name"] == "rnn-attention"
    assert demo.SETTINGS["data"]["train"] == "embedded:dates"
