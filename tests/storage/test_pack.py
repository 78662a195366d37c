"""One file for a model: used as its folder is, and safe whoever wrote it."""

import json
import shutil
import stat
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
import torch

import seqloom
from seqloom.errors import DamagedError, OutputError
from seqloom.serving.model_store import entry_of, named
from seqloom.storage import Pack, digest, open_files
from seqloom.storage.pack import MOST_FILES
from tests.typed import typed

ROWS = list(zip(["one", "two", "three", "four", "five two"] * 4, ["1", "2", "3", "4", "52"] * 4))
SMALL = {"name": "rnn-attention", "embedding": 6, "encoder_widths": [8], "decoder_widths": [8]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small translator, trained for a moment."""
    place = tmp_path_factory.mktemp("trained")
    (place / "pairs.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in ROWS), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEQLOOM_CACHE", str(place / "cache"))
        seqloom.train(
            task="translate", data=str(place / "pairs.tsv"), valid=ROWS[:5], out=place / "run", steps=2, quiet=True,
            model=SMALL, tokens={"kind": "word"}, evaluate_every=1,
        )  # fmt: skip
    return place / "run"


@pytest.fixture(scope="module")
def packed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seqloom.load(folder).pack(tmp_path_factory.mktemp("packed") / "digits.seqloom", license="CC BY 4.0")


def test_a_pack_is_the_model_of_its_folder(folder, packed):
    one, other = seqloom.load(folder), seqloom.load(packed)
    for weight, same in zip(one.network.parameters(), other.network.parameters(), strict=True):
        assert torch.equal(weight, same)
    assert one("one two").json() == other("one two").json()
    assert other.folder == packed


def test_every_command_takes_a_pack(folder, packed, tmp_path):
    shutil.copyfile(packed, tmp_path / "digits.seqloom")
    for command in (["predict", "--json"], ["explain"]):
        told = typed(command[0], "digits.seqloom", "one two", *command[1:], folder=tmp_path)
        assert told.returncode == 0, told.stderr
        same = typed(command[0], str(folder), "one two", *command[1:], folder=tmp_path)
        assert told.stdout.split("digits.seqloom")[0].rstrip() == same.stdout.split(str(folder))[0].rstrip()
    assert "one" in typed("tokens", "one", "--model", "digits.seqloom", folder=tmp_path).stdout
    data = tmp_path / "pairs.tsv"
    data.write_text("one two\t12\nthree\t3\n", encoding="utf-8")
    assert typed("evaluate", "digits.seqloom", str(data), folder=tmp_path).returncode == 0
    served = entry_of(*named(str(packed)))
    assert (served.name, served.task) == ("digits", "translate")


def test_the_command_writes_a_pack_with_a_card(folder, tmp_path):
    told = typed("pack", str(folder), "digits.seqloom", "--license", "CC BY 4.0", folder=tmp_path)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith("written digits.seqloom (")
    assert [file.name for file in tmp_path.iterdir()] == ["digits.seqloom"]
    with ZipFile(tmp_path / "digits.seqloom") as archive:
        assert all(info.compress_type == 0 for info in archive.infolist())
        card = archive.read("README.md").decode()
    for part in ("| task | translate |", "## Validation data", "| model | CC BY 4.0 |", "[train]", "trained on"):
        assert part in card
    assert str(folder.parent) not in card  # where the data lay on this machine is nobody's concern


def test_the_same_model_gives_the_same_bytes(folder, packed, tmp_path):
    again = seqloom.load(packed).pack(tmp_path / "again.seqloom", license="CC BY 4.0")
    assert digest(again) == digest(packed)


def test_an_unpacked_pack_is_a_model_folder(packed, tmp_path):
    with ZipFile(packed) as archive:
        archive.extractall(tmp_path / "folder")
    assert seqloom.load(tmp_path / "folder")("one two").json() == seqloom.load(packed)("one two").json()
    assert open_files(tmp_path / "folder").hashes == open_files(packed).hashes


def test_a_model_goes_on_from_a_pack(packed, tmp_path):
    start = {"model": str(packed), "keep": "all"}
    model = seqloom.train(
        task="translate", data=ROWS, valid=ROWS[:4], model=SMALL, start=start, out=tmp_path / "run", steps=1, quiet=True
    )
    assert model.task.tokenizers == seqloom.load(packed).task.tokenizers


@pytest.mark.parametrize(
    "name, what", [("model.zip", "does not end in .seqloom"), ("no/model.seqloom", "cannot write")]
)
def test_where_a_pack_cannot_be_written(packed, tmp_path, name, what):
    with pytest.raises(OutputError, match=what):
        seqloom.load(packed).pack(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_pack_that_is_there_is_not_overwritten(packed):
    before = packed.stat()
    with pytest.raises(OutputError, match="already exists\n    -> choose another name"):
        seqloom.load(packed).pack(packed)
    assert packed.stat() == before


# --- whoever sent it may mean harm --------------------------------------------------------------------


def rewritten(packed: Path, target: Path, change: Callable[[ZipFile], None], left_out: str = "") -> Path:
    with ZipFile(packed) as source, ZipFile(target, "w") as archive:
        for info in source.infolist():
            if info.filename != left_out:
                archive.writestr(info, source.read(info))
        change(archive)
    return target


def add(name: str, mode: int = stat.S_IFREG | 0o644, content: str = "x", kind: int = 0) -> Callable[[ZipFile], None]:
    def change(archive: ZipFile) -> None:
        info = ZipInfo(name)
        info.external_attr, info.compress_type = mode << 16, kind
        archive.writestr(info, content)

    return change


def many(archive: ZipFile) -> None:
    for number in range(MOST_FILES):
        archive.writestr(f"{number}.json", "{}")


HARMFUL = {
    "parent": (add("../evil"), "is no plain name"),
    "absolute": (add("/etc/cron.d/evil"), "is no plain name"),
    "windows": (add("..\\evil"), "is no plain name"),
    "folder": (add("folder/"), "is no plain name"),
    "control": (add("a\x1b[2J"), "is no plain name"),
    "case": (add("CONFIG.json"), "is there twice"),
    "symlink": (add("link", stat.S_IFLNK | 0o777, "/etc/passwd"), "is no plain file"),
    "device": (add("zero", stat.S_IFCHR | 0o666), "is no plain file"),
    "bomb": (add("bomb", content="0" * 10_000_000, kind=ZIP_DEFLATED), "is compressed"),
    "many": (many, "and a pack has"),
}


@pytest.mark.parametrize("change, what", HARMFUL.values(), ids=HARMFUL)
def test_harmful_packs_are_refused_before_anything_is_read(packed, tmp_path, change, what):
    with pytest.raises(DamagedError, match=what):
        open_files(rewritten(packed, tmp_path / "bad.seqloom", change))


def test_files_that_are_there_twice_are_refused(packed, tmp_path):
    bad = tmp_path / "bad.seqloom"
    with pytest.warns(UserWarning, match="Duplicate"):
        rewritten(packed, bad, lambda archive: archive.writestr("config.json", "{}"))
    with pytest.raises(DamagedError, match=r"'config.json' is there twice"):
        open_files(bad)


def patched(packed: Path, target: Path, change: Callable[[bytearray, int], None]) -> Path:
    """A pack with changed bytes; the change is told where its directory begins."""
    with ZipFile(packed) as archive:
        start = archive.start_dir
    content = bytearray(packed.read_bytes())
    change(content, start)
    target.write_bytes(content)
    return target


def overlap(content: bytearray, start: int) -> None:
    second = content.index(b"PK\1\2", start + 4)
    content[second + 42 : second + 46] = struct.pack("<L", 0)  # begins where the first one does


def endless(content: bytearray, start: int) -> None:
    for at in (20, 24):
        content[start + at : start + at + 4] = struct.pack("<L", 1 << 30)


def encrypted(content: bytearray, start: int) -> None:
    content[start + 8] |= 1


def long_directory(content: bytearray, start: int) -> None:
    content[-10:-6] = struct.pack("<L", 1 << 30)


def comment(content: bytearray, start: int) -> None:
    content[-2:] = struct.pack("<H", 3)
    content += b"abc"


@pytest.mark.parametrize(
    "change, what",
    [
        (overlap, "is called otherwise where it stands"),
        (endless, "lies over another file"),
        (encrypted, "is encrypted"),
        (long_directory, "and a pack has"),
        (comment, "does not end as a zip does"),
    ],
)
def test_directories_that_lie_are_refused(packed, tmp_path, change, what):
    with pytest.raises(DamagedError, match=what):
        Pack(patched(packed, tmp_path / "bad.seqloom", change))


@pytest.mark.parametrize("byte", [0x00, 0x7F, 0xFF])
def test_a_directory_with_any_changed_byte_is_refused_or_says_the_same(packed, tmp_path, byte):
    """zipfile has many errors of its own: of a name that is no UTF-8, of a version to come, of a place that is none."""
    with ZipFile(packed) as archive:
        start = archive.start_dir
    whole = packed.read_bytes()
    for place in range(start, len(whole)):
        (tmp_path / "bad.seqloom").write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
        with suppress(DamagedError):
            open_files(tmp_path / "bad.seqloom").verify()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_pack_that_was_cut_off_is_refused(packed, tmp_path, share):
    content = packed.read_bytes()
    (tmp_path / "cut.seqloom").write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DamagedError, match="is not a valid pack"):
        seqloom.load(tmp_path / "cut.seqloom")


def test_a_changed_byte_of_the_weights_is_noticed(packed, tmp_path):
    def change(content: bytearray, start: int) -> None:
        content[start // 2] ^= 1

    with pytest.raises(DamagedError, match=r"model.safetensors (is damaged|cannot be read)"):
        seqloom.load(patched(packed, tmp_path / "bad.seqloom", change))


def test_a_manifest_that_names_what_is_not_there(packed, tmp_path):
    with pytest.raises(DamagedError, match=r"config.json is missing"):
        open_files(rewritten(packed, tmp_path / "bad.seqloom", lambda archive: None, left_out="config.json")).verify()


def test_a_manifest_cannot_lead_out_of_a_pack(packed, tmp_path):
    def change(archive: ZipFile) -> None:
        archive.writestr("manifest.json", json.dumps({"format": 1, "files": {"../../etc/passwd": "0" * 64}}))

    bad = rewritten(packed, tmp_path / "bad.seqloom", change, left_out="manifest.json")
    with pytest.raises(DamagedError, match="which is not a file of a model"):
        open_files(bad)


def test_zip_files_larger_than_4_gib_say_their_sizes_twice(packed, tmp_path):
    """The record for large files is looked at too: it alone may not promise more than there is."""
    content = packed.read_bytes()
    end = content[-22:]
    count, length, offset = struct.unpack("<HLL", end[10:20])
    for claimed, sound in ((count, True), (1 << 40, False)):
        record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, claimed, claimed, length, offset)
        where = struct.pack("<4sLQL", b"PK\6\7", 0, len(content) - 22, 1)
        (tmp_path / "large.seqloom").write_bytes(content[:-22] + record + where + end)
        if sound:
            open_files(tmp_path / "large.seqloom")
        else:
            with pytest.raises(DamagedError, match="and a pack has"):
                open_files(tmp_path / "large.seqloom")
