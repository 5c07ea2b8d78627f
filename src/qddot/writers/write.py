"""Choosing the writer by the ending of the file."""

from __future__ import annotations

from pathlib import Path

from qddot.errors import BadArgument
from qddot.model import Model
from qddot.saving import write_whole
from qddot.writers.toml import to_json, to_toml
from qddot.writers.urdf import added_to_urdf, lost_in_urdf, to_urdf


def write(model: Model, path: Path) -> list[str]:
    """Write a model to a .toml, .json or .urdf file.

    Returns:
        What was added because the format asks for it, then what the format cannot hold.
    """
    ending = path.suffix.lower()
    notes: list[str] = []
    if ending == ".toml":
        text = to_toml(model)
    elif ending == ".json":
        text = to_json(model)
    elif ending == ".urdf":
        text = to_urdf(model)
        notes = [*added_to_urdf(model), *(f"left out: {what}" for what in lost_in_urdf(model))]
    else:
        raise BadArgument(f"A robot is written as .toml, .json or .urdf, not as {path.name!r}.")
    write_whole(path, text)
    return notes
