"""Mutated model folders, data files and run folders: made from a seed, so that each can be made again."""

import gzip
import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import seqloom
from seqloom.data.source import open_source
from seqloom.serving.api.runs import RunInfo
from seqloom.storage import write_manifest
from seqloom.studio.runs import run_data
from seqloom.tokens import tokenizer_file

ODD: list[Any] = [
    None, True, 0, 1, -1, 2, 3, 10**8, 10**12, 2**63, 1e308, -0.5, 0.5, "", "x", "\x1b[31m", "\u2028", "a" * 10_000,
    [], {}, [[]], [1], ["a"], {"a": 1}, {"name": {}}, "lstm", "transformer", "os:system", "/dev/zero", "embedded:x",
    "../../etc/passwd", [8] * 50, [10**9], ["a", "a"], [None], {"labels": None}, float("1e999"),
]  # fmt: skip
"""Values that stand where others are expected."""
ASKED = {
    "mood": "a fine film", "digits": "1 2 3", "song": "la", "words": "the cat sat",
    "numbers": "1 2 3", "graph": "a fine film", "several": "mood a fine film",
}  # fmt: skip
"""What is asked of each model: of four tasks, one in CTranslate2, one in ONNX, and one with two heads."""


# --- model folders ------------------------------------------------------------------------------------


def mutated_folder(models: Path, place: Path, seed: int) -> tuple[str, Path]:
    """A copy of one of the models with a few changes; mostly with a manifest that fits, as a stranger would make it."""
    chance = Random(seed)
    name = chance.choice([name for name in ASKED if (models / name).is_dir()])
    shutil.copytree(models / name, place, ignore=shutil.ignore_patterns("checkpoints", "setup"))
    for _ in range(chance.randint(1, 3)):
        chance.choice(FOLDER_CHANGES)(place, chance)
    manifest = place / "manifest.json"
    if chance.random() < 0.9 and (manifest.is_file() or not os.path.lexists(manifest)):  # to write to a pipe would wait
        write_manifest(place)
    return name, place


def change_json(place: Path, chance: Random) -> None:
    there = sorted(file for file in place.glob("*.json") if file.is_file())  # some may be pipes by now
    if not there:
        return
    file = chance.choice(there)
    try:
        data = json.loads(file.read_text())
        node(data, chance)
        if file.name.endswith(".tokenizer.json") and isinstance(data, dict):
            data["fingerprint"] = tokenizer_file.fingerprint(data)
        file.write_text(json.dumps(data))
    except (ValueError, OSError, RecursionError):
        return


def node(data: Any, chance: Random) -> None:
    """Go down at random, and change what is there."""
    while isinstance(data, dict | list) and data:
        key = chance.choice(sorted(data) if isinstance(data, dict) else range(len(data)))
        inner = data[key]
        if not isinstance(inner, dict | list) or not inner or chance.random() < 0.25:
            match chance.randrange(4):
                case 0:
                    del data[key]
                case 1 if isinstance(inner, int) and not isinstance(inner, bool):
                    data[key] = chance.choice([inner + 1, inner - 1, inner * 2, inner * 10**6, -inner])
                case _:
                    data[key] = chance.choice(ODD)
            return
        data = inner


def flip_bytes(place: Path, chance: Random) -> None:
    file = chance.choice(regular(place))
    data = bytearray(file.read_bytes())
    for _ in range(chance.randint(1, 8) if data else 0):
        data[chance.randrange(min(len(data), chance.choice([16, 600, len(data)])))] = chance.randrange(256)
    file.write_bytes(data)


def regular(place: Path) -> list[Path]:
    return sorted(entry for entry in place.iterdir() if entry.is_file() and not entry.is_symlink())


def cut(place: Path, chance: Random) -> None:
    file = chance.choice(regular(place))
    data = file.read_bytes()
    file.write_bytes(data[: chance.randint(0, len(data))] + (b"\0" * 50 if chance.random() < 0.3 else b""))


def replace(place: Path, chance: Random) -> None:
    file = chance.choice(regular(place))
    file.unlink()
    match chance.randrange(5):
        case 0:
            os.mkfifo(file)
        case 1:
            file.symlink_to("/dev/zero")
        case 2:
            file.mkdir()
        case 3:
            file.write_bytes(b"[" * 50_000)


def change_header(place: Path, chance: Random) -> None:
    file = place / "model.safetensors"
    if not file.is_file():
        return
    data = file.read_bytes()
    size = int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8 : 8 + size])
        node(header, chance)
    except (ValueError, RecursionError):
        return
    text = json.dumps(header).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + size :])


def change_engine(place: Path, chance: Random) -> None:
    """Bytes of what an engine reads, most often where it says what follows."""
    for file in (place / "model.bin", place / "model.onnx"):
        if file.is_file():
            data = bytearray(file.read_bytes())
            for _ in range(chance.randint(1, 4) if data else 0):
                reach = min(len(data), chance.choice([64, 600, 3_000, len(data)]))
                data[chance.randrange(reach)] = chance.choice([0, 1, 127, 255, chance.randrange(256)])
            file.write_bytes(data)


FOLDER_CHANGES: list[Callable[[Path, Random], None]] = [
    change_json, change_json, change_json, change_json, flip_bytes, cut, replace, change_header,
    change_engine,
]  # fmt: skip


def use_model(name: str, folder: Path) -> str:
    """Load a model, ask it, and open it: all that a user does first."""
    model = seqloom.load(folder)
    return str(model(ASKED[name]))[:100]


# --- what a run has written -----------------------------------------------------------------------------


def mutated_run(models: Path, place: Path, seed: int) -> Path:
    """A copy of a run, some of whose files were changed or replaced, with one that says how far it is."""
    chance = Random(seed)
    shutil.copytree(models / chance.choice(["mood", "digits"]), place)
    (place / ".live.json").write_text('{"step": 2, "steps": 9, "epoch": 0.5, "steps_per_second": 1.5}')
    (place / ".lock").write_text(f"{os.getpid()}\n")
    for _ in range(chance.randint(1, 4)):
        folders = [place, *(folder for folder in (place / "checkpoints").glob("*") if folder.is_dir()), place / "setup"]
        chance.choice([change_lines, change_json, cut, replace, flip_bytes])(chance.choice(folders), chance)
    return place


def change_lines(place: Path, chance: Random) -> None:
    """Values of metrics and samples, one line or another."""
    for file in regular(place):
        if file.suffix != ".jsonl" and file.name != ".live.json":
            continue
        lines = file.read_text(errors="replace").splitlines() or ["{}"]
        number = chance.randrange(len(lines))
        try:
            data = json.loads(lines[number])
        except (ValueError, RecursionError):
            continue
        node(data, chance)
        lines[number] = chance.choice([json.dumps(data), "[" * 20_000, '{"step": 1, "sample": "\\ud800"}'])
        file.write_text("\n".join(lines) + "\n")


def use_run(folder: Path) -> str:
    """What the studio says of it, as it is sent."""
    return RunInfo(model="run", ready=False, **run_data(folder)).model_dump_json().encode().decode()[:100]


# --- data files ---------------------------------------------------------------------------------------


def numpy_bytes(shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.arange(float(np.prod(shape)), dtype=np.float32).reshape(shape))
    return stream.getvalue()


SEEDS: dict[str, bytes] = {
    "a.csv": b'label,text\ngood,"a, ""fine"" film"\nbad,poor\n' * 20,
    "a.tsv": b"good\ta fine film\nbad\ta poor film\n" * 20,
    "a.jsonl": b'{"label": "good", "text": "a film", "n": [1, 2.5]}\n{"label": "bad", "text": ""}\n' * 20,
    "a.json": b'[{"label": "good", "text": "a film"}, {"label": "bad", "text": "poor"}]',
    "a.txt": "a film\nein Wörterbuch\n\n".encode() * 20,
    "a.conll": b"The DET\ncat NOUN\n\nsat VERB\n\n" * 20,
    "a.conllu": b"# id = 1\n1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n2\tcat\tcat\tNOUN\t_\t_\t0\troot\t_\t_\n\n" * 9,
    "a.npy": numpy_bytes((5, 3)),
    "b.npy": numpy_bytes((2, 5, 3)),
}
TOKENS = [b'"', b"\n", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"\t", b",", b"{", b"[" * 3_000, b'x","\n' * 3_000,
          b"9" * 400, b"1e999", b"\\ud800", b"'shape': (99999999, 99999)", b"\x1f\x8b", b"PK\x03\x04",
          b"NaN"]  # fmt: skip


def mutated_file(place: Path, seed: int) -> Path:
    """A data file with a few changes, packed now and then."""
    chance = Random(seed)
    name = chance.choice(sorted(SEEDS))
    data = bytearray(SEEDS[name])
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(5):
            case 0:
                data[at:at] = chance.choice(TOKENS)
            case 1:
                del data[at : at + chance.choice([1, 10, 1000])]
            case 2 if data:
                data[at % len(data)] = chance.randrange(256)
            case 3:
                data[at:at] = data[at : at + 200] * chance.choice([2, 50])
            case _:
                data[at:at] = chance.randbytes(chance.choice([1, 8, 300]))
    content = bytes(data)
    if chance.random() < 0.2:
        content, name = gzip.compress(content), f"{name}.gz"
        content = content[: chance.randint(1, len(content))] if chance.random() < 0.5 else content
    (place / name).write_bytes(content)
    return place / name


def use_file(file: Path, seed: int) -> str:
    """Read a file to its end, in one of the ways in which it is read."""
    task = Random(seed).choice([None, "classify", "tag", "generate"])
    found = open_source(str(file), task=task, on_bad=Random(seed).choice(["error", "skip"]))
    return str(sum(1 for _ in found))
