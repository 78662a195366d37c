"""The input to begin with: of one's own training data; a model of somebody else's opens no file."""

import json

import seqloom
from seqloom.storage import open_files, write_manifest
from seqloom.studio.examples import example_input
from seqloom.training import example_inputs
from seqloom.training.example_inputs import FILE, inputs_to_pack, packed_inputs, training_inputs
from seqloom.training.model import Model
from seqloom.training.model_card import CARD


def test_it_comes_from_ones_own_training_data_where_that_may_be_shown(moods, tmp_path):
    assert example_input(moods, from_data=True) == "it was a fine film"
    frequent = example_input(moods, from_data=False)
    assert frequent != "it was a fine film"
    strange = Model(moods.config, moods.task, moods.network, own=False)
    assert example_input(strange, from_data=True) == frequent, "the files that it names are not opened"
    data = moods.config.data.model_copy(update={"train": str(tmp_path / "gone.tsv")})
    gone = Model(moods.config.model_copy(update={"data": data}), moods.task, moods.network)
    assert example_input(gone, from_data=True) == frequent


def test_a_pack_keeps_a_few_of_ones_own_data_only_if_that_is_wanted(moods, tmp_path):
    silent = seqloom.load(moods.pack(tmp_path / "silent.seqloom"))
    assert packed_inputs(silent) == [], "whoever gets the file could read them"
    told = moods.pack(tmp_path / "told.seqloom", examples=True)
    card = open_files(told).map(CARD).tobytes().decode()
    assert "Inputs of the training data" in card and "it was a fine film" in card
    strange = Model(moods.config, moods.task, moods.network, told, own=False)  # on another machine
    assert not training_inputs(strange), "the file that it names is not opened"
    assert packed_inputs(strange) == ["it was a fine film", "it was a poor film", "it was a great film"]
    assert example_input(strange, from_data=True, number=1) == "it was a poor film"
    assert example_input(strange, from_data=False) not in packed_inputs(strange)
    again = seqloom.load(strange.pack(tmp_path / "again.seqloom", examples=True))
    assert packed_inputs(again) == packed_inputs(strange)


def test_public_data_goes_with_a_pack_unless_it_shall_not(moods, monkeypatch):
    monkeypatch.setattr(example_inputs, "training_inputs", lambda model: ["4 juillet 1976"])
    data = moods.config.data.model_copy(update={"train": "embedded:dates"})
    public = Model(moods.config.model_copy(update={"data": data}), moods.task, moods.network)
    assert inputs_to_pack(public, None) == ["4 juillet 1976"]
    assert inputs_to_pack(public, False) == inputs_to_pack(moods, None) == []


def test_what_somebody_put_there_instead_is_passed_over(moods, tmp_path):
    folder = moods.save(tmp_path / "model")
    (folder / FILE).write_text(json.dumps({"inputs": ["a" * 1000, 7, "", "a film", *["b"] * 99]}))
    write_manifest(folder)
    assert packed_inputs(seqloom.load(folder)) == ["a film", *["b"] * 4]
