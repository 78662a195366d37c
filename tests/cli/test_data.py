"""`seqloom data` as a person types it."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer import Typer
from typer.testing import CliRunner

from seqloom.cli import data_view
from seqloom.cli.data import EXAMPLES, data
from seqloom.data.embedded import EMBEDDED
from seqloom.errors import SeqloomError, SeqloomWarning
from tests.typed import typed

app = Typer()
app.command()(data)

HOSTILE = "".join(f"{'pn'[line % 2]}\tnumber{line} is fine\n" for line in range(40))
HOSTILE += "p\t\x1b[31mred [bold]x[/bold] word\nn\tПривет\np\tnumber0 is fine\n\xff\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.tsv").write_bytes(HOSTILE.encode("utf-8").replace("\xff".encode(), b"\xff"))
    (tmp_path / "a.en").write_text("one line\nanother line\n")
    (tmp_path / "a.de").write_text("eine Zeile\nnoch eine Zeile\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, width: int = 80) -> str:
    """What is printed, by a console of this width; a user's mistake is raised."""
    with pytest.MonkeyPatch.context() as patch:
        console = Console(width=width, record=True, force_terminal=False)
        patch.setattr(data_view, "console", console)
        done = CliRunner().invoke(app, [*arguments])
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done.stdout if "--json" in arguments else console.export_text()


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("arguments", [["a.tsv"], ["source=a.en", "target=a.de"], ["--list"], ["get"]], ids=" ".join)
def test_every_line_fits_the_terminal(arguments, width, folder):
    text = run(*arguments, width=width)
    assert text.strip()
    assert max(len(line) for line in text.splitlines()) <= width


def test_what_is_shown_of_a_hostile_file(folder):
    text = run("a.tsv")
    assert "read as classify" in text
    assert "\x1b" not in text
    assert re.search(r"Cyrillic in text, where others are Latin\s+a.tsv:42", text)
    assert re.search(r"invalid UTF-8\s+a.tsv:44", text)
    assert re.search(r"the same record, within a split|another answer", text)
    assert re.search(r"p\s+22\s+█", text)


def test_json_is_one_object(folder):
    found = json.loads(run("source=a.en", "target=a.de", "--json"))
    assert found["task"] == "translate"
    assert found["columns"]["target"]["words"]["most"] == 3


def test_columns_are_chosen_with_set(folder):
    (folder / "b.csv").write_text("stars,review,other\n" + "".join(f"{i % 5},text {i},x\n" for i in range(9)))
    chosen = ["--set", "data.columns.text=review", "--set", "data.columns.label=stars"]
    found = json.loads(run("b.csv", "--task", "classify", *chosen, "--json"))
    assert found["labels"]["label"] == {"0": 2, "1": 2, "2": 2, "3": 2, "4": 1}
    assert list(found["columns"]) == ["text"]


def test_a_table_as_people_have_it_is_recognised(folder):
    lines = "".join(f"a long sentence, number {index}|{index % 2}\n" for index in range(40))
    (folder / "c.csv").write_text(f"feedback|stars\n{lines}")
    turned = "".join(f"{index % 2};a long sentence, number {index}\n" for index in range(40))
    (folder / "e.csv").write_text(f"Urteil;Satz\n{turned}")
    (folder / "d.json").write_text(json.dumps([{"said": f"a long sentence {n}", "kind": n % 2} for n in range(40)]))
    for name, said in (
        ("c.csv", "stars is read as the label, feedback as the text"),
        ("d.json", "kind is read as the"),
        ("e.csv", "Urteil is read as the label, Satz as the text"),
    ):
        with pytest.warns(SeqloomWarning, match=rf"{name}: {said}"):
            found = json.loads(run(name, "--json"))
        assert found["task"] == "classify"
        assert found["labels"]["label"] == {"0": 20, "1": 20}


@pytest.mark.filterwarnings("default")
def test_training_says_its_guess_once_however_often_it_reads_the_file(folder):
    lines = "".join(f"{index % 2};a long sentence, number {index}\n" for index in range(40))
    (folder / "e.csv").write_text(f"Urteil;Satz\n{lines}")
    done = typed("train", "--task", "classify", "--data", "e.csv", "--steps", "2", folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Urteil is read as the label, Satz as the text") == 1


def test_embedded_data_is_listed_and_looked_at(folder):
    listed = json.loads(run("--list", "--json"))
    assert {name: entry["task"] for name, entry in listed.items()} == {n: e.task for n, e in EMBEDDED.items()}
    assert listed["dates"]["parts"] == {"train": 40_000, "valid": 1_000, "test": 2_000}
    assert all(f"embedded:{name}" in run("--list") for name in EMBEDDED)
    assert json.loads(run("embedded:names/valid", "--json"))["records"] == len(EMBEDDED["names"].splits["valid"])


WRONG = {
    "nothing": ([], "no data given", "--list"),
    "no such file": (["none.tsv"], "none.tsv: there is no such file", "check the path"),
    "no such task": (["a.tsv", "--task", "tagg"], "no task is called 'tagg'", "did you mean tag"),
    "no such setting": (["a.tsv", "--set", "data.colums.text=1"], "no such setting", "did you mean columns"),
    "no such column": (["a.tsv", "--set", "data.columns.text=q"], "no column is called 'q'", "data.columns"),
    "no such data set": (["embedded:date"], "no embedded data set", "did you mean dates"),
    "another task": (["embedded:names", "--task", "tag"], "is data for the task classify", "embedded:python-tokens"),
}


@pytest.mark.parametrize("arguments, what, remedy", WRONG.values(), ids=WRONG.keys())
def test_a_mistake_is_one_clear_message(arguments, what, remedy, folder):
    with pytest.raises(SeqloomError, match=re.escape(what)) as error:
        run(*arguments)
    assert remedy in str(error.value)


def test_an_empty_file_is_an_error(folder):
    (folder / "empty.txt").write_bytes(b"")
    with pytest.raises(SeqloomError, match=r"empty.txt: there is no record"):
        run("empty.txt")


def test_examples_name_the_command():
    assert all(example.startswith("seqloom data ") for example in EXAMPLES)


def test_public_data_sets_are_listed(folder, monkeypatch):
    monkeypatch.setenv("SEQLOOM_DATA", str(folder / "kept"))
    listed = json.loads(run("get", "--json"))
    assert listed["multi30k"]["task"] == "translate"
    assert not listed["multi30k"]["here"]
    assert "Fetch one: seqloom data get multi30k" in run("get")


def test_a_public_data_set_that_is_there_is_checked_and_shown_with_its_licence(folder, shared_data, monkeypatch):
    monkeypatch.setenv("SEQLOOM_DATA", str(shared_data))
    text = run("get", "names", width=200)
    assert "licence: MIT" in text
    assert "checked: the SHA-256 of every file is as published" in text
    assert str(shared_data / "names" / "names.txt.gz") in text
    assert "in settings: data:names/train" in text


def test_a_public_data_set_that_cannot_be_fetched_is_an_error(folder, monkeypatch):
    monkeypatch.setenv("SEQLOOM_DATA", str(folder / "kept"))
    monkeypatch.setenv("SEQLOOM_DATA_MIRROR", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(SeqloomError, match=r"names.txt: cannot be downloaded(.|\n)*bring it by hand"):
        run("get", "names")


def test_a_folder_of_frames_is_looked_at_without_a_task(folder):
    for number in range(6):
        label = folder / "moves" / ("up" if number % 2 else "down")
        label.mkdir(parents=True, exist_ok=True)
        np.save(label / f"{number}.npy", np.full((4 + number, 3), number, np.float32))
    found = json.loads(run("moves", "--json"))
    assert (found["records"], found["left_out"]) == (6, {})
    assert "6 records" in run("moves")
