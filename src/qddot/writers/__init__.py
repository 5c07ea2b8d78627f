"""From a model back to a file that reads as the same model; the ending says the format."""

from __future__ import annotations

from pathlib import Path

from qddot.errors import listing
from qddot.model import Model
from qddot.model.geometry import MeshShape
from qddot.robot_formats import loaded, written_as, written_endings
from qddot.saving import ending, write_whole


def write(model: Model, path: Path) -> list[str]:
    """Write a model to a .toml, .json, .urdf, .xml (MJCF) or .sdf file; return what differs."""
    text, notes = as_file(model, path)
    write_whole(path, text)
    return notes


def as_file(model: Model, path: Path) -> tuple[str, list[str]]:
    """Return what a robot file of that name would hold, so that one may say first what is lost.

    Returns:
        The text; and what is added because the format asks for it, what the format cannot hold,
        and which meshes are not beside the new file.
    """
    chosen = written_as(ending(path, "A robot", written_endings()))
    text = loaded(chosen.writer)(model)
    notes = loaded(chosen.notes)(model) if chosen.notes else []
    if model.urdf_parts and chosen.name != "URDF":
        notes.append("left out: what the URDF file says to ROS (ros2_control, transmission)")
    return text, [*notes, *meshes_left_behind(model, path)]


def meshes_left_behind(model: Model, path: Path) -> list[str]:
    """Return that a file names meshes beside it which are not there, if it does."""
    shapes = (each.shape for link in model.links for each in (*link.visuals, *link.collisions))
    missing = {
        shape.file: shape.path
        for shape in shapes
        if isinstance(shape, MeshShape)
        and shape.path is not None
        and "://" not in shape.file
        and not (path.parent / shape.file).is_file()
    }
    if not missing:
        return []
    return [f"left behind: {listing(list(missing), 3)}; copy these meshes to its folder"]
