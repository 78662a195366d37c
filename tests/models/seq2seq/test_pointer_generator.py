"""The pointer-generator: every decoder that attends may copy, step by step and all at once, as its equations say."""

import pytest
import torch
from torch.testing import assert_close

from seqloom.decoding.stepper import select_rows
from seqloom.equations.count import flat
from seqloom.equations.plain import plain
from seqloom.errors import ConfigError
from seqloom.models.registry import names
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.pointer_generator import CopyingReadout
from seqloom.testing import check_translator
from seqloom.training.loading import load
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.models.seq2seq.test_seq2seq import at_once, settings, stepwise

V = 17


@pytest.fixture
def in_double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def copier(**changes) -> Seq2Seq:
    torch.manual_seed(3)
    return Seq2Seq.of_texts(settings(copying=True, **changes), V, V).eval()


@pytest.mark.parametrize("decoder", names("decoder"))
@pytest.mark.parametrize("tied", ["none", "all"])
def test_every_decoder_copies_as_its_equations_say(in_double, decoder, tied):
    model = copier(decoder=decoder, tied=tied, decoder_widths=[6])
    check_translator(model, [4, 9, 9, 11], [2, 7, 11, 16, 9])
    shown = flat(model.stages(torch.tensor([[4, 9]]), [2])[-1].part.weights)
    assert {"readout.W_Q", "readout.W_g"} <= set(shown)
    assert not {"readout.H", "readout.w"} & set(shown), "the source is no weight"


@pytest.mark.parametrize("decoder", ["gru", "transformer"])
def test_all_steps_at_once_equal_one_by_one_beside_padding(in_double, decoder):
    model = copier(decoder=decoder)
    source, lengths = torch.tensor([[4, 9, 5, 11], [7, 6, 0, 0]]), torch.tensor([4, 2])
    written = torch.tensor([[2, 7, 11], [2, 6, 7]])
    logits = at_once(model, source, lengths, written)
    assert_close(logits, stepwise(model, source, lengths, written))
    assert_close(logits.exp().sum(-1), torch.ones(2, 3), msg="logits are log-probabilities")
    assert_close(logits[1:], at_once(model, source[1:, :2], lengths[1:], written[1:]), msg="padding is never copied")


def test_rows_of_a_state_are_reordered_with_their_sources(in_double):
    model = copier(decoder="gru")
    state = model.start(torch.tensor([[4, 9], [7, 6]]), torch.tensor([2, 2]))
    rows, inputs = torch.tensor([1, 1, 0, 0]), torch.tensor([1, 0])  # two hypotheses of each source
    there = model.step(torch.tensor([8, 8]), state).logits[rows]
    assert_close(model.step(torch.full((4,), 8), select_rows(state, rows, inputs)).logits, there)


def test_a_closed_gate_copies_what_is_pointed_to(in_double):
    model = copier(decoder="gru")
    with torch.no_grad():
        model.get_parameter("copying.b_g").fill_(-50.0)
    p = model.step(torch.tensor([2]), model.start(torch.tensor([[4, 9, 9]]), torch.tensor([3]))).logits[0].exp()
    assert_close(p[[4, 9]].sum(), torch.tensor(1.0))
    assert plain(CopyingReadout.definition)[-1].strip() == "z = log(g p_V + (1 − g) p_S)"


def test_training_with_half_precision_and_label_smoothing_stays_finite():
    from seqloom.layers.cross_entropy import total_cross_entropy

    model = copier(decoder="transformer").train()
    with torch.autocast("cpu", torch.bfloat16):
        logits = model(
            torch.tensor([[4, 9]]), torch.tensor([2]), torch.tensor([[2, 9]]), torch.ones(1, 2, dtype=torch.bool)
        )
    total_cross_entropy(logits, torch.tensor([9, 3]), 0.1).backward()
    assert logits.dtype == torch.float32
    assert all(weight.grad.isfinite().all() for weight in model.parameters() if weight.grad is not None)


@pytest.mark.parametrize("changes, words", [
    (["model.copying=true", "tokens.joint=false"], "target vocabulary can be copied\n.*tokens.joint=true"),
    (["model.copying=true", "tokens.joint=true", "model.name=encoder-decoder"], "copying needs attention"),
])  # fmt: skip
def test_what_cannot_copy_says_why(changes, words):
    with pytest.raises(ConfigError, match=words):
        load_run(None, changes, task="translate", data__train="pairs.tsv")


def test_a_copier_is_trained_answers_in_every_way_and_opens(tmp_path):
    words = ["ash", "bay", "elm", "fig", "oak", "yew"]
    lines = [f"take {one} and {other}\t{other}\n" for one in words for other in words]
    (tmp_path / "pairs.tsv").write_text("".join(lines))
    changes = [
        "model.copying=true", "model.embedding=8", "model.encoder_widths=[8]", "model.decoder_widths=[8]",
        "model.hidden=8", "train.steps=3", "train.warmup_steps=1", "translate.measure=loss",
    ]  # fmt: skip
    config = load_run(
        None, changes, task="translate", data__train=str(tmp_path / "pairs.tsv"), model__name="rnn-attention"
    )
    train(config, tmp_path / "run", quiet=True)
    model = load(tmp_path / "run")
    answer = model("take oak and fig", beam=3, n_best=2, min_length=2)
    assert len(answer.alternatives) == 1
    assert answer.attention is not None
    assert (
        model("take oak and fig", temperature=1.0, seed=1).text
        == model("take oak and fig", temperature=1.0, seed=1).text
    )
    model.explain("take oak").save(tmp_path / "page.html")
    assert "the pointer: a distribution over the source" in (tmp_path / "page.html").read_text()
