"""The one console that commands print to."""

from rich.console import Console

console = Console()
