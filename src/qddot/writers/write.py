"""Choosing the writer by the ending of the file."""

from __future__ import annotations

from pathlib import Path

from qddot.errors import BadArgument
from qddot.model import Model
from qddot.writers.toml import to_toml
from qddot.writers.urdf import lost_in_urdf, to_urdf


def write(model: Model, path: Path) -> list[str]:
    """Write a model to a .toml or .urdf file; return what that format cannot hold."""
    ending = path.suffix.lower()
    if ending == ".toml":
        text, lost = to_toml(model), []
    elif ending == ".urdf":
        text, lost = to_urdf(model), lost_in_urdf(model)
    else:
        raise BadArgument(f"A robot is written as .toml or .urdf, not as {path.name!r}.")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadArgument(f"{path} cannot be written: {error.strerror}.") from None
    return lost
