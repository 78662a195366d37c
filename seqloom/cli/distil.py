"""`seqloom distil`: what trained models write, as data for a student."""

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom distil runs/large --data pairs.tsv --out taught.tsv",
    "seqloom distil runs/large --data sources.txt --n-best 3 --out taught.jsonl",
    "seqloom distil runs/en-de --backward runs/de-en --data data:multi30k/train --copies 2 --out more.tsv",
    "seqloom distil runs/book --data prompts.txt --set length=300 --out taught.txt",
    "seqloom train --task translate --data taught.tsv --model rnn-attention --out runs/small",
]


def distil(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            help="Trained models (folders or packs): translators from source to target, or language models.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        list[str],
        typer.Option(help="Pairs, as for `seqloom train`; a source and a target file; sources or prompts alone."),
    ] = [],
    out: Annotated[Path, typer.Option(help="Output file: .tsv or .jsonl; of texts .txt or .jsonl.")] = Path(
        "pairs.tsv"
    ),
    backward: Annotated[
        list[str],
        typer.Option(help="Back-translation: a model from target to source, whose output becomes the source."),
    ] = [],
    copies: Annotated[int, typer.Option(min=0, help="Copies of the data as it is to include.")] = 0,
    beam: Annotated[int | None, typer.Option(help="Beam size.")] = None,
    n_best: Annotated[int | None, typer.Option(help="Number of answers per source, best first.")] = None,
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature; of language models 1.")] = None,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Set any option of the answers.")] = [],
) -> None:
    """Write the answers of trained models as data to train another model on; can be stopped and continued."""
    from seqloom.cli.console import console, say
    from seqloom.config import gather
    from seqloom.errors import SeqloomError
    from seqloom.training.distilling import distil as run

    if not 1 <= len(data) <= 2:
        what = f"--data was given {len(data)} times"
        raise SeqloomError(what, remedy="name a file of pairs, or two: sources first, then targets")
    given = data[0] if len(data) == 1 else dict(zip(("source", "target"), data, strict=True))
    try:
        options = gather(None, set_, beam=beam, n_best=n_best, temperature=temperature)
        found = run(models or [], data=given, out=out, backward=backward, copies=copies, quiet=False, **options)
    except KeyboardInterrupt:
        console.print("\nStopped. The same command goes on from here.", highlight=False)
        raise typer.Exit(130) from None
    say(str(found))
