"""Models by name as equations: a step of the definition, with the model's own weights, is a step of the model."""

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from seqloom.equations.count import flat
from seqloom.equations.drawing.graph import call_paths
from seqloom.equations.plain import plain
from seqloom.equations.trace import Number
from seqloom.layers.norms import BatchNorm
from seqloom.models.registry import names
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.stage import Stage
from seqloom.testing import assert_same
from tests.models.seq2seq.test_seq2seq import SCORES, made

SMALL = {"encoder_widths": [5], "decoder_widths": [7]}
NAMED = {
    "lstm-to-lstm": {"encoder_widths": [5], "decoder_widths": [5]},
    "dot-attention": {"encoder_widths": [5], "decoder_widths": [5]},
    "conv-seq2seq": {"encoder_widths": [6] * 2, "decoder_widths": [6] * 3},
    "transformer-tiny": {"encoder_widths": [6] * 4, "decoder_widths": [6] * 4},
    "transformer": {"encoder_widths": [6] * 3, "decoder_widths": [6] * 3},
    "transformer-base": {"encoder_widths": [6] * 6, "decoder_widths": [6] * 6},
    "hybrid": {"encoder_widths": [6] * 2, "decoder_widths": [6] * 2},
}
SOURCE, WRITTEN = torch.tensor([[4, 9, 5, 11]]), [2, 7, 7, 16, 4]


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    """Places are made in the default type: in double, so that equal means the same mathematics."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def named(name: str, **changes) -> Seq2Seq:
    model: Seq2Seq = made(name=name, **{**SMALL, **NAMED.get(name, {}), **changes})
    with torch.no_grad():  # so that no bias, scale or shift is without effect
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return model


def decoder_of(model: Seq2Seq, source=SOURCE) -> Stage:
    return model.stages(source, WRITTEN)[-1]


def attention_in(values: Mapping[str, Number]) -> list[torch.Tensor]:
    """The attention to the source in a trace, layer by layer, as (N, S) for the last position."""
    found = {
        id: torch.as_tensor(value)
        for id, value in values.items()
        if id.rpartition("/")[2] == "alpha" or ("head" in id and id.endswith("/A"))
    }
    layers = []
    for id, value in found.items():
        if value.ndim == 3 and id.split("/")[2][0] in "YA":  # a Transformer's self-attention
            continue
        layers.append(value[None] if value.ndim == 1 else value[:, -1] if value.ndim == 3 else value)
    return layers


def assert_steps_agree(model: Seq2Seq) -> None:
    part = decoder_of(model)
    state = model.start(SOURCE, torch.tensor([4]), weights=True)
    for word, traced in zip(WRITTEN, part.traces(), strict=True):
        step = model.step(torch.tensor([word]), state)
        state = step.state
        assert_close(traced.values["z"], step.logits[0])
        assert_close(traced.values["p"], torch.softmax(step.logits[0], -1))
        seen = attention_in(traced.values) if model.attends else []  # attention to a single context is not handed out
        assert len(seen) == len(step.attention)
        for one, other in zip(seen, step.attention, strict=True):
            assert_close(one, other[0])


@pytest.mark.parametrize("name", names("translate"))
def test_every_model_by_name_computes_its_equations(name):
    assert_steps_agree(named(name))


@pytest.mark.parametrize("order", [{}, {"input_feeding": True}])
@pytest.mark.parametrize("decoder", ["rnn", "gru", "lstm"])
def test_the_other_order_with_any_cell(decoder, order):
    assert_steps_agree(named("rnn-attention", decoder=decoder, order="state-first", **order))


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("decoder", ["gru", "cnn"])
def test_every_score(decoder, score):
    assert_steps_agree(named("rnn-attention", decoder=decoder, score=score, decoder_widths=[10]))


@pytest.mark.parametrize("decoder", names("decoder"))
def test_several_layers_of_different_widths_and_a_memory_of_another(decoder):
    assert_steps_agree(named("rnn-attention", decoder=decoder, decoder_widths=[7, 3]))


@pytest.mark.parametrize("bridge", ["last", "projected", "all"])
@pytest.mark.parametrize("decoder", ["gru", "lstm", "transformer", "ssru", "cnn"])
def test_a_fixed_context(decoder, bridge):
    assert_steps_agree(named("encoder-decoder", decoder=decoder, bridge=bridge, decoder_widths=[5, 5]))


@pytest.mark.parametrize("name", ["rnn-attention", "transformer", "lstm-to-lstm"])
def test_tied_words(name):
    model = named(name, tied="target")
    assert "E.T" in model.readout.definition.source.text
    assert_steps_agree(model)


@pytest.mark.parametrize("name", names("translate"))
def test_the_stages_have_all_weights_of_the_model(name):
    model = named(name)
    shown = {
        weight.untyped_storage().data_ptr()
        for stage in model.stages(SOURCE, WRITTEN)
        for weight in flat(stage.part.weights).values()
    }
    assert {weight.data_ptr() for weight in model.parameters()} <= shown


@pytest.mark.parametrize("name", names("translate"))
def test_gradients_flow_as_in_the_equations(name):
    model = named(name)
    decoder = decoder_of(model)
    slow = torch.stack([traced.results[-1] for traced in decoder.traces()])
    real = torch.ones(1, len(WRITTEN), dtype=torch.bool)
    fast = model(SOURCE, torch.tensor([4]), torch.tensor([WRITTEN]), real).softmax(-1)
    assert_same([fast], [slow], list(model.parameters()))


@pytest.mark.parametrize("name", names("translate"))
def test_the_encoder_computes_its_equations(name):
    assert_encoder_agrees(named(name))


@pytest.mark.parametrize("encoder", ["rnn", "gru", "lstm", "self-attentive-rnn"])
def test_both_readers_compute_their_equations(encoder):
    assert_encoder_agrees(named("rnn-attention", encoder=encoder, encoder_widths=[5, 3]))


def test_vectors_of_zeros_have_no_angle_in_the_equations_either():
    model = named("rnn-attention", encoder="cnn", bidirectional=False, score="cosine", decoder_widths=[5])
    with torch.no_grad():
        model.get_parameter("source.encoder.layers.0.b").fill_(-100.0)
    assert not model.source(SOURCE, torch.tensor([4])).hidden.any()
    assert_steps_agree(model)


def test_norms_after_each_part():
    model = named("transformer", norm="after")
    assert "blocks/Y^1/O" in decoder_of(model).traces(1)[0].values, "the block of 2017 has a norm behind each part"
    assert_steps_agree(model)
    assert_encoder_agrees(model)
    held = sum(weight.numel() for weight in named("transformer").parameters())
    assert sum(weight.numel() for weight in model.parameters()) == held - 2 * 2 * 6, "the norms at both ends"


LEFT_OUT: list[dict[str, Any]] = [
    {"hidden": 0}, {"positions": "none"}, {"positions": "learned"}, {"norm_kind": "none"}, {"norm_kind": "batch"},
    {"residual": False}, {"scaled": False}, {"residual": False, "hidden": 0},
]  # fmt: skip
AFTER = [{"norm": "after", **changes} for changes in LEFT_OUT if changes.keys() & {"hidden", "norm_kind", "residual"}]


@pytest.mark.parametrize("name, changes", [
    *(("transformer", changes) for changes in [*LEFT_OUT, *AFTER]),
    *(("hybrid", changes) for changes in LEFT_OUT),
    *((name, {"positions": kind}) for name in ("conv-seq2seq", "attention-alone") for kind in ("none", "learned")),
])  # fmt: skip
def test_what_is_left_out_is_left_out_of_the_equations_too(name, changes):
    model = named(name, **changes)
    for part in model.modules():
        if isinstance(part, BatchNorm):  # statistics as after some training
            part.mean.normal_()
            part.variance.uniform_(0.5, 2.0)
    assert_steps_agree(model)
    assert_encoder_agrees(model)
    slow = torch.stack([traced.results[-1] for traced in decoder_of(model).traces()])
    real = torch.ones(1, len(WRITTEN), dtype=torch.bool)
    fast = model(SOURCE, torch.tensor([4]), torch.tensor([WRITTEN]), real).softmax(-1)
    assert_same([fast], [slow], list(model.parameters()))


def test_in_training_batch_norm_counts_real_positions_only():
    """What stands in the padding of source and target changes neither the logits nor the running statistics."""
    found = []
    for filler in (0, 9):
        model = named("transformer", norm_kind="batch").train()
        source, written = (
            torch.tensor([[4, 9, 5, 11], [7, 6, filler, filler]]),
            torch.tensor([[2, 7, 8], [2, 5, filler]]),
        )
        real = torch.tensor([[True, True, True], [True, True, False]])
        logits = model(source, torch.tensor([4, 2]), written, real)
        found.append([logits, *(buffer.clone() for buffer in model.buffers() if buffer.ndim == 1)])
    assert_close(*found)
    assert len(found[0]) > 10, "norms in every block of both sides"


def assert_encoder_agrees(model: Seq2Seq) -> None:
    encoder = model.stages(SOURCE, WRITTEN)[0]
    hidden = model.source(SOURCE, torch.tensor([4])).hidden[0]
    slow = encoder.part(SOURCE[0])
    used = [weight for weight in model.source.parameters() if weight.requires_grad]
    if "mixer" not in type(model.source.encoder).__name__.lower():
        assert_same([hidden], [slow], used)
    assert torch.equal(encoder.traces()[0].results[0], slow)


@pytest.mark.parametrize("name, bridge", [("encoder-decoder", "projected"), ("lstm-to-lstm", "all")])
def test_the_bridge_computes_its_equations(name, bridge):
    model = named(name, bridge=bridge, encoder_widths=[5, 5], decoder_widths=[5, 5])
    stages = model.stages(SOURCE, WRITTEN)
    made = [stage.traces()[0].results[0] for stage in stages if stage.name.startswith("bridge")]
    (layers,) = stages[-1].start["s"].values
    assert_close(made, [value for state in layers for value in state])


def test_nothing_is_made_where_the_state_is_handed_on():
    stages = named("lstm-to-lstm").stages(SOURCE, WRITTEN)
    assert [stage.name for stage in stages] == ["encoder", "decoder"]


def test_formulas_are_those_of_the_papers():
    assert plain(named("rnn-attention").part().bound) == [
        "xₜ = embedding(yₜ)",
        "cₜ = attention(sₜ₋₁, H)",
        "sₜ = cell([xₜ, cₜ], sₜ₋₁)",
        "oₜ = tanh([sₜ, cₜ, xₜ] Wₒ + bₒ)",
        "zₜ = readout(oₜ)",
        "pₜ = softmax(zₜ)",
    ]
    other = plain(named("rnn-attention", order="state-first").part().bound)
    assert other[1:3] == ["sₜ = cell([xₜ, cₜ₋₁], sₜ₋₁)", "cₜ = attention(sₜ, H)"]


def test_a_deep_model_has_a_short_formula():
    three, six = (plain(named(name).part().bound) for name in ("transformer", "transformer-base"))
    assert three[3] == "Y⁽ˡ⁾ = blockₗ(Y⁽ˡ⁻¹⁾, M, past-mask(Y⁽ˡ⁻¹⁾), full-mask(Y⁽ˡ⁻¹⁾, M))   (l = 1, …, 3)"
    assert len(three) == len(six) and six[3].endswith("(l = 1, …, 6)")


def test_a_model_opens_down_to_a_single_gate():
    model = named("rnn-attention")
    assert {"c", "s", "z"} <= set(call_paths(model.part().bound))
    assert {"s/r", "s/z"} <= set(decoder_of(model).traces(1)[0].values)
    lstm = named("rnn-attention", decoder="lstm", decoder_widths=[7, 3])
    assert {"s/cells/s^1/f", "s/cells/s^2/f"} <= set(decoder_of(lstm).traces(1)[0].values), "each layer by itself"
    paths = call_paths(named("transformer").part().bound)
    assert {"blocks", "blocks/Y^3", "blocks/Y^3/Y.1", "blocks/Y^3/Y.1/head.8"} <= set(paths)


def test_a_model_of_one_shape_is_bound_once():
    assert named("transformer").part().bound is named("transformer").part().bound
    assert named("transformer-tiny").part().bound is not named("transformer").part().bound
