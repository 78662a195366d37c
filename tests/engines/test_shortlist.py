"""A shortlist: learned from pairs, written as CTranslate2 reads it, and kept to."""

import json
import shutil

import pytest

from seqloom.engines.ctranslate2_package import SHORTLIST
from seqloom.engines.exported import open_alone
from seqloom.engines.shortlist import Shortlist, learn_shortlist
from seqloom.errors import DamagedError, DataError, SeqloomError
from seqloom.storage import write_manifest
from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.run import train
from tests.engines.test_ctranslate2 import TEXTS
from tests.tasks.written_numbers import settings, write_pairs

LEXICON = {4: 9, 5: 8, 6: 11, 7: 10}


def pairs(lexicon=LEXICON):
    """Sentences of two and three words, translated word by word from behind, with a 12 that comes from none."""
    sources = [[a, b] for a in lexicon for b in lexicon] + [[4, 5, 6], [7, 4, 6], [5, 7, 4]]
    return [(source, [*(lexicon[word] for word in reversed(source)), 12]) for source in sources]


def test_it_finds_the_translation_of_each_word():
    found = learn_shortlist(pairs(), 13, 1, shared=False)
    assert found.candidates == {source: [target] for source, target in LEXICON.items()}
    assert {12, *range(4)} <= set(found.frequent)  # <eos> among them: an answer can end


def test_names_stay_names_where_both_sides_have_one_vocabulary():
    found = learn_shortlist(pairs(), 13, 2, shared=True)
    assert all(found.candidates[source][:2] == [source, target] for source, target in LEXICON.items())


def test_what_can_be_written_for_a_source_is_the_union():
    assert Shortlist({4: [9], 5: [8, 7]}, [0, 1]).of([4, 5, 6]) == {0, 1, 9, 8, 7}


def test_tokens_with_spaces_have_no_place_in_the_file():
    found = Shortlist({1: [2, 3], 4: [2], 5: [3]}, [2])
    assert found.as_text(["-", "a", "-", "-", "\t", "b"], ["-", "-", "x", " "]) == "\tx\na\tx\n"
    with pytest.raises(SeqloomError, match="spaces are tokens of their own"):
        Shortlist({}, [3]).as_text([], ["-", "-", "x", " "])


@pytest.fixture(scope="session")
def model(transformer):
    """It knows where the data it was trained on is now."""
    return load(transformer).reading(train=str(transformer.parent / "pairs.tsv"))


@pytest.fixture(scope="session")
def shortlisted(model, tmp_path_factory):
    return model.export(tmp_path_factory.mktemp("engines") / "short", shortlist=2)


def changed(folder, tmp_path, change):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / SHORTLIST).write_text(change((copy / SHORTLIST).read_text()))
    write_manifest(copy)
    return copy


def test_the_exported_folder_says_that_it_has_one(shortlisted, exported):
    assert open_alone(shortlisted).facts.shortlist == 2 and open_alone(exported).facts.shortlist == 0
    assert SHORTLIST in json.loads((shortlisted / "engine.json").read_text())["files"]
    assert SHORTLIST in (shortlisted / "manifest.json").read_text()
    assert "\n7\t7 seven" in (shortlisted / SHORTLIST).read_text()


def test_answers_keep_to_it(shortlisted, model, tmp_path):
    engine = open_alone(shortlisted)
    assert [str(one) for one in engine(TEXTS)] == [str(one) for one in model(TEXTS)]
    few = open_alone(changed(shortlisted, tmp_path, lambda text: "\t<pad> <unk> <bos> <eos>\n4\ttwo\n"))
    for beam in (1, 3):
        answers = few(["4 4", "4 1 2"], beam=beam)
        assert all({"two"} >= set(str(one).split()) for one in answers) and any(map(str, answers))


@pytest.mark.parametrize(
    "change",
    [lambda text: text + "9\n", lambda text: text.replace("seven", "Seven"), lambda text: "10" + text,
     lambda text: text + "other\tseven\n", lambda text: text.split("\n", 1)[1], lambda text: ""],
)  # fmt: skip
def test_a_file_that_is_no_shortlist_is_refused(change, shortlisted, tmp_path):
    with pytest.raises(DamagedError, match=r"vmap.txt is not a shortlist"):
        open_alone(changed(shortlisted, tmp_path, change))


def test_what_has_no_shortlist(model, tmp_path):
    with pytest.raises(SeqloomError, match="only CTranslate2 has a shortlist"):
        model.export(tmp_path / "no", "onnx", shortlist=3)
    with pytest.raises(SeqloomError, match=r"shortlist: -1 is no number of candidates\n.*give 0, or more"):
        model.export(tmp_path / "no", shortlist=-1)
    stranger = Model(model.config, model.task, model.network, model.folder, own=False)
    with pytest.raises(DataError, match=r"not trained by you.*\n.*leave the shortlist out"):
        stranger.export(tmp_path / "no", shortlist=3)
    assert not list(tmp_path.iterdir())
    assert stranger.export(tmp_path / "yes", shortlist=3, trust=True).exists()


def test_two_vocabularies(tmp_path):
    file = write_pairs(tmp_path / "pairs.tsv", range(0, 200, 7))
    train(settings(file, "tokens.joint=false", name="transformer-tiny"), tmp_path / "run", quiet=True)
    model = load(tmp_path / "run")
    folder = model.export(tmp_path / "out", shortlist=1)
    assert "\n7\tseven\n" in (folder / SHORTLIST).read_text()
    assert [str(one) for one in open_alone(folder)(TEXTS[:9])] == [str(one) for one in model(TEXTS[:9])]
