"""CTranslate2 gives the texts that torch gives."""

import math
import shutil

import pytest

from seqloom.engines.exported import open_alone
from seqloom.errors import ConfigError, DamagedError, OutputError, SeqloomError
from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.run import train
from tests.tasks.written_numbers import settings, write_pairs

TEXTS = [" ".join(str(number)) for number in range(1, 999, 13)]
NEVER_SEEN = ["7 7 7 7 7 7", "nothing known", "1", "   ", "3 4 5 6 7 8 9 0 1 2 3 4"]


@pytest.fixture(scope="session")
def model(transformer) -> Model:
    return load(transformer)


OPTIONS = [
    {"beam": 1}, {"beam": 4}, {"beam": 5, "n_best": 3}, {"beam": 3, "length_penalty": 0.0}, {"max_length": 2},
    {"beam": 1, "min_length": 4}, {"beam": 1, "no_repeat": 1}, {"prefix": "two", "beam": 1}, {"max_ratio": 0.1},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_texts_and_scores_are_those_of_torch(model, exported, options):
    engine = open_alone(exported)
    for ours, theirs in zip(
        model([*TEXTS, *NEVER_SEEN], attention=False, **options), engine([*TEXTS, *NEVER_SEEN], **options), strict=True
    ):
        assert (theirs.text, len(theirs.alternatives)) == (ours.text, len(ours.alternatives))
        assert theirs.token_scores == pytest.approx(ours.token_scores, abs=2e-4)
        assert theirs.score == pytest.approx(ours.score, abs=2e-4)
        assert (theirs.source, theirs.cut, theirs.unseen) == (ours.source, ours.cut, ours.unseen)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_texts_are_the_same_where_nobody_asks_for_scores(exported, options):
    quick, engine = open_alone(exported, token_scores=False), open_alone(exported)
    for one, other in zip(
        quick([*TEXTS, *NEVER_SEEN], **options), engine([*TEXTS, *NEVER_SEEN], **options), strict=True
    ):
        assert (one.text, one.tokens) == (other.text, other.tokens)
        assert math.isnan(one.score) == (options.get("beam") == 1 and bool(one.tokens))


@pytest.mark.parametrize(
    "changes",
    [
        ["model.norm=after", "model.tied=all"],
        ["model.positions=learned", "model.tied=target", "model.scaled=false", "tokens.joint=false"],
        ["model.positions=none", "model.encoder_widths=[16,16]"],
    ],
    ids=str,
)
def test_every_transformer_it_can_express(tmp_path, changes):
    pairs = write_pairs(tmp_path / "pairs.tsv", range(0, 200, 7))
    train(settings(pairs, *changes, name="transformer-tiny"), tmp_path / "run", quiet=True)
    model = load(tmp_path / "run")
    engine = open_alone(model.export(tmp_path / "out"))
    for beam in (1, 3):
        assert [str(one) for one in engine(TEXTS[:9], beam=beam)] == [str(one) for one in model(TEXTS[:9], beam=beam)]


def test_int8_is_smaller_and_writes(model, exported, tmp_path):
    small = model.export(tmp_path / "small", int8=True)
    assert (small / "model.bin").stat().st_size < (exported / "model.bin").stat().st_size
    same = sum(str(one) == str(other) for one, other in zip(open_alone(small)(TEXTS), model(TEXTS, attention=False)))
    assert same > 0.8 * len(TEXTS)


def test_the_exported_folder_is_a_model_like_any_other(model, exported, transformer):
    loaded = load(exported)
    assert [str(one) for one in loaded(TEXTS)] == [str(one) for one in model(TEXTS)]
    rows = [{"source": text, "target": "one two"} for text in TEXTS[:5]]
    metrics = loaded.evaluate(rows).metrics
    assert metrics == {
        name: pytest.approx(value) for name, value in model.evaluate(rows).metrics.items() if name in metrics
    }
    assert "loss" not in metrics and "exact" in metrics
    assert open_alone(exported).facts.made_from == str(transformer.resolve())


def test_what_it_cannot_do_is_said(exported, digits, tmp_path):
    engine = open_alone(exported)
    with pytest.raises(ConfigError, match=r"temperature: the engine ctranslate2 has no other than 0"):
        engine("1 2", temperature=1.0)
    with pytest.raises(SeqloomError, match=r"model.encoder = gru, model.decoder = gru\n    -> use it with torch"):
        load(digits).export(tmp_path / "no")
    assert not (tmp_path / "no").exists() and not list(tmp_path.iterdir())
    with pytest.raises(OutputError, match="already exists"):
        load(digits).export(tmp_path)
    with pytest.raises(SeqloomError, match="exported already"):
        load(exported).export(tmp_path / "again")


def test_a_damaged_folder_is_refused(exported, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(exported, copy)
    weights = bytearray((copy / "model.bin").read_bytes())
    weights[1000] ^= 1
    (copy / "model.bin").write_bytes(weights)
    with pytest.raises(DamagedError, match=r"model.bin is damaged"):
        open_alone(copy)
