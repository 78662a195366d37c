"""What engine a folder was exported for: known before any of its code, or that of a task, is imported."""

from __future__ import annotations

from pathlib import Path

from seqloom.engines.settings import WRITER, EngineMetadata, engine_of
from seqloom.errors import SeqloomError
from seqloom.storage import is_pack, open_files


def answers_alone(facts: EngineMetadata) -> bool:
    """Whether answers of a folder are made without torch: texts that are written from texts or pictures."""
    if facts.task == "generate":
        return WRITER in facts.files
    return facts.task in ("translate", "caption") and facts.reads != "frames"


def metadata_at(place: Path) -> EngineMetadata | None:
    """What an exported folder says of itself; None for any other place."""
    if not is_pack(place) and not (place / "manifest.json").is_file():
        return None
    return engine_of(open_files(place))


def check_engine(place: Path, facts: EngineMetadata | None, wanted: str) -> None:
    """Raise an error where a folder is not of the engine that was asked for, with how to come by one that is."""
    if wanted == "auto" or wanted == (facts.engine if facts else "torch"):
        return
    if facts is None:
        raise SeqloomError(
            f"{place} is a model in torch, not one for {wanted}",
            remedy=f"seqloom export {place} --to {wanted} FOLDER, and give that folder",
        )
    origin = facts.made_from or "the folder that it was trained in"
    remedy = f"give {origin}" if wanted == "torch" else f"seqloom export {origin} --to {wanted} FOLDER"
    raise SeqloomError(f"{place} was exported for {facts.engine}, not for {wanted}", remedy=remedy)
