"""A model folder from a stranger who has computed its manifest anew: what is read of it, and what is refused."""

import json
import os
import resource
import signal
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from seqloom.errors import DamagedError
from seqloom.storage import ModelFiles, new_folder, open_files, read_tensors, write_json, write_manifest, write_tensors
from seqloom.storage.writing import MANIFEST
from tests.forked import forked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with new_folder(tmp_path / "model") as part:
        write_json(part / "config.json", {"a": 1})
        write_tensors(part / "model.safetensors", {"W": torch.randn(2, 3), "n": torch.arange(5)})
    return tmp_path / "model"


def test_what_was_written_is_read(folder):
    files = open_files(folder)
    files.verify()
    assert files.json("config.json") == {"a": 1}
    assert {name: info.shape for name, info in files.tensor_infos("model.safetensors").items()} == {
        "W": (2, 3),
        "n": (5,),
    }
    for name, tensor in load_file(folder / "model.safetensors").items():
        assert torch.equal(files.tensors("model.safetensors")[name], tensor)


def test_a_file_that_the_manifest_does_not_name_is_not_there(folder):
    (folder / "extra.tokenizer.json").write_text("{}")
    files = open_files(folder)
    assert "extra.tokenizer.json" not in files.names
    with pytest.raises(DamagedError, match=r"extra\.tokenizer\.json is missing"):
        files.map("extra.tokenizer.json")


def replaced_by_pipe(file: Path) -> None:
    os.mkfifo(file)


def replaced_by_device(file: Path) -> None:
    file.symlink_to("/dev/zero")


def replaced_by_link(file: Path) -> None:
    (file.parent.parent / "elsewhere.json").write_text('{"a": 1}')
    file.symlink_to(file.parent.parent / "elsewhere.json")


@pytest.mark.parametrize("replace", [replaced_by_pipe, replaced_by_device, replaced_by_link, Path.mkdir])
@pytest.mark.parametrize("name", ["config.json", MANIFEST])
def test_only_regular_files_are_opened(replace, name, folder):
    (folder / name).unlink()
    replace(folder / name)
    with pytest.raises(DamagedError, match=f"{name} is not a regular file"):
        open_files(folder).map(name)


def test_every_changed_byte_is_noticed(folder):
    for name in ("config.json", "model.safetensors"):
        before = (folder / name).read_bytes()
        for place in range(0, len(before), 7):
            (folder / name).write_bytes(before[:place] + bytes([before[place] ^ 4]) + before[place + 1 :])
            with pytest.raises(DamagedError, match="is damaged: it is not what was written"):
                open_files(folder).verify()
        (folder / name).write_bytes(before)


@pytest.mark.parametrize("name", ["../outside", "a/b", "/etc/passwd", ".hidden", "", "a\0b", "C:x", "x" * 300])
def test_a_manifest_names_no_path_to_elsewhere(name, folder):
    (folder / MANIFEST).write_text(json.dumps({"format": 1, "files": {name: "0" * 64}}))
    with pytest.raises(DamagedError, match="which is not a file of a model"):
        open_files(folder)


@pytest.mark.parametrize(
    "files", [None, [], {}, {"a": None}, {"a": 3}, {"a": "short"}, {f"f{n}": "0" * 64 for n in range(1_001)}]
)
def test_a_manifest_of_another_form(files, folder):
    (folder / MANIFEST).write_text(json.dumps({"format": 1, "files": files}))
    with pytest.raises(DamagedError, match="names"):
        open_files(folder)


@pytest.mark.parametrize(
    "text, said",
    [
        ('{"a": ' * 40 + "1" + "}" * 40, "nests deeper than 32 levels"),
        ("[" * 100_000, "nests deeper than 32 levels"),
        ('{"a": NaN}', "NaN is no number"),
        ('{"a": "\\ud800"}', "half a character"),
        ('{"a": ' + "1" * 10_000 + "}", "it is not JSON"),
        ("[1]", "not a JSON object"),
        ('{"a": 1}' + " " * (1 << 26), "bytes of JSON, more than"),
    ],
)
def test_json_has_bounds(text, said, folder):
    (folder / "config.json").write_text(text)
    write_manifest(folder)
    with pytest.raises(DamagedError, match=said):
        open_files(folder).json("config.json")


# --- headers of tensors -------------------------------------------------------------------------------


def with_header(folder: Path, header: object, data: bytes = bytes(16)) -> ModelFiles:
    text = json.dumps(header).encode() if not isinstance(header, bytes) else header
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
    write_manifest(folder)
    return open_files(folder)


def entry(shape: object, start: object = 0, end: object = 16, dtype: object = "F32") -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


@pytest.mark.parametrize(
    "header",
    [
        {"W": entry([10**9, 10**9])},
        {"W": entry([5])},
        {"W": entry([4], 0, 17)},
        {"W": entry([4], -16, 0)},
        {"W": entry([-2, -2])},
        {"W": entry([True, 4])},
        {"W": entry([2.0, 2])},
        {"W": entry([4], dtype="PICKLE")},
        {"W": entry([1] * 9 + [4])},
        {"W": entry([4]), "V": entry([4])},  # one over the other
        {"W": entry([2], 0, 8)},  # something behind
        {"W": None},
        {"W": {}},
        b"[]",
        b"{",
    ],
)
def test_a_header_that_does_not_fit_its_file(header, folder):
    with pytest.raises(DamagedError, match=r"model\.safetensors: is damaged: "):
        with_header(folder, header).tensors("model.safetensors")


@pytest.mark.parametrize("content", [b"", bytes(8), (10**12).to_bytes(8, "little"), b"\xff" * 40])
def test_a_file_without_a_header(content, folder):
    (folder / "model.safetensors").write_bytes(content)
    write_manifest(folder)
    with pytest.raises(DamagedError, match="its header does not fit"):
        open_files(folder).tensor_infos("model.safetensors")


def test_every_kind_of_number_is_read_as_the_library_reads_it(tmp_path):
    kinds = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16)
    tensors = {str(kind): torch.arange(6).reshape(2, 3).to(kind) for kind in (*kinds, torch.int8, torch.uint8)}
    file = tmp_path / "all.safetensors"
    save_file({**tensors, "empty": torch.zeros(0, 3), "scalar": torch.tensor(2.5)}, file)
    found, expected = read_tensors(file), load_file(file)
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        assert found[name].dtype == tensor.dtype
        assert torch.equal(found[name], tensor)


def test_a_weights_file_has_the_rights_of_any_other(tmp_path):
    (tmp_path / "other").touch()
    write_tensors(tmp_path / "W.safetensors", {"W": torch.zeros(2)})
    assert (tmp_path / "W.safetensors").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_full_disk_is_said_and_nothing_is_left_behind(tmp_path):
    def save() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with new_folder(tmp_path / "model") as part:
            write_tensors(part / "model.safetensors", {"W": torch.zeros(10_000)})

    found = forked(save)
    assert found.kind == "error", found.text
    assert f"cannot write {tmp_path / 'model'}: File too large" in found.text
    assert list(tmp_path.iterdir()) == []
