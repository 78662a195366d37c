"""What a survey of data looks like in a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from rich.columns import Columns
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from seqloom.cli.console import console
from seqloom.data.bad_records import Report, by_count
from seqloom.data.datasets import PublishedDataset, datasets
from seqloom.data.embedded import EMBEDDED
from seqloom.data.embedded.data_set import EmbeddedDataset
from seqloom.data.record import Place
from seqloom.data.survey import Survey
from seqloom.data.survey.duplicates import MOST, DuplicateReport
from seqloom.data.survey.lengths import Lengths
from seqloom.data.survey.survey import ColumnReport
from seqloom.data.survey.vocabulary import VocabularyReport
from seqloom.errors import DataError

VERTICAL = " ▁▂▃▄▅▆▇█"
HORIZONTAL = " ▏▎▍▌▋▊▉█"
HEIGHT = 4
"""Lines of a chart."""
LABELS = 20
"""Labels shown; the rest is counted."""
LONGEST = 32
"""Letters shown of a word or a label."""


def show(found: Survey, name: str, guessed: bool) -> None:
    """All of it, most telling first."""
    how = f"read as {found.task}" if found.task else "of no task that is known here: say it with --task"
    how += " (if it is not, say so with --task)" if guessed and found.task else ""
    console.print(Text(clean(name, 200), style="bold"))
    records = "1 record" if found.records == 1 else f"{found.records:,} records"
    console.print(Text(f"{records}, {how}", style="dim"))
    section("splits")
    bars(found.splits)
    for title, column in found.columns.items():
        section(f"column {title}" if title.isdecimal() else title)
        show_lengths(column)
        if column.vocabulary.total:
            show_words(column.vocabulary)
    for title, labels in found.labels.items():
        section(f"{title}: {len(labels):,} different")
        bars(labels)
    section("found twice")
    show_repeated(found.repeated)
    section("left out: cannot be read")
    show_report(found.left_out)
    section("looks wrong")
    show_report(found.suspicious)


def section(title: str) -> None:
    console.print()
    console.print(Text(clean(title, 200), style="bold cyan"))


def clean(text: str, longest: int = LONGEST) -> str:
    """Nothing that a terminal would obey, and not too much of it."""
    shown = "".join(letter if letter.isprintable() else "�" for letter in text[:longest])
    return shown + "…" if len(text) > longest else shown


def bars(counts: Mapping[str, int]) -> None:
    """Names, counts, and bars of that length."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, overflow="ellipsis")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    names = by_count(counts) if len(counts) > LABELS else list(counts)
    most, room = max(counts.values(), default=1), max(console.width - LONGEST - 16, 10)
    for name in names[:LABELS]:
        bar = Text(horizontal_bar(counts[name] / max(most, 1), room), style="green")
        table.add_row(Text(clean(name)), Text(f"{counts[name]:,}"), bar)
    console.print(Padding(table, (0, 2)))
    if rest := names[LABELS:]:
        least = f"{min(counts[name] for name in rest):,} to {max(counts[name] for name in rest):,}"
        console.print(Padding(Text(f"… {len(rest):,} more, of {least} each", style="dim"), (0, 2)))


def horizontal_bar(share: float, room: int) -> str:
    """A bar of eighths.

    >>> horizontal_bar(0.3, 5)
    '█▌'
    """
    eighths = max(round(share * room * 8), 1)
    return "█" * (eighths // 8) + HORIZONTAL[eighths % 8].strip()


def show_lengths(column: ColumnReport) -> None:
    charts = {"words": column.words, "characters": column.characters}
    if not column.characters.total:
        charts = {"frames": column.words}
    room = min((console.width - 8) // 2, 50)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_row(*(chart(unit, lengths, room) for unit, lengths in charts.items()))
    console.print(Padding(table, (0, 2)))


def chart(unit: str, lengths: Lengths, room: int) -> Text:
    """How many records have which length: columns of blocks over an axis."""
    heights, first, width = lengths.histogram(room)
    stretch = max(min(room // len(heights), 8), 1)
    rows = vertical_bars(heights, stretch)
    last = first + width * len(heights) - 1
    axis = f"{first:,}"
    if len(heights) > 1:
        axis += f"{last:,}".rjust(max(len(heights) * stretch - len(axis), len(f" {last:,}")))
    half, nearly, most = lengths.quantile(0.5), lengths.quantile(0.95), max(lengths.counts, default=0)
    text = Text.assemble((unit, "dim"), "\n", ("\n".join(rows), "green"), (f"\n{axis}\n", "dim"))
    return text.append(f"half ≤ {half:,}, 95% ≤ {nearly:,}, all ≤ {most:,}")


def vertical_bars(heights: Sequence[int], stretch: int = 1) -> list[str]:
    """Columns of eighths, the top line first; what is there is seen, however little.

    >>> vertical_bars([1, 40, 16])[-1]
    '▁██'
    """
    most = max([*heights, 1])
    eighths = [max(round(height / most * HEIGHT * 8), 1 if height else 0) for height in heights]
    lines = []
    for line in reversed(range(HEIGHT)):
        lines.append("".join(VERTICAL[min(max(height - line * 8, 0), 8)] * stretch for height in eighths).rstrip())
    return lines


def show_words(words: VocabularyReport) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    about = "about " if words.forgot else ""
    once = f"{words.once / max(words.different, 1):.0%} of them once"
    table.add_row("words", Text(f"{words.total:,}, {about}{words.different:,} different, {once}"))
    table.add_row("frequent", Columns([counted(word, times) for word, times in words.frequent], padding=(0, 2)))
    if words.rare:
        times = words.rare[0][1]
        shown = ", ".join(clean(word) for word, _ in words.rare)
        table.add_row("once" if times == 1 else f"{times:,} times", Text(shown))
    for split, rates in words.unknown.items():
        stated = [f"{rates['all']:.1%} of the words in {split} are new"]
        stated += [
            f"{rate:.1%} beyond the {int(name):,} most frequent" for name, rate in rates.items() if name != "all"
        ]
        table.add_row("unknown", Text(", ".join(stated)))
    console.print()
    console.print(Padding(table, (0, 2)))


def counted(word: str, times: int) -> Text:
    return Text.assemble(clean(word), (f" {times:,}", "dim"), no_wrap=True)


def show_repeated(repeated: DuplicateReport) -> None:
    report = Report()
    found = {
        "the same record, within a split": repeated.same,
        "the same text with another answer, within a split": repeated.conflicting,
        **{f"in {split}, and in train as well": found for split, found in repeated.overlap.items()},
    }
    report.counts = {name: one.count for name, one in found.items() if one.count}
    report.places = {name: one.places for name, one in found.items()}
    show_report(report)
    if repeated.compared >= MOST:
        console.print(Padding(Text(f"only the first {repeated.compared:,} were compared", style="dim"), (0, 2)))


def show_report(report: Report) -> None:
    if not report:
        console.print(Padding(Text("nothing", style="dim"), (0, 2)))
        return
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for reason in by_count(report.counts):
        places = report.places[reason]
        more = " …" if report.counts[reason] > len(places) else ""
        text = Text(clean(reason, 200), style="yellow")
        text.append(f"\n{lines_of(places)}{more}", style="dim")
        table.add_row(Text(f"{report.counts[reason]:,}"), text)
    console.print(Padding(table, (0, 2)))


def lines_of(places: Sequence[Place]) -> str:
    """
    >>> lines_of([Place("a.txt", 3), Place("a.txt", 7), Place("b.txt")])
    'a.txt:3, 7; b.txt'
    """
    stated = []
    for file, group in groupby(places, key=lambda place: place.file):
        numbers = ", ".join(str(place.line) for place in group if place.line is not None)
        stated.append(clean(f"{file}:{numbers}" if numbers else file, 300))
    return "; ".join(stated)


def show_embedded(as_json: bool) -> None:
    """The data sets that need no download."""
    rows = {name: (data, counts(data)) for name, data in EMBEDDED.items()}
    if as_json:
        print(
            json.dumps(
                {
                    name: {"task": data.task, "parts": sizes, "title": data.title, "licence": data.licence}
                    for name, (data, sizes) in rows.items()
                }
            )
        )
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("data", style="cyan", no_wrap=True)
    table.add_column("task", no_wrap=True)
    table.add_column("examples", justify="right", no_wrap=True)
    table.add_column("what it is")
    for name, (data, sizes) in rows.items():
        about = Text(data.title)
        about.append(f"\n{data.licence}", style="dim")
        size = Text(f"{sum(sizes.values()):,}") if sizes else Text("missing", style="dim")
        table.add_row(Text(f"embedded:{name}"), data.task, size, about)
    console.print(table)
    console.print("\nLook at one: [bold]seqloom data embedded:dates[/bold]", highlight=False)


def counts(data: EmbeddedDataset) -> dict[str, int]:
    """Rows of each split; nothing where the package that brings them is not installed."""
    try:
        return {split: len(rows) for split, rows in data.splits.items()}
    except DataError:
        return {}


def show_datasets(as_json: bool) -> None:
    """The public data sets, and whether they are on this machine."""
    there = {name: all(map(data.find, data.files)) for name, data in datasets().items()}
    if as_json:
        keys = ("task", "title", "licence", "home", "size")
        listed = {name: {key: getattr(data, key) for key in keys} for name, data in datasets().items()}
        print(json.dumps({name: {**about, "here": there[name]} for name, about in listed.items()}))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("data", style="cyan", no_wrap=True)
    table.add_column("task", no_wrap=True)
    table.add_column("MB", justify="right", no_wrap=True)
    table.add_column("here", no_wrap=True)
    table.add_column("what it is")
    for name, data in datasets().items():
        about = Text(data.title)
        about.append(f"\n{data.licence}", style="dim")
        here = Text("yes", style="green") if there[name] else Text("no" if data.url else "by hand", style="dim")
        table.add_row(Text(f"data:{name}"), data.task, f"{data.size / 1e6:.1f}", here, about)
    console.print(table)
    console.print("\nFetch one: [bold]seqloom data get multi30k[/bold]", highlight=False)


def show_dataset(data: PublishedDataset) -> None:
    """What a set is, and under which licence, before it is fetched."""
    console.print(Text(data.title, style="bold"))
    console.print(Text(f"licence: {data.licence}\nhome: {data.home}"))


def show_paths(data: PublishedDataset, paths: Sequence[Path]) -> None:
    for path in paths:
        console.print(Text(str(path)), soft_wrap=True)
    console.print(Text(f"in settings: {', '.join(f'data:{data.name}/{split}' for split in data.splits)}", style="dim"))


def say(text: str) -> None:
    console.print(Text(text, style="dim"), soft_wrap=True)
