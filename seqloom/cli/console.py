"""The consoles that commands print to."""

from collections.abc import Iterable

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from seqloom.errors import printable


class TerminalConsole(Console):
    """Shows what data and models say as text: no label of theirs moves the cursor or changes a colour."""

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        shown = [one if one.control else Segment(printable(one.text), one.style) for one in buffer]
        return super()._render_buffer(shown)


console = TerminalConsole()
beside = TerminalConsole(stderr=True)
"""What is said beside answers, which others may read."""


def say(text: str, to: Console = console) -> None:
    """Print words as they are: in a terminal broken between them, elsewhere every line in one piece; no path is."""
    broken = to.is_terminal and all(len(word) < to.width for word in text.split())
    to.print(Text(text), soft_wrap=not broken)
