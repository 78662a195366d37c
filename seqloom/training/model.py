"""A trained model: called with a text, measured on data, asked for vectors, saved and packed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor, nn

import seqloom
from seqloom.attribution import Attribution, Method, attribute
from seqloom.config import check
from seqloom.data.in_memory import as_data, as_several
from seqloom.data.source import open_source
from seqloom.data.splits import Records
from seqloom.engines.engine_module import check_in_torch
from seqloom.errors import ConfigError, DataError, OutputError, SeqloomError, as_path, quoted
from seqloom.evaluating.baselines.score import BaselineScore
from seqloom.models.summary import Summary, summarise
from seqloom.models.weights import weights_of
from seqloom.storage import SUFFIX, new_folder, open_files, write_pack, write_tensors
from seqloom.tasks.requests import Keys
from seqloom.tasks.task import Evaluation, Task
from seqloom.training.example_inputs import inputs_to_pack, write_inputs
from seqloom.training.metrics import FILE, has_metrics, metrics_text, read_metrics
from seqloom.training.model_card import CARD, as_markdown, facts_of
from seqloom.training.model_html import as_html
from seqloom.training.nearest_neighbours import Near, nearest
from seqloom.training.run_config import RunConfig
from seqloom.training.run_folder import is_unfinished
from seqloom.training.saved_baselines import read_baselines, write_baselines
from seqloom.training.saved_task import (
    WEIGHTS,
    not_own,
    save_task,
)
from seqloom.training.trusted_runs import mark_on
from seqloom.vectors.word_vectors import WordVectors


class Model:
    """A trained model, ready to be called.

    model("a text")                answers one input
    model(["one", "another"])      answers several, in order
    model("a text", beam=8)        takes the options of its task, as `model.task.Options` lists them
    """

    def __init__(
        self, config: RunConfig, task: Task[Any], network: nn.Module, folder: Path | None = None, *, own: bool = True
    ) -> None:
        """Put a model together from its settings, its task and its trained module; `seqloom.load` does.

        own     whether the user trained it, so that the files its settings name may be opened
        """
        self.config, self.task, self.network, self.folder, self.own = config, task, network, folder, own

    def __call__(self, texts: Any, **options: Any) -> Any:
        """Answer one input, or a list of inputs by a list of answers; each can be printed, and has `json()`.

        A column of a data frame, an array of texts and an iterator are lists too.
        """
        chosen = self.options(**options)
        several = as_several(texts)
        if several is not None:
            return self.task.predict(self.network, several, chosen)
        return self.task.predict(self.network, [texts], chosen)[0]

    def predict(self, texts: Any, **options: Any) -> Any:
        """Answer one input, or a list of them, as calling the model does."""
        return self(texts, **options)

    def stream(self, chunks: Iterable[Sequence[Any]], **options: Any) -> Iterator[Any]:
        """Answer inputs that come in chunks, in constant memory; sampling does not depend on the size of the chunks.

        Where an input cannot be read, those before it are answered first.
        """
        chosen = self.options(**options)
        seeds = Keys(getattr(chosen, "seed", 0))
        for chunk in chunks:
            keys = seeds.of(chunk)
            try:
                found = self.task.predict(self.network, chunk, chosen, keys)
            except SeqloomError:
                for given, key in zip(chunk, keys, strict=True):
                    yield from self.task.predict(self.network, [given], chosen, [key])
            else:
                yield from found

    def reading(self, **changes: Any) -> Model:
        """Return the same model with other settings of the section [data], as `on_bad="skip"`."""
        data = check(type(self.config.data), {**self.config.data.model_dump(), **changes}, where="data")
        return Model(self.config.model_copy(update={"data": data}), self.task, self.network, self.folder, own=self.own)

    @property
    def task_name(self) -> str:
        """The name of its task."""
        return self.config.task

    @property
    def option_names(self) -> Iterable[str]:
        """The options that a call may have."""
        return self.task.Options.model_fields.keys()

    def options(self, **options: Any) -> Any:
        """Check options by name and return them as the `Options` of the task; an unknown one is an error."""
        if options and not self.task.Options.model_fields:
            what = f"a model for {self.config.task} has no options"
            raise ConfigError("options", [(name, what, "leave it out") for name in options])
        return check(self.task.Options, options, where="options")

    def evaluate(self, data: Any = None, *, part: str = "valid", trust: bool = False, **options: Any) -> Evaluation:
        """Measure the model on data, files or rows; without any, on a split that training held out.

        trust   open the files that its settings name, though somebody else trained it
        """
        kind = self.task.EvaluateOptions
        chosen = check(kind, options, where="options") if kind else self.options(**options)
        records = self.records(data, part, trust=trust)
        with TemporaryDirectory() as cache:
            corpus = self.task.corpus(records, Path(cache), {})
            found = self.task.evaluate(self.network, corpus, self.device, chosen)
        return replace(found, left_out=records.report)

    def baseline(self, data: Any = None, *, part: str = "valid", trust: bool = False) -> list[BaselineScore]:
        """Return what simple models reach on data; without any, what they reached on the validation data of its run.

        They are trained in seconds, on the data that the model was trained on.
        """
        if data is None and part == "valid" and (measured := self.measured_baselines()):
            return measured
        train = training_data(self, "leave the baseline out", trust=trust)
        return self.task.baseline(train, self.records(data, part, trust=trust))

    def measured_baselines(self) -> list[BaselineScore]:
        """Return what simple models reached when it was trained; nothing if they were not asked for."""
        if self.folder is None or is_unfinished(self.folder):
            return []
        return read_baselines(open_files(self.folder))

    def records(self, data: Any, part: str, *, trust: bool = False) -> Records:
        """Open data, files or rows; without any, a split that training held out."""
        if data is None:
            return self.kept_aside(part, trust=trust)
        return open_source(as_data(data), task=self.task.columns, **self.config.data.how())

    def kept_aside(self, part: str, *, trust: bool = False) -> Records:
        """Open the split `valid` or `test` of its training data: given, found, or split off by the same seed."""
        if not (self.own or trust):
            raise not_own(self.folder or "this model", "give data to measure on")
        parts = self.task.open_data(self.config)
        if part == "train" or part not in parts:
            there = ", ".join(name for name in parts if name != "train") or "nothing"
            what = f"no part {part!r} was kept aside in training, but {there}"
            raise DataError(what, remedy="give data to measure on")
        return parts[part]

    # --- looking at it ------------------------------------------------------------------------------

    def explain(self, given: Any = None) -> Any:
        """Open the model with an input of yours: figure, formula and numbers of every stage; `.save(path)` it."""
        return seqloom.explain(self, given)

    def attribute(self, given: Any, method: Method = "integrated") -> Attribution:
        """Attribute each output to the inputs: which words the label, the tag or the next token came from.

        method   gradient (times input), integrated (gradients) or leave-one-out
        """
        check_in_torch(self.network)
        return attribute(self.task.probe(self.network, given), method)

    def summary(self, depth: int = 3) -> Summary:
        """List its layers with output shapes and parameters; it can be printed."""
        return summarise(self.network, getattr(getattr(self.config, "model", None), "length", 256), depth)

    def plot_history(self, path: Path | str) -> Path:
        """Draw the learning curves of its training (.png or .svg)."""
        if self.folder is None or not has_metrics(self.folder):
            what = f"there is no {FILE} with this model"
            raise SeqloomError(what, remedy="load it from the folder that it was trained in")
        from seqloom.evaluating.plots import plot_history  # here: it brings matplotlib

        return plot_history(read_metrics(self.folder), path)

    def save(self, folder: Path | str) -> Path:
        """Write the model into a new folder that `seqloom.load`, `seqloom predict` and `seqloom serve` read."""
        place = as_path(folder, "folder")
        if place.exists():
            raise OutputError(f"{place} already exists", remedy="choose another folder; nothing was changed")
        with new_folder(place) as part:
            self.write(part)
        return place

    def pack(self, path: Path | str, *, license: str = "", examples: bool | None = None) -> Path:
        """Write the model into one file, model.seqloom, that can be sent and is loaded as it is.

        It is a zip with the files of a model folder and a model card, README.md: data, metrics, settings, licence.

        examples    keep a few inputs of the training data, for pages to begin with; without it only those of public
                    and embedded data, since whoever gets the file can read them
        """
        target = as_path(path, "path")
        if target.suffix != SUFFIX:
            raise OutputError(f"{target} does not end in {SUFFIX}", remedy=f"call it {target.with_suffix(SUFFIX).name}")
        if target.exists():
            raise OutputError(f"{target} already exists", remedy="choose another name; nothing was changed")
        try:
            aside = TemporaryDirectory(prefix=".pack-", dir=target.parent)
        except OSError as error:
            what = f"cannot write {target}: {error.strerror}"
            raise OutputError(what, remedy="choose another place") from error
        with aside as temporary:
            with new_folder(Path(temporary) / "model") as part:
                self.write(part)
                inputs = inputs_to_pack(self, examples)
                write_inputs(part, inputs)
                (part / CARD).write_text(as_markdown(self, license, inputs), encoding="utf-8")
            write_pack(Path(temporary) / "model", target)
        return target

    def export(
        self, folder: Path | str, to: str = "ctranslate2", *, int8: bool = False, shortlist: int = 0,
        trust: bool = False,
    ) -> Path:  # fmt: skip
        """Write the model for another engine, ctranslate2 or onnx, into a new folder that is used like this one.

        int8        weights as integers of 8 bits
        shortlist   what CTranslate2 may write: for each source token its so many likeliest translations, learned from
                    the training data; 0: every token of the vocabulary
        trust       open the training data, though somebody else trained the model
        """
        place = as_path(folder, "folder")
        if place.exists():
            raise OutputError(f"{place} already exists", remedy="choose another folder; nothing was changed")
        from seqloom.engines.export import write_engine  # here: it knows the tasks that can be exported

        origin = "" if self.folder is None else str(self.folder.resolve())
        with new_folder(place) as part:
            save_task(part, self.task, own=self.own)
            write_engine(
                part, self.task, self.network, to, int8=int8, shortlist=shortlist,
                train=lambda: training_data(self, "leave the shortlist out", trust=trust),
                made_from=origin, mark=mark_on(origin),
            )  # fmt: skip
        return place

    def write(self, folder: Path) -> None:
        """Write the files of the model into a folder that is there."""
        check_in_torch(self.network)
        save_task(folder, self.task, own=self.own)
        write_tensors(folder / WEIGHTS, weights_of(self.network))
        if self.folder is not None and has_metrics(self.folder):
            (folder / FILE).write_bytes(metrics_text(self.folder))
        write_baselines(folder, self.measured_baselines())

    def __repr__(self) -> str:
        return f"<seqloom model: {', '.join(f'{name} {value}' for name, value in facts_of(self)[:3])}>"

    def _repr_html_(self) -> str:
        return as_html(self)

    # --- vectors ------------------------------------------------------------------------------------

    def vectors(self, texts: Sequence[Any]) -> Tensor:
        """Embed texts: one vector for each (B, H); texts of similar meaning have similar vectors."""
        several = as_several(texts)
        if several is None:
            raise SeqloomError(f"got {quoted(texts)} instead of a list", remedy="put it into a list")
        check_in_torch(self.network)
        return self.task.vectors(self.network, several)

    def nearest(self, text: Any, among: Iterable[Any], count: int = 5) -> Near:
        """Find the texts of `among` whose vectors are nearest to that of a text, each with its cosine similarity."""
        return self.nearest_to([text], among, count)[0]

    def nearest_to(self, texts: Sequence[Any], among: Iterable[Any], count: int = 5) -> list[Near]:
        """Find the nearest to each of several texts; `among` is read once for all of them."""
        return nearest(self.vectors, texts, among, count)

    def plot_vectors(self, texts: Sequence[str], labels: Sequence[str] | None, path: Path | str) -> None:
        """Draw the vectors of texts by their two principal components, coloured by label; equal texts once.

        The file name says the format: .png, .svg, .pdf.
        """
        if labels is not None and len(labels) != len(texts):
            raise SeqloomError(f"{len(labels)} labels for {len(texts)} texts", remedy="give one label for each text")
        places = list({text: place for place, text in reversed(list(enumerate(texts)))}.values())[::-1]
        once = [texts[place] for place in places]
        table = WordVectors(tuple(once), self.vectors(once))
        table.plot(path, None if labels is None else [labels[place] for place in places])

    @property
    def device(self) -> torch.device:
        """The device that the weights are on."""
        return next(self.network.parameters()).device


def training_data(model: Model, otherwise: str, *, trust: bool) -> Records:
    """Open the split that a model was trained on; `otherwise` says what to do where that must not be."""
    if not (model.own or trust):
        raise not_own(model.folder or "this model", otherwise)
    return model.task.open_data(model.config)["train"]
