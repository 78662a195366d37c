"""`seqloom distil`: what trained models make of data, as pairs for a student."""

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom distil runs/large --data pairs.tsv --out taught.tsv",
    "seqloom distil runs/large --data sources.txt --n-best 3 --out taught.jsonl",
    "seqloom distil runs/en-de --backward runs/de-en --data data:multi30k/train --copies 2 --out more.tsv",
    "seqloom train --task translate --data taught.tsv --model rnn-attention --out runs/small",
]


def distil(
    models: Annotated[
        list[str] | None,
        typer.Argument(help="Trained models from source to target: folders or packs.", show_default=False),
    ] = None,
    data: Annotated[
        list[str],
        typer.Option(help="Pairs, as for `seqloom train`; or two files, of sources and of targets; or sources alone."),
    ] = [],
    out: Annotated[Path, typer.Option(help="The file of pairs: .tsv or .jsonl.")] = Path("pairs.tsv"),
    backward: Annotated[
        list[str], typer.Option(help="A model from target to source, whose answers become sources.")
    ] = [],
    copies: Annotated[int, typer.Option(min=0, help="How often the pairs themselves stand there too.")] = 0,
    beam: Annotated[int, typer.Option(help="Beam size: hypotheses kept at each step.")] = 4,
    n_best: Annotated[int, typer.Option(help="Answers for each source, best first.")] = 1,
) -> None:
    """Write the answers of trained models as pairs that another can be trained on; goes on where it was stopped."""
    from seqloom.cli.console import console
    from seqloom.errors import SeqloomError
    from seqloom.training.distilling import distil as run

    if not 1 <= len(data) <= 2:
        what = f"--data was given {len(data)} times"
        raise SeqloomError(what, remedy="name a file of pairs, or two: sources first, then targets")
    given = data[0] if len(data) == 1 else dict(zip(("source", "target"), data, strict=True))
    try:
        found = run(
            models or [], data=given, out=out, backward=backward, copies=copies, beam=beam, n_best=n_best, quiet=False
        )
    except KeyboardInterrupt:
        console.print("\nStopped. The same command goes on from here.", highlight=False)
        raise typer.Exit(130) from None
    console.print(str(found), highlight=False, markup=False, soft_wrap=True)
