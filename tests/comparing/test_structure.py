"""What a model adds to another one, read from their equations."""

import torch

from seqloom.comparing.structure import differences, formulas, recurrent_layers, structure_of
from seqloom.equations import Part
from seqloom.layers import lstm
from seqloom.models.classifier import classifier_stage
from seqloom.models.predictions import label_probabilities
from seqloom.models.stage import Example, StageExample
from seqloom.training.catalogue import untrained

SMALL = ["model.embedding=8", "model.length=12"]


def example_of(name: str, *changes: str) -> Example:
    """An untrained classifier as equations, for five tokens; nothing is run."""
    _, _, network = untrained(name, "classify", [*SMALL, *changes], 9)
    stage = classifier_stage(network, Part(label_probabilities), torch.arange(5), {})  # type: ignore[arg-type]
    return Example("", [StageExample(stage, stage, [], [], [])])


def test_another_cell_is_new_the_old_one_gone_and_what_both_have_is_not_named():
    rnn, other = (structure_of(example_of(name, "model.widths=[6]")) for name in ("rnn", "lstm"))
    found = {each.name: each for each in differences(rnn, other)}
    assert found["lstm"].change == "new"
    assert [line.plain for line in found["lstm"].lines] == [line.plain for line in formulas(lstm)]
    assert found["simple-rnn"].change == "gone"
    assert {line.fate for line in found["simple-rnn"].lines} == {"gone"}
    assert not {"classifier", "embedding", "readout"} & found.keys()
    assert differences(rnn, rnn) == []
    assert {each.change for each in differences(None, rnn)} == {"new"}


def test_a_definition_that_both_have_otherwise_shows_the_lines_that_changed_and_lights_them_in_the_figure():
    pooled, last = (structure_of(example_of("lstm", f"model.pooling={name}")) for name in ("mean", "attention"))
    assert {each.change for each in differences(pooled, last)} == {"new", "gone"}
    before, after = (structure_of(example_of("transformer", f"model.norm={name}")) for name in ("before", "after"))
    changed = {each.name: each for each in differences(before, after)}
    assert changed  # whichever definitions they are, no line is in them that both models have
    other = structure_of(example_of("mlp", "model.hidden=5"))
    flat = next(each for each in differences(before, other) if each.change == "changed")
    fates = {fate: [line.plain for line in flat.lines if line.fate == fate] for fate in ("new", "gone", "kept")}
    assert all(fates.values())
    assert flat.figure.count("data-lit") >= len(fates["new"])


def test_layers_that_read_one_position_after_the_other_are_counted():
    assert recurrent_layers(example_of("lstm", "model.widths=[6, 5, 4]")) == 3
    assert recurrent_layers(example_of("lstm", "model.widths=[6]", "model.bidirectional=true")) == 1
    assert recurrent_layers(example_of("transformer", "model.heads=2")) == 0
