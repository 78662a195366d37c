"""How help looks: every command's ends in examples that work."""

from collections.abc import Sequence


def examples(commands: Sequence[str]) -> str:
    """The epilogue of a command's help; each line a paragraph, so that it stays a line."""
    lines = [command.replace("[", r"\[") for command in commands]
    return "\n\n".join(["[bold]Examples[/bold]", *(f"  {line}" for line in lines)])
