"""From a table of pictures to captions: every model by name, every way to ask."""

import json
import math
from random import Random

import numpy as np
import pytest
import torch
from PIL import Image

import seqloom
from seqloom.errors import ConfigError, DataError
from seqloom.models.registry import names
from seqloom.training import checkpoint
from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.run import train
from tests.once import once
from tests.tasks.drawings import HEIGHT, WIDTH, draw, settings, train_captioner
from tests.typed import typed


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    return once(tmp_path_factory, "drawings", train_captioner)


@pytest.fixture(scope="module")
def model(trained) -> Model:
    return load(trained / "run")


@pytest.fixture
def picture():
    return draw("a blue square below right", Random(3))


def test_pictures_never_seen_are_described(model, trained):
    asked = ["a red square above left", "a blue square below left", "a green square above right"]
    found = model([draw(caption, Random(number)) for number, caption in enumerate(asked)])
    assert [answer.text for answer in found] == asked
    assert model.evaluate(str(trained / "table.tsv")).metrics["exact"] > 0.9


def test_a_path_an_image_an_array_and_bytes_are_one_picture(model, picture, tmp_path):
    picture.save(tmp_path / "one.png")
    given = [str(tmp_path / "one.png"), tmp_path / "one.png", picture, np.asarray(picture), np.asarray(picture) / 255]
    answers = model([*given, (tmp_path / "one.png").read_bytes(), {"image": picture}])
    assert {answer.text for answer in answers} == {"a blue square below right"}
    assert len({round(answer.score, 4) for answer in answers}) == 1
    assert model(picture).json()["picture"] == "picture"


def test_the_words_of_a_place_look_at_that_place(model, picture):
    answer = model(picture)
    grids = answer.weights().grids()
    assert grids.shape == (5, HEIGHT // 4, WIDTH // 4)
    assert np.allclose(grids.sum((1, 2)), 1, atol=1e-5)
    assert answer.attention.picture.shape == (HEIGHT, WIDTH, 3)


@pytest.mark.parametrize("name", names("caption"))
def test_every_name_trains_and_describes(trained, tmp_path, name, picture):
    assert train(settings(trained / "table.tsv", name=name), tmp_path / "run", quiet=True).step == 4
    answers = load(tmp_path / "run")([picture, picture], max_length=4, beam=2, n_best=2)
    assert all(len(answer.tokens) <= 4 and math.isfinite(answer.score) for answer in answers)
    assert len(answers[0].alternatives) == 1


def test_a_run_that_was_stopped_ends_with_the_same_bits(trained, tmp_path):
    table = trained / "table.tsv"
    changes = ["train.checkpoint_every=3", "picture.shift=2"]
    train(settings(table, *changes, steps=6), tmp_path / "whole", quiet=True)
    train(settings(table, *changes, steps=3), tmp_path / "parts", quiet=True)
    train(settings(table, *changes, steps=6), tmp_path / "parts", resume=True, quiet=True)
    whole, parts = (checkpoint.newest(tmp_path / name)[0] for name in ("whole", "parts"))
    assert whole is not None and parts is not None and whole.step == parts.step == 6
    assert all(torch.equal(whole.weights[name], parts.weights[name]) for name in whole.weights)


def test_several_captions_of_a_picture_stay_in_one_split_and_are_all_right(trained, tmp_path):
    rows = [
        {"image": f"drawn/{number}.png", "captions": [f"number {number}", f"the picture {number}"]}
        for number in range(20)
    ]
    table = trained / "several.jsonl"
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    train(settings(table, "data.columns.caption=captions", "data.valid_share=0.2"), tmp_path / "run", quiet=True)
    model = load(tmp_path / "run")
    valid = {record.columns["image"] for record in model.kept_aside("valid")}
    assert 0 < len(valid) < 10
    found = model.evaluate(str(table))
    assert found.json()["sentences"] == 20
    alone = trained / "alone.tsv"
    alone.write_text("image\tcaptions\n" + "".join(f"{r['image']}\t{text}\n" for r in rows for text in r["captions"]))
    assert model.evaluate(str(alone)).json()["sentences"] == 20


def test_commands_describe_and_explain(trained, picture, tmp_path):
    picture.save(tmp_path / "one.png")
    picture.save(tmp_path / "two.jpg", quality=95)
    run = str(trained / "run")
    done = typed("predict", run, "one.png", "two.jpg", "--beam", "3", "--n-best", "2", "--json", folder=tmp_path)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["text"] for line in lines] == ["a blue square below right"] * 2
    assert [line["picture"] for line in lines] == ["one.png", "two.jpg"]
    assert len(lines[0]["alternatives"]) == 1
    assert typed("predict", run, "one.png", "--attention", "seen.html", folder=tmp_path).returncode == 0
    page = (tmp_path / "seen.html").read_text()
    (seen,) = json.loads(page.split('id="data">')[1].split("</script>")[0])["runs"]
    assert seen["title"] == ["a blue square below right"] and len(seen["rows"]["target"]["tokens"]) == 5
    assert seen["picture"]["image"].startswith("data:image/png") and seen["picture"]["columns"] == 4
    assert typed("explain", run, "one.png", "--html", "page.html", folder=tmp_path).returncode == 0
    assert 'class="read"' in (tmp_path / "page.html").read_text()


def test_attention_is_drawn_in_every_format(model, picture, tmp_path):
    answer = model(picture)
    for name in ("seen.html", "seen.png", "seen.json", "seen.txt"):
        answer.plot(tmp_path / name)
    with Image.open(tmp_path / "seen.png") as drawn:
        assert drawn.size[0] > 500
    assert json.loads((tmp_path / "seen.json").read_text())["rows"] == HEIGHT // 4
    assert (tmp_path / "seen.txt").read_text().startswith("a\n")
    assert "PictureEncoder" in str(model.summary())


def test_the_pages_numbers_are_those_of_the_model(model, picture):
    walk = model.explain(picture)
    assert [name for name, _ in walk.parts] == ["encoder", "bridge, h", "bridge, c", "decoder"]
    encoder = walk.parts[0][1]
    pixels = torch.from_numpy(np.asarray(picture).copy())[None]
    with torch.no_grad():
        memory = model.network.source(pixels, torch.tensor([0]))
    torch.testing.assert_close(encoder.traces[0].results[0], memory.hidden[0], atol=1e-4, rtol=1e-4)
    assert "a blue square below right" in walk.title


def test_rows_from_python_name_files_or_hold_pictures(tmp_path):
    random = Random(1)
    rows = [(np.asarray(draw(caption, random)), caption) for caption in ("a red square above left",) * 6]
    model = seqloom.train(
        task="caption", data=rows, out=tmp_path / "run", quiet=True, steps=2, filters=[4], embedding=8,
        decoder_widths=[8], warmup_steps=1,
    )  # fmt: skip
    assert model.config.task == "caption"
    assert model.task.facts["width"] == WIDTH and model.task.facts["colours"] == 3


def test_settings_that_cannot_be_are_refused(trained, tmp_path):
    with pytest.raises(ConfigError, match="5 convolutions that halve the resolution are too many for 14 x 16 pixels"):
        train(settings(trained / "table.tsv", "model.filters=[2,2,2,2,2]"), tmp_path / "run", quiet=True)
    assert not (tmp_path / "run").exists()
    with pytest.raises(ConfigError, match="does not use it"):
        seqloom.train(task="caption", data=str(trained / "table.tsv"), out=tmp_path / "run", bidirectional=True)


def test_a_table_that_names_no_picture_stops_with_its_line(trained, tmp_path):
    table = trained / "wrong.tsv"
    table.write_text(
        "image\tcaption\ndrawn/1.png\ta\ndrawn/none.png\tb\n" + "".join(f"drawn/{n}.png\ta\n" for n in range(2, 30))
    )
    with pytest.raises(DataError) as caught:
        train(settings(table), tmp_path / "run", quiet=True)
    assert f"{table}:3, drawn/none.png" in str(caught.value) and "no such picture" in str(caught.value)
    result = train(settings(table, "data.on_bad=skip"), tmp_path / "run", quiet=True)
    assert result.step == 4
