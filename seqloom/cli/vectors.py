"""`seqloom vectors`: word vectors, learned from text, asked for neighbours, drawn."""

import json
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom vectors train text.txt --out words.vec",
    "seqloom vectors train reviews.tsv --out words.vec --kind cbow --set width=50",
    "seqloom vectors nearest words.vec film --count 5",
    "seqloom vectors nearest words.vec king queen man    # king is to queen as man is to what",
    "seqloom vectors plot words.vec plane.png film actor plot music",
]
vectors = typer.Typer(no_args_is_help=True, help="Train word vectors, find nearest words, plot them.")

File = Annotated[
    Path, typer.Argument(help="Word vectors: a word2vec, fastText or GloVe file, or a folder written by seqloom.")
]


@vectors.command()
def train(
    data: Annotated[
        list[str], typer.Argument(help="Text: files, glob patterns, data:NAME/SPLIT; of tables, the text column.")
    ],
    out: Annotated[Path, typer.Option(help="Output: .vec or .txt (text), .bin (binary), else a folder.")],
    kind: Annotated[str, typer.Option(help="skip-gram, cbow, or svd (co-occurrence counts).")] = "skip-gram",
    lower: Annotated[bool, typer.Option("--lower", help="Lower-case the text.")] = False,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="width, window, epochs, ...")] = [],
) -> None:
    """Train word vectors on text; the same text and settings give the same vectors."""
    from seqloom.cli.console import say
    from seqloom.errors import OutputError
    from seqloom.vectors.learning import learn_vectors
    from seqloom.vectors.vector_files import write_vectors

    if out.exists():
        raise OutputError(f"{out} already exists", remedy="choose another name; nothing was changed")
    found = learn_vectors(data[0] if len(data) == 1 else data, kind, set_, lower=lower)
    form = {".vec": "text", ".txt": "text", ".bin": "binary"}.get(out.suffix.lower(), "folder")
    write_vectors(found, out, form)  # type: ignore[arg-type]
    say(f"{out}: {len(found):,} words, {found.width} wide")


@vectors.command()
def nearest(
    file: File,
    words: Annotated[list[str], typer.Argument(help="One word; or three for an analogy: A is to B as C is to ?")],
    count: Annotated[int, typer.Option(min=1, help="Number of words.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the nearest words by cosine similarity, or those that complete an analogy."""
    from seqloom.errors import SeqloomError
    from seqloom.vectors.vector_files import read_vectors

    if len(words) not in (1, 3):
        raise SeqloomError(f"{len(words)} words", remedy="give one word, or three: A is to B as C is to what")
    known = read_vectors(file).vectors
    found = known.nearest(words[0], count) if len(words) == 1 else known.analogy(words[0], words[1], words[2], count)
    if as_json:
        near = [{"word": word, "similarity": cosine} for word, cosine in found]
        print(json.dumps({"words": words, "nearest": near}, ensure_ascii=False))
    else:
        print(*(f"{cosine:.4f}  {word}" for word, cosine in found), sep="\n")


@vectors.command()
def plot(
    file: File,
    picture: Annotated[Path, typer.Argument(help="Output file: .png, .svg or .pdf.")],
    words: Annotated[list[str] | None, typer.Argument(help="Words to plot; default: the most frequent ones.")] = None,
    count: Annotated[int, typer.Option(min=2, help="Number of most frequent words to plot if none are given.")] = 60,
) -> None:
    """Plot words by their first two principal components."""
    from seqloom.cli.console import say
    from seqloom.vectors.vector_files import read_vectors

    known = read_vectors(file).vectors
    known.plot(picture, words=words or known.words[:count])
    say(f"written {picture}")
