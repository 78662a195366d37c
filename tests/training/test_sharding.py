"""A model whose weights are split over two processes: what one process computes, and nothing is lost."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.distributed.checkpoint.hf_storage import HuggingFaceStorageReader
from torch.distributed.checkpoint.state_dict_loader import load as load_distributed
from torch.testing import assert_close

import seqloom
from seqloom.errors import ConfigError, DamagedError
from seqloom.storage import open_files, write_manifest
from seqloom.training import checkpoint
from seqloom.training.catalogue import untrained
from seqloom.training.metrics import read_metrics
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from seqloom.training.sharding import check_model, write_shard
from seqloom.training.shards import OFFSETS, ShardedTensors
from tests.tasks.songs import write_song
from tests.tasks.tagged import write_tagged
from tests.tasks.written_numbers import write_pairs
from tests.training.together import torchrun

SMALL = [
    "train.shard=true", "model.embedding=12", "model.dropout=0", "train.warmup_steps=2", "train.batch_tokens=150",
    "train.log_every=1", "train.evaluate_every=4", "train.average=0.5", "train.clip=0.3", "train.steps=8",
    "train.accumulate=2", "train.baseline=false",
]  # fmt: skip
BLOCKS = ["model.heads=2", "model.hidden=17"]
TRANSLATE = [
    *BLOCKS,
    "tokens.kind=space",
    "model.tied=all",
    "model.encoder_widths=[12,12]",
    "model.decoder_widths=[12]",
]
WAYS: dict[str, tuple[str, str, Callable[..., Path], list[str]]] = {
    "tag": (
        "tag", "words.conll", write_tagged,
        ["model.widths=[9]", "tag.characters=6", "tag.head=crf", "tag.word_dropout=0"],
    ),
    "generate": (
        "generate", "song.txt", write_song,
        [*BLOCKS, "model.name=transformer", "model.widths=[12,12]", "model.length=10", "model.tied=true"],
    ),
    "translate": ("translate", "pairs.tsv", write_pairs, [*TRANSLATE, "train.r_drop=2"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def sharded(tmp_path_factory):
    """All of them in one torchrun, and beside each the same with one process."""
    folder = tmp_path_factory.mktemp("sharded")
    wanted = []
    for name, (task, file, write, settings) in WAYS.items():
        wanted.append([str(folder / name), "0", task, str(write(folder / file)), *SMALL, *settings])
    torchrun(folder, *" ; ".join(" ".join(arguments) for arguments in wanted).split())
    for run, _, task, data, *settings in wanted:
        train(load_run(None, settings, task=task, data__train=data), Path(f"{run}-alone"), quiet=True)
    return folder


@pytest.mark.parametrize("name", WAYS)
def test_a_sharded_model_learns_what_one_process_learns(sharded, name):
    two, one = read_metrics(sharded / name), read_metrics(sharded / f"{name}-alone")
    assert [line["step"] for line in two] == list(range(1, 9))
    for line, other in zip(one, two, strict=True):
        assert other.keys() == line.keys()
        assert all(other[figure] == pytest.approx(value, rel=1e-4) for figure, value in line.items())
    weights, others = (load_file(sharded / run / "model.safetensors") for run in (name, f"{name}-alone"))
    assert_close(weights, others, rtol=1e-3, atol=1e-5)
    assert seqloom.load(sharded / name).config.train.shard


@pytest.mark.parametrize("name", WAYS)
def test_its_checkpoint_is_written_in_parts_and_without_pickles(sharded, name):
    folder = checkpoint.folder_of(sharded / name, 8)
    parts = [f"shard-{number:05d}-of-00002.safetensors" for number in (1, 2)]
    assert sorted(file.name for file in folder.iterdir()) == ["manifest.json", *parts, "state.json"]
    assert sorted(open_files(folder).names) == [*parts, "state.json"]
    sizes = [sum(tensor.numel() for tensor in load_file(folder / part).values()) for part in parts]
    assert min(sizes) > 0.4 * sum(sizes)
    alone = checkpoint.load(checkpoint.folder_of(sharded / f"{name}-alone", 8)).tensors
    whole = checkpoint.load(folder).tensors
    assert whole.keys() == alone.keys() == {"model", "optimizer", "average"}
    assert {kind: shapes(tensors) for kind, tensors in whole.items()} == {
        kind: shapes(tensors) for kind, tensors in alone.items()
    }


def shapes(tensors):
    return {name: (tensor.shape, tensor.dtype) for name, tensor in tensors.items()}


def test_the_distributed_checkpoint_of_torch_opens_it(sharded):
    folder = checkpoint.folder_of(sharded / "translate", 8)
    tensors = checkpoint.load(folder).tensors
    wanted = {f"{kind}/{name}": tensor for kind, named in tensors.items() for name, tensor in named.items()}
    found = {name: torch.zeros_like(tensor) for name, tensor in wanted.items()}
    with pytest.warns(UserWarning, match="single process"):
        load_distributed(found, storage_reader=HuggingFaceStorageReader(str(folder)), no_dist=True)
    assert_close(found, wanted, rtol=0, atol=0)


def test_one_process_goes_on_where_two_stopped_and_the_other_way_round(sharded, tmp_path):
    _, _, _, settings = WAYS["translate"]
    data = str(sharded / "pairs.tsv")
    given = [*SMALL, *settings]
    more = "train.steps=12"

    def go_on(run, *changes):
        config = load_run(None, [*given, more, *changes], task="translate", data__train=data)
        train(config, run, resume=True, quiet=True)
        return read_metrics(run)

    begun, alone = copied(sharded / "translate", tmp_path), copied(sharded / "translate-alone", tmp_path)
    torchrun(tmp_path, str(alone), "0", "translate", data, *given, more, "--resume")
    for line, other in zip(go_on(begun, "train.shard=false"), read_metrics(alone), strict=True):
        assert all(other[figure] == pytest.approx(value, rel=1e-4) for figure, value in line.items())
    assert load_file(begun / "model.safetensors").keys() == load_file(alone / "model.safetensors").keys()


def copied(run, folder):
    return Path(shutil.copytree(run, folder / run.name))


def test_a_lost_process_of_a_sharded_run_is_started_anew_and_nothing_is_lost(tmp_path):
    task, _, _, settings = WAYS["generate"]
    data = str(write_song(tmp_path / "song.txt"))
    arguments = [task, data, *SMALL, *settings, "model.dropout=0.2", "train.steps=14", "train.checkpoint_every=3"]
    torchrun(tmp_path, str(tmp_path / "whole"), "0", *arguments)
    torchrun(tmp_path, str(tmp_path / "killed"), "8", *arguments, restarts=2)
    assert (tmp_path / "killed" / "was-killed").exists()
    assert read_metrics(tmp_path / "whole") == read_metrics(tmp_path / "killed")
    parts = [f"checkpoints/step-00000014/shard-{number:05d}-of-00002.safetensors" for number in (1, 2)]
    for name in ("model.safetensors", *parts):
        files = [tmp_path / run / name for run in ("whole", "killed")]
        assert files[0].read_bytes() == files[1].read_bytes(), name


def harm(folder, change):
    """Change what the second part says of its rows, with a manifest that fits."""
    file = folder / "shard-00002-of-00002.safetensors"
    offsets = json.loads(open_files(folder).metadata(file.name)[OFFSETS])
    save_file(load_file(file), file, {OFFSETS: json.dumps(change(offsets))})
    write_manifest(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda offsets: {},
        lambda offsets: [],
        lambda offsets: {name: {"saved_offsets": [0] * len(rows["saved_offsets"])} for name, rows in offsets.items()},
        lambda offsets: {name: {"saved_offsets": ["x"]} for name in offsets},
        lambda offsets: {name: {"saved_offsets": [10**12]} for name in offsets},
    ],
)
def test_parts_that_do_not_fit_together_are_a_damaged_checkpoint(sharded, tmp_path, change):
    folder = copied(checkpoint.folder_of(sharded / "generate", 8), tmp_path)
    harm(folder, change)
    with pytest.raises(DamagedError, match="is damaged"):
        checkpoint.load(folder)


def test_a_missing_part_is_a_damaged_checkpoint(sharded, tmp_path):
    folder = copied(checkpoint.folder_of(sharded / "generate", 8), tmp_path)
    (folder / "shard-00002-of-00002.safetensors").unlink()
    with pytest.raises(DamagedError, match=r"shard-00002-of-00002.safetensors is missing"):
        checkpoint.load(folder)
    write_manifest(folder)  # as if there had never been more than the first
    with pytest.raises(DamagedError, match="has 1 parts"):
        ShardedTensors(open_files(folder))


def test_whether_there_is_a_kind_is_known_without_its_tensors(tmp_path, monkeypatch):
    write_shard(tmp_path, 0, 1, {"model": {"weight": torch.ones(3, 2)}})
    write_manifest(tmp_path)
    parts = ShardedTensors(open_files(tmp_path))
    monkeypatch.delattr(ShardedTensors, "__getitem__")
    assert "model" in parts and "average" not in parts


def test_a_run_that_was_stopped_predicts_from_its_parts(sharded, tmp_path):
    run = copied(sharded / "translate", tmp_path)
    (run / "model.safetensors").unlink()
    with pytest.warns(UserWarning, match="is not finished"):
        stopped = seqloom.load(run)
    assert stopped.predict("1").text == seqloom.load(sharded / "translate").predict("1").text
    size = checkpoint.size_to_predict(checkpoint.folder_of(run, 8))
    alone = checkpoint.size_to_predict(checkpoint.folder_of(sharded / "translate-alone", 8))
    assert 0.8 * alone < size < alone


@pytest.mark.parametrize(
    "task, settings, said",
    [
        ("translate", ['model.norm_kind="batch"'], 'the running means of model.norm_kind = "batch"'),
        ("multitask", [], "a model with several heads is trained by one process"),
    ],
)
def test_what_cannot_be_sharded_is_said_when_settings_are_read(task, settings, said):
    with pytest.raises(ConfigError, match=said):
        load_run(None, ["train.shard=true", *settings], task=task)


def test_a_weight_that_cannot_be_split_is_named():
    _, _, model = untrained("rnn-attention", "translate", ["model.score=mlp_score"], 11)
    with pytest.raises(ConfigError, match=r"the single number decoder\..*b_2, which cannot be split"):
        check_model(model)


def test_what_is_no_weight_and_would_differ_between_processes_is_named():
    with pytest.raises(ConfigError, match="the model has running_mean, which is no weight"):
        check_model(torch.nn.BatchNorm1d(3))
