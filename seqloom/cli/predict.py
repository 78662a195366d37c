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
TOKENS_SHOWN = 40
"""Source tokens up to which attention is shown by token; for longer texts by word."""
UNSEEN = 0.5
"""Fraction of a text that is unknown to the model, from which on its answer is called a guess."""
READ_BYTES = 1 << 16
"""Bytes of standard input that are read together."""


def predict(
    folder: Annotated[Path, typer.Argument(help="A trained model: its folder, or a pack.")],
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            help="Texts, or files of pictures or feature frames; without any, lines of standard input.",
            show_default=False,
        ),
    ] = None,
    file: Annotated[Path | None, typer.Option(metavar="FILE", help="Texts, one a line, with a progress bar.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    beam: Annotated[int | None, typer.Option(help="Beam size: hypotheses kept at each step.")] = None,
    n_best: Annotated[int | None, typer.Option(help="Hypotheses returned for each text, best first.")] = None,
    attention: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Attention weights: .html, .png, .json, .txt; - for here.")
    ] = None,
    pieces: Annotated[bool, typer.Option("--pieces", help="Attention weights by token, not by word.")] = False,
    attribution: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What each output came from: .png, .svg, .json, .csv, .txt; - for here."),
    ] = None,
    method: Annotated[
        str, typer.Option(help="How it is attributed: gradient, integrated (gradients) or leave-one-out.")
    ] = "integrated",
    vectors: Annotated[
        bool, typer.Option("--vectors", help="The vector of each text, one JSON object a line.")
    ] = False,
    nearest: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The texts nearest to each, of a file with one a line.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="How many of the nearest.")] = 5,
    temperature: Annotated[
        float | None, typer.Option(help="Sampling temperature: below 1 safer, above 1 freer.")
    ] = None,
    top_k: Annotated[int | None, typer.Option(help="Sample from the k likeliest tokens.")] = None,
    top_p: Annotated[
        float | None, typer.Option(help="Sample from the likeliest tokens of this total probability.")
    ] = None,
    length: Annotated[int | None, typer.Option(help="Tokens to generate at most.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the sampling.")] = None,
    task_tag: Annotated[str | None, typer.Option(help="Of a model for several tasks, the tag of one.")] = None,
    engine: EngineOption = Engine.auto,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Any option of the task.")] = [],
) -> None:
    """Predict for texts, or line by line for standard input, as the lines come.

    A model with columns beside the text reads JSON objects, as in {"text": "...", "age": 35}.
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
        raise SeqloomError(f"{' and '.join(names)} ask for different things", remedy="choose one")
    if texts and file:
        raise SeqloomError("texts and --file ask for different things", remedy="choose one")
    if attention and attention.suffix.lower() == ".png":
        require("matplotlib", "plot", "attention as .png", otherwise="write it as .html, .json or .txt")
    model = opened(folder, engine, inside=bool(names), token_scores=as_json)
    known = model.option_names
    if length is not None:
        options["max_length" if "max_length" in known else "length"] = length
    if attention and "attention" not in known:
        what = f"a model for {model.task_name} writes no text, so there is no attention from one text to another"
        remedy = f'if it attends within the text, that is on a page: seqloom explain {folder} "a text" --html page.html'
        raise SeqloomError(what, remedy=remedy)
    if "attention" in known:
        options.setdefault("attention", attention is not None)
    chosen = model.options(**options)
    if (top_k or top_p) and not getattr(chosen, "temperature", 1):
        raise SeqloomError(
            "--top-k and --top-p are for sampling, and the temperature is 0", remedy="add --temperature 1"
        )
    chunks = in_chunks(texts) if texts else lines_of(file) if file else incoming(sys.stdin.buffer)
    if attention:
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
    from seqloom.engines.facts import ALONE, check_engine, facts_at
    from seqloom.errors import SeqloomError

    facts = facts_at(folder)
    check_engine(folder, facts, engine.value)
    if facts is not None and inside:
        what = f"{folder} was exported for {facts.engine}, which gives answers alone: no attention, no vectors"
        raise SeqloomError(what, remedy=f"give {facts.made_from or 'the folder that it was trained in'}")
    if facts is not None and facts.task in ALONE:
        from seqloom.engines.exported import open_alone

        return open_alone(folder, token_scores=token_scores)
    from seqloom.training.model import load

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


def show_attention(
    model: "Model", texts: list[str], options: dict[str, Any], file: Path, pieces: bool, as_json: bool
) -> None:
    """Answers, and the attention weights of each: shown here, or written to one file."""
    from rich.console import Console

    from seqloom.attention.export import save
    from seqloom.attention.terminal import heatmap
    from seqloom.cli.console import console
    from seqloom.errors import SeqloomError

    answers = model(texts, **options)
    for answer in answers:
        print(line_of(answer, as_json))
        if str(file) == "-" and answer.attention is not None:
            drawn = answer.weights(pieces=pieces or len(answer.attention.source) <= TOKENS_SHOWN)
            screen = Console(stderr=True) if as_json else console  # among JSON there is JSON alone
            screen.print(heatmap(drawn))
    maps = [answer.weights(pieces=pieces or None) for answer in answers if answer.words is not None]
    if not maps:
        remedy = "use a model with attention, and texts that are not empty"
        raise SeqloomError("there is no attention in these answers", remedy=remedy)
    if str(file) != "-":
        save(maps[0] if len(maps) == 1 else maps, file)


def show_attribution(model: "Model", texts: list[str], method: str, file: Path, as_json: bool) -> None:
    """What the outputs for each text came from: shown here, or, for one text, written to a file."""
    from seqloom.attribution import attribute
    from seqloom.cli.console import console
    from seqloom.errors import SeqloomError

    if str(file) != "-" and len(texts) != 1:
        raise SeqloomError(f"{len(texts)} texts for one file", remedy="give one text, or --attribution - for all")
    for text in texts:
        probe = model.task.probe(model.network, text)
        found = attribute(probe, method)
        if str(file) != "-":
            found.save(file)
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
