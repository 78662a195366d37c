"""The one console that commands print to."""

from collections.abc import Iterable

from rich.console import Console
from rich.segment import Segment

from seqloom.errors import printable


class TerminalConsole(Console):
    """Shows what data and models say as text: no label of theirs moves the cursor or changes a colour."""

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        shown = [one if one.control else Segment(printable(one.text), one.style) for one in buffer]
        return super()._render_buffer(shown)


console = TerminalConsole()
