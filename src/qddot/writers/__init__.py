"""From a model back to a file that reads as the same model; the ending says the format."""

from __future__ import annotations

from pathlib import Path

from qddot.model import Model
from qddot.robot_formats import loaded, written_as, written_endings
from qddot.saving import ending, write_whole


def write(model: Model, path: Path) -> list[str]:
    """Write a model to a .toml, .json or .urdf file.

    Returns:
        What was added because the format asks for it, then what the format cannot hold.
    """
    chosen = written_as(ending(path, "A robot", written_endings()))
    text = loaded(chosen.writer)(model)
    notes = loaded(chosen.notes)(model) if chosen.notes else []
    write_whole(path, text)
    return notes
