"""Explanations: every definition on any sentence, one id for each symbol in all three views."""

import os
import re

import pytest
import torch

from seqloom.equations import nodes
from seqloom.equations.drawing.graph import call_paths
from seqloom.equations.mathml import mathml
from seqloom.errors import OutputError
from seqloom.explaining import catalogue
from seqloom.explaining.catalogue import find
from seqloom.explaining.example_inputs import ExampleInputs, seeded, split
from seqloom.explaining.explain import explain
from seqloom.explaining.explanation import Explanation, at_path, explain_definition
from seqloom.explaining.page import page
from seqloom.explaining.values import value_of
from tests.equations.every import every_definition, explained


def ids(markup: str) -> set[str]:
    return set(re.findall(r'data-id="([^"]+)"', markup))


@every_definition
def test_each_symbol_of_a_formula_is_in_figure_and_code(definition):
    for view in explained(definition.label).views:
        inner = at_path(definition, view.path)
        prefix = f"{view.path}/" if view.path else ""
        body = inner.body
        symbols = {*body.inputs, *body.weights, *(target for line in body.lines for target in line.targets)}
        names = {prefix + symbol.id for symbol in symbols}
        in_formula = ids("".join(mathml(inner, prefix))) & names
        assert in_formula, "a formula has symbols"
        assert in_formula <= ids(view.code)
        assert in_formula <= ids(view.figure)
        assert {symbol.id for symbol in view.symbols} == names


@every_definition
def test_each_symbol_has_a_meaning_and_a_value(definition):
    example = explained(definition.label)
    recorded = set().union(*(step.values for step in example.steps))
    for note in (note for view in example.views for note in view.symbols):
        assert note.sense, note.id
        assert note.kind in ("part", "parts", "size", "item") or note.id in recorded, note.id


@every_definition
@pytest.mark.parametrize("sentence", ["go", "早上好", "one two three four five six seven"])
def test_every_definition_runs_on_any_sentence(definition, sentence):
    example = explain_definition(definition, sentence)
    assert len(example.steps) in (1, len(example.words))
    for step in example.steps:
        for value in step.values.values():
            assert len(value.data) == torch.Size(value.shape).numel()


@pytest.mark.parametrize("name", ["dot-attention", "conv-seq2seq"])
def test_a_translator_is_found_by_its_name(name):
    example = explain_definition(find(name))
    assert example.labels == ("the", "cat", "sat", "down")
    assert page(example)


def test_steps_hand_on_the_state():
    example = explained("lstm")
    for before, after in zip(example.traces, example.traces[1:], strict=False):
        assert torch.equal(torch.as_tensor(before.values["c"]), torch.as_tensor(after.values["c.before"]))


def test_the_backward_reader_comes_from_the_right():
    example = explained("bidirectional")
    assert list(example.labels) == example.words, "one step for each word"
    behind = [torch.as_tensor(trace.values["H_bwd/h"]) for trace in example.traces]
    taken = [torch.as_tensor(trace.values["H_bwd/h.before"]) for trace in example.traces]
    assert torch.equal(torch.stack(behind), torch.as_tensor(example.traces[0].values["H_bwd"]))
    assert torch.equal(taken[0], behind[1])
    assert torch.equal(taken[-1], torch.zeros_like(taken[-1]))


def test_the_two_readers_have_weights_of_their_own():
    weights = explained("bidirectional").traces[0].weights
    assert not torch.equal(weights["fwd"].weights["W_xh"], weights["bwd"].weights["W_xh"])


def test_the_same_word_is_the_same_row():
    rows = ExampleInputs(find("bare-self-attention"), ["to", "be", "or", "not", "to", "be"]).value("X", 0)
    assert torch.equal(rows[0], rows[4])
    assert not torch.equal(rows[0], rows[1])
    assert torch.equal(rows[2], seeded("or", (4,)))


def test_axes_that_run_over_words_are_labelled_whatever_the_sizes():
    for sentence in ("a b", "a b c", "a b c d", "a b c d e"):  # as long as some width, too
        example = explain_definition(find("self-attention"), sentence)
        values = example.steps[0].values
        assert values["A"].rows == values["A"].columns == example.words
        assert (values["Q"].rows, values["Q"].columns) == (example.words, None)
        assert (values["W_Q"].rows, values["W_Q"].columns) == (None, None)


def test_what_opens_is_found_down_to_the_last_call():
    block = find("decoder-block").bind()
    found = call_paths(block)
    assert len(found) == 8
    opened = at_path(block, next(path for path in found if "head" in path))
    assert opened.name == "scaled_dot_product"
    assert isinstance(opened.body.lines[0].value, nodes.Binary)


def test_explain_takes_a_definition_itself_and_names_in_both_spellings():
    by_name = explain("self_attentive_rnn")
    by_label = explain("self-attentive-rnn", "a b")
    assert isinstance(by_name, Explanation) and isinstance(by_label, Explanation)
    assert by_name.definition is by_label.definition
    given = explain(find("lstm"))
    assert isinstance(given, Explanation)
    assert given.name == "lstm"


def test_a_convolution_sees_zeros_beyond_the_ends():
    example = explain_definition(find("convolution"), "one two three")
    windows = [torch.as_tensor(trace.values["X"]) for trace in example.traces]
    assert len(windows) == 3
    assert torch.equal(windows[0][0], torch.zeros(4))
    assert torch.equal(windows[0][1:], torch.stack([seeded("one", (4,)), seeded("two", (4,))]))
    assert torch.equal(windows[2][2], torch.zeros(4))


@pytest.mark.parametrize(
    "text, words",
    [
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("cafe\u0301!", ["café", "!"]),
        ("👩‍👩‍👧 🇫🇷 3.14", ["👩‍👩‍👧", "🇫🇷", "3.14"]),
        ("a\x00b\x1b c", ["ab", "c"]),
        ("早上好", ["早", "上", "好"]),
    ],
)
def test_words_are_not_torn_apart(text, words):
    assert split(text) == words


def test_what_is_no_number_is_shown_as_such():
    assert value_of(torch.tensor([torch.nan, torch.inf, -torch.inf, 1.0])).data == ["NaN", "∞", "−∞", 1.0]


def test_an_explanation_says_briefly_what_it_is():
    assert repr(explain("lstm", "a b")) == "<explanation of lstm: a b>"
    assert repr(explain("rank")).startswith("<experiment rank: Is the")


def test_a_broken_package_beside_us_is_left_out_with_a_word(monkeypatch, capsys):
    from importlib.metadata import EntryPoint

    broken = EntryPoint(name="foo", value="no_such_module_of_theirs", group=catalogue.ENTRY_POINTS)
    monkeypatch.setattr(catalogue, "entry_points", lambda group: [broken])
    assert len(list(catalogue.modules())) > 20
    assert "left out the definitions of no_such_module_of_theirs" in capsys.readouterr().err


def test_a_page_is_written_through_a_link_and_never_over_a_device(tmp_path):
    (tmp_path / "real.html").write_text("old")
    (tmp_path / "link.html").symlink_to(tmp_path / "real.html")
    explain("dot").save(tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    assert "Dot product" in (tmp_path / "real.html").read_text(encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="is not a regular file"):
        explain("dot").save(tmp_path / "pipe")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link.html", "pipe", "real.html"]
