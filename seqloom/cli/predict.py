"""`seqloom predict`: put a trained model to work."""

import codecs
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from seqloom.cli.export import Engine, EngineOption
from seqloom.errors import printable

if TYPE_CHECKING:
    from seqloom.training.model import Model

EXAMPLES = [
    'seqloom predict runs/reviews "a wonderful film"',
    "seqloom predict runs/reviews --json < reviews.txt",
    "seqloom predict runs/reviews --vectors < reviews.txt",
    'seqloom predict runs/reviews "a wonderful film" --nearest reviews.txt',
    "seqloom predict runs/reviews --file reviews.txt",
]
BATCH = 256
"""Texts that are predicted together."""
UNSEEN = 0.5
"""Fraction of a text that is unknown to the model, from which on its answer is called a guess."""
READ_BYTES = 1 << 16
"""Bytes of standard input that are read together."""


def predict(
    folder: Annotated[Path, typer.Argument(help="A trained model: its folder or pack.")],
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            help="Texts, or files of pictures or feature frames; default: lines of standard input.",
            show_default=False,
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file with one text per line; shows a progress bar.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
    beam: Annotated[int | None, typer.Option(help="Beam size.")] = None,
    n_best: Annotated[int | None, typer.Option(help="Number of answers per text, best first.")] = None,
    attention: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save attention weights: .html, .png, .json or .txt; - for the terminal."),
    ] = None,
    pieces: Annotated[bool, typer.Option("--pieces", help="Attention weights by token, not by word.")] = False,
    attribution: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Save which inputs each output came from: .png, .svg, .json, .csv or .txt; - for the terminal.",
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(help="Attribution method: gradient, integrated (gradients) or leave-one-out.")
    ] = "integrated",
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Print a vector for each text, one JSON object per line.")
    ] = False,
    nearest: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Find the nearest texts in a file with one text per line.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Number of nearest texts.")] = 5,
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature; higher is more random.")] = None,
    top_k: Annotated[int | None, typer.Option(help="Sample from the k most probable tokens.")] = None,
    top_p: Annotated[
        float | None, typer.Option(help="Sample from the most probable tokens with this total probability.")
    ] = None,
    length: Annotated[int | None, typer.Option(help="Maximum number of tokens to generate.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of the sampling.")] = None,
    task_tag: Annotated[str | None, typer.Option(help="The tag of the task, for a model with several.")] = None,
    engine: EngineOption = Engine.auto,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Set any option of the task.")] = [],
) -> None:
    """Predict for texts, or for each line of standard input as it arrives.

    A model with feature columns reads JSON objects, as in {"text": "...", "age": 35}.
    """
    from seqloom.config import gather
    from seqloom.errors import SeqloomError
    from seqloom.extras import require

    options = gather(
        None,
        set_,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        seed=seed,
        beam=beam,
        n_best=n_best,
        task_tag=task_tag,
    )
    asked = {"--attention": attention, "--attribution": attribution, "--vectors": vectors, "--nearest": nearest}
    if len(names := [name for name, given in asked.items() if given]) > 1:
        raise SeqloomError(f"{' and '.join(names)} cannot be combined", remedy="choose one")
    if texts and file:
        raise SeqloomError("texts and --file cannot be combined", remedy="choose one")
    if attention and attention.suffix.lower() == ".png":
        require("matplotlib", "plot", "attention as .png", otherwise="write it as .html, .json or .txt")
    model = opened(folder, engine, inside=bool(names), token_scores=as_json)
    known = model.option_names
    if length is not None:
        options["max_length" if "max_length" in known else "length"] = length
    if "attention" in known:
        options.setdefault("attention", attention is not None)
    chosen = model.options(**options)
    if (top_k or top_p) and not getattr(chosen, "temperature", 1):
        raise SeqloomError(
            "--top-k and --top-p are for sampling, and the temperature is 0", remedy="add --temperature 1"
        )
    chunks = in_chunks(texts) if texts else lines_of(file) if file else incoming(sys.stdin.buffer)
    if attention:
        from seqloom.cli.attention_view import show_attention

        show_attention(model, [text for chunk in chunks for text in chunk], options, attention, pieces, as_json)
        return
    if attribution:
        show_attribution(model, [text for chunk in chunks for text in chunk], method, attribution, as_json)
        return
    if nearest:
        show_nearest(model, [text for chunk in chunks for text in chunk], nearest, count, as_json)
        return
    if vectors:
        for chunk in chunks:
            print(*vector_lines(model, chunk), sep="\n", flush=True)
        return
    for answer in model.stream(chunks, **options):
        print(line_of(answer, as_json), flush=True)


def opened(folder: Path, engine: Engine, *, inside: bool, token_scores: bool) -> Any:
    """A model; one that was exported, without torch if it can be. `inside`: more is asked for than its answers."""
    from seqloom.engines.metadata import answers_alone, check_engine, metadata_at
    from seqloom.errors import SeqloomError

    facts = metadata_at(folder)
    check_engine(folder, facts, engine.value)
    if facts is not None and inside:
        what = f"{folder} was exported for {facts.engine}, which only gives answers: no attention, no vectors"
        raise SeqloomError(what, remedy=f"give {facts.made_from or 'the folder that it was trained in'}")
    if facts is not None and answers_alone(facts):
        from seqloom.engines.exported import open_alone

        return open_alone(folder, token_scores=token_scores)
    from seqloom.training.loading import load

    return load(folder)


def line_of(answer: Any, as_json: bool) -> str:
    """An answer, and the next best below it if they were asked for; warnings go to standard error."""
    if getattr(answer, "cut", False):
        begins, part = f"{source_of(answer)[:40]} ...", "end" if answer.cut == "last" else "beginning"
        print(f"{begins!r} is longer than the model reads: only its {part} was read", file=sys.stderr)
    if getattr(answer, "unseen", 0) >= UNSEEN:
        was = f"{source_of(answer)[:40]!r}: the model has never seen {answer.unseen:.0%} of this"
        print(f"{was}, so the answer is a guess", file=sys.stderr)
    if as_json:
        return written(answer.json())
    text = "\n".join(map(str, [answer, *getattr(answer, "alternatives", [])]))
    return printable(text) if sys.stdout.isatty() else text


def source_of(answer: Any) -> str:
    return str(getattr(answer, "source", answer.text))


def show_attribution(model: "Model", texts: list[str], method: str, file: Path, as_json: bool) -> None:
    """What the outputs for each text came from: shown here, or, for one text, written to a file."""
    from seqloom.attribution import attribute
    from seqloom.cli.console import beside, console, say
    from seqloom.errors import SeqloomError

    if str(file) != "-" and len(texts) != 1:
        raise SeqloomError(f"{len(texts)} texts for one file", remedy="give one text, or --attribution - for all")
    for text in texts:
        probe = model.task.probe(model.network, text)
        found = attribute(probe, method)
        if str(file) != "-":
            say(f"written {found.save(file)}", beside)
        if as_json:
            print(written({**(probe.answer.json() if probe.answer else {}), "attribution": found.json()}))
        elif str(file) == "-":
            console.print(found)
        else:
            print(found.sentence())


def vector_lines(model: "Model", texts: list[str]) -> Iterator[str]:
    for text, vector in zip(texts, model.vectors(texts).tolist(), strict=True):
        yield written({"text": text, "vector": vector})


def show_nearest(model: "Model", texts: list[str], file: Path, count: int, as_json: bool) -> None:
    from seqloom.data.source import open_source

    lines = (str(record.columns["text"]) for record in open_source(file, format="text"))
    among = (line for line in lines if line.strip())
    for text, near in zip(texts, model.nearest_to(texts, among, count) if texts else [], strict=True):
        if as_json:
            print(written({"text": text, "nearest": [{"text": other, "similarity": s} for other, s in near]}))
        else:
            print(text, *(f"  {similarity:.4f}  {other}" for other, similarity in near), sep="\n")


def written(found: dict[str, Any]) -> str:
    return json.dumps(found, ensure_ascii=False)


def lines_of(file: Path) -> Iterator[list[str]]:
    """The lines of a file in chunks; how far it is stands on standard error, where that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    from seqloom.errors import DataError

    if not file.is_file():
        raise DataError("there is no such file", where=str(file), remedy="check the path")
    with file.open("rb") as stream, Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("predicting", total=file.stat().st_size)
        for chunk in incoming(stream):
            yield chunk
            progress.update(bar, completed=stream.tell())


def in_chunks(texts: Sequence[str]) -> Iterator[list[str]]:
    for first in range(0, len(texts), BATCH):
        yield list(texts[first : first + BATCH])


def incoming(stream: BinaryIO) -> Iterator[list[str]]:
    """Lines in chunks, as many as are there: whoever types gets an answer to each, a file is read at full speed."""
    begun: list[bytes] = []
    first = True
    while piece := stream.read1(READ_BYTES):  # type: ignore[attr-defined]
        if first:
            piece, first = piece.removeprefix(codecs.BOM_UTF8), False
        *lines, rest = piece.split(b"\n")
        if lines:
            lines[0] = b"".join([*begun, lines[0]])
            begun = []
        begun.append(rest)
        yield from in_chunks([text_of(line) for line in lines])
    if last := b"".join(begun):
        yield [text_of(last)]


def text_of(line: bytes) -> str:
    """What is not UTF-8 is shown as such, never a crash."""
    return line.decode("utf-8", errors="replace").rstrip("\r")
