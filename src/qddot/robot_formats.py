"""The formats of robot files: one row per format. Whoever needs endings asks here.

A reader takes a path and the `Places` of its meshes, one that runs code also the arguments of the
file, and returns a `Model`. A writer takes a model and returns the text of a file,
`notes` what the format had to add or leave out. They are named as "module:function" and imported
on first use, so that this table costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

XML = (".urdf", ".xml", ".mjcf")  # of these the first element says which format it is


@dataclass(frozen=True)
class RobotFormat:
    """How robots are read from one kind of file, and written to it."""

    name: str
    endings: tuple[str, ...]
    reader: str = ""  # "" if it is not read
    first_elements: tuple[str, ...] = ()  # by which it is known among formats of the same ending
    runs_code: bool = False  # a file of this format is a program
    written_as: str = ""  # the ending it is written with; "" if it is not written
    writer: str = ""
    notes: str = ""


FORMATS = (
    RobotFormat(
        "MJCF",
        XML,
        "qddot.readers.mjcf:read_mjcf",
        first_elements=("mujoco", "mujocoinclude"),
        written_as=".xml",
        writer="qddot.writers.mjcf:to_mjcf",
        notes="qddot.writers.mjcf:notes_on_mjcf",
    ),
    RobotFormat(
        "URDF",
        XML,
        "qddot.readers.urdf:read_urdf",
        written_as=".urdf",
        writer="qddot.writers.urdf:to_urdf",
        notes="qddot.writers.urdf:notes_on_urdf",
    ),
    RobotFormat(
        "SDF",
        (),
        written_as=".sdf",
        writer="qddot.writers.sdf:to_sdf",
        notes="qddot.writers.sdf:notes_on_sdf",
    ),
    RobotFormat("xacro", (".xacro",), "qddot.readers.xacro:read_xacro", runs_code=True),
    RobotFormat(
        "TOML",
        (".toml",),
        "qddot.readers.toml:read_toml",
        written_as=".toml",
        writer="qddot.writers.toml:to_toml",
    ),
    RobotFormat(
        "JSON",
        (".json",),
        "qddot.readers.toml:read_json",
        written_as=".json",
        writer="qddot.writers.toml:to_json",
    ),
)


def loaded(place: str) -> Callable[..., Any]:
    """Return the function that "module:function" names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def formats_of(ending: str) -> list[RobotFormat]:
    """Return the formats that files with an ending may have; the last has no mark of its own."""
    return [each for each in FORMATS if ending in each.endings]


def written_as(ending: str) -> RobotFormat:
    """Return the format that is written to files with an ending."""
    return next(each for each in FORMATS if each.written_as == ending)


def read_endings(*, programs: bool = True) -> tuple[str, ...]:
    """Return the endings of files that are read, with or without those that run code."""
    chosen = [each for each in FORMATS if programs or not each.runs_code]
    return tuple(dict.fromkeys(ending for each in chosen for ending in each.endings))


def written_endings() -> tuple[str, ...]:
    """Return the endings of files that robots are written to, TOML first: it keeps everything."""
    endings = [each.written_as for each in FORMATS if each.written_as]
    return tuple(sorted(endings, key=lambda ending: ending != ".toml"))
