"""`seqloom predict --attention`: answers with their attention weights, in the terminal or in one file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqloom.errors import SeqloomError

if TYPE_CHECKING:
    from seqloom.attention.attention_weights import AttentionMap
    from seqloom.training.model import Model

TOKENS_SHOWN = 40
"""Source tokens up to which attention is shown by token; for longer texts by word."""


def show_attention(
    model: Model, texts: list[str], options: Mapping[str, Any], file: Path, pieces: bool, as_json: bool
) -> None:
    """Print the answers; show the attention weights of each in the terminal (-), or write all of them to one file."""
    from seqloom.attention.export import save
    from seqloom.attention.terminal import heatmap
    from seqloom.cli.console import beside, console, say
    from seqloom.cli.predict import line_of

    in_terminal = str(file) == "-"
    maps: list[AttentionMap] = []
    answers: list[str] = []
    titles: list[list[str]] = []
    attending = of_answers if "attention" in model.option_names else of_inspections
    for answer, title, found in attending(model, texts, options, pieces, in_terminal):
        print(line_of(answer, as_json))
        answers.append(str(answer))
        maps += found
        titles += [title] * len(found)
        if in_terminal:
            screen = beside if as_json else console  # among JSON there is JSON alone
            for one in found:
                screen.print(heatmap(one))
    if not maps:
        raise nothing_attends(texts, answers)
    if not in_terminal:
        say(f"written {save(maps[0] if len(maps) == 1 else maps, file, titles)}", beside)


def nothing_attends(texts: list[str], answers: list[str]) -> SeqloomError:
    """Why there is nothing to show: each token of an answer attends, and there may be none."""
    if any(text.strip() for text in texts) and not any(answers):
        return SeqloomError("the answers are empty, so nothing attends", remedy="train for longer, or take --n-best 5")
    remedy = "use a model with attention, and texts that are not empty"
    return SeqloomError("there is no attention in these answers", remedy=remedy)


def of_answers(
    model: Model, texts: list[str], options: Mapping[str, Any], pieces: bool, in_terminal: bool
) -> Iterator[tuple[Any, list[str], Sequence[AttentionMap]]]:
    """Attention from each token of the best answer that is not empty to the source, of models that keep it;
    with the texts read and written."""
    for answer in model(texts, **options):
        written = next((one for one in (answer, *answer.alternatives) if one.words is not None), None)
        if written is None:
            yield answer, [], []
        elif in_terminal:
            yield (
                answer,
                written.title,
                [written.weights(pieces=pieces or len(written.attention.source) <= TOKENS_SHOWN)],
            )
        else:
            yield answer, written.title, [written.weights(pieces=pieces or None)]


def of_inspections(
    model: Model, texts: list[str], options: Mapping[str, Any], pieces: bool, in_terminal: bool
) -> Iterator[tuple[Any, list[str], Sequence[AttentionMap]]]:
    """Attention of a text to itself, of all other models: what the studio shows of them."""
    from seqloom.tasks.inspection import Inspection, InspectOptions

    known = {
        name: value for name, value in options.items() if name in InspectOptions.model_fields and value is not None
    }
    for text in texts:
        for seen in model.task.inspect(model.network, text, InspectOptions(**known)):
            if isinstance(seen, Inspection):
                yield seen.answer, [text, str(seen.answer)], [one.map for one in seen.attention]
