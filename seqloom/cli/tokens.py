"""`seqloom tokens`: how a text is cut into tokens."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from seqloom.tokens.tokenizer import Tokenizer

EXAMPLES = [
    'seqloom tokens "Don\'t pay 3.50, 我爱你!"',
    'seqloom tokens "a wonderful film" --set tokens.kind=character',
    'seqloom tokens "a wonderful film" --model runs/reviews',
]


def tokens(
    text: Annotated[str, typer.Argument(help="The text.")],
    model: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A trained model whose tokenizers to use.")
    ] = None,
    set_: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help=r"A setting of the section \[tokens].")
    ] = [],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object per tokenizer.")] = False,
) -> None:
    """Show how a text is tokenised: by `tokens.kind`, or with the tokenizers of a trained model."""
    from seqloom.tokens.settings import UNK

    for name, tokenizer in tokenizers(text, model, set_).items():
        pieces = tokenizer.pieces(text)
        read = text if tokenizer.normalise is None else tokenizer.normalise(text)
        if as_json:
            found = [{"token": piece.text, "id": piece.id, "text": read[piece.start : piece.end]} for piece in pieces]
            print(json.dumps({"tokenizer": name, "tokens": found}, ensure_ascii=False))
            continue
        size = "token" if len(pieces) == 1 else "tokens"
        known = "" if model is None else f" of a vocabulary of {tokenizer.size:,}"
        print(f"{name}: {len(pieces)} {size} ({tokenizer.config.kind}){known}")
        for piece in pieces:
            unknown = f"  unknown: {read[piece.start : piece.end]}" if piece.id == UNK else ""
            print(f"{piece.id if model else '':>7}  {piece.text}{unknown}")


def tokenizers(text: str, model: Path | None, changes: list[str]) -> "dict[str, Tokenizer]":
    """Those of a model folder by name, or one learned from the text alone."""
    from seqloom.config import Config, load
    from seqloom.errors import SeqloomError
    from seqloom.storage import MANIFEST, open_files
    from seqloom.tokens.model_tokenizers import tokenizers_in
    from seqloom.tokens.settings import SUBWORDS, TokenConfig
    from seqloom.tokens.tokenizer import Tokenizer

    if model is not None:
        if changes:
            raise SeqloomError(f"{model} has its own settings of tokens", remedy="leave out --set, or --model")
        unfinished = (model / "setup").is_dir() and not (model / MANIFEST).exists()
        found = tokenizers_in(open_files(model / "setup" if unfinished else model))
        if not found:
            raise SeqloomError(f"{model} holds no tokenizer", remedy="give the folder of a trained model for text")
        return found

    class TokensAlone(Config):
        """The one section that is read here."""

        tokens: TokenConfig = TokenConfig(kind="word")

    chosen = load(TokensAlone, None, ["tokens.kind=word", *changes])
    if chosen.tokens.kind in SUBWORDS:
        what = f"a {chosen.tokens.kind} tokenizer has to be trained on data"
        raise SeqloomError(what, remedy="give a trained model: --model FOLDER")
    return {"text": Tokenizer.train([text], chosen.tokens)}
