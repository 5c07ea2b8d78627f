"""Xacro files: expanded to URDF by the `xacrodoc` package, then read as URDF.

A xacro file is a program. It is run in a process of its own, with little time and memory; that
keeps out accidents, but a file from a stranger is still better expanded elsewhere. Line numbers
are those of the expanded text, which `xacro FILE` prints.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from qddot.errors import (
    BadArgument,
    BadFile,
    BadRobot,
    MissingExtra,
    QddotError,
    did_you_mean,
    shorten,
)
from qddot.model import Model
from qddot.readers.files import read_bytes
from qddot.readers.places import Places
from qddot.readers.urdf import read_urdf_text
from qddot.readers.xml import read_xml
from qddot.workers import ResourceLimits, Worker

SECONDS = 60  # the largest robots we know of take two
LIMITS = ResourceLimits(memory=2 * 10**9, seconds=6, file=0, processes=0)


def read_xacro(
    path: Path, places: Places | None = None, arguments: Mapping[str, Any] | None = None
) -> Model:
    """Return the model in a xacro file.

    Raises:
        MissingExtra: If xacrodoc is not installed.
        BadArgument: If the file takes no argument of a name, or no such value.
        BadFile: If the file cannot be expanded, or not to URDF.
        BadRobot: With every problem of the expanded text.
    """
    if importlib.util.find_spec("xacrodoc") is None:
        raise MissingExtra("Expanding xacro", "xacrodoc", "xacro")
    read_xml(read_bytes(path), str(path))  # refuses what is not XML, with its line
    label = f"{path}, expanded"
    places = places or Places(path.parent)
    text = expanded(path, places, argument_values(arguments or {}))
    if "<link" not in text:
        why = "it expands to no link at all: it only defines macros, or nothing"
        raise BadFile(path, why, "Name the file that uses the macros.")
    try:
        model = read_urdf_text(text, label, places)
    except BadRobot as error:
        raise BadRobot(error.robot, [p.located(label) for p in error.problems]) from None
    name = path.name.split(".")[0] if model.name == label else model.name
    told = tuple(p.located(label) for p in model.warnings)
    return replace(model, name=name, warnings=told, file=label)


def argument_values(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of arguments as xacro takes them: text, "true" and "false", numbers."""
    values = {}
    for name, value in arguments.items():
        if isinstance(value, bool):
            value = str(value).lower()
        elif isinstance(value, (int, float)):
            value = repr(value)
        if not isinstance(value, (str, Path)):
            raise BadArgument(
                f"{shorten(name)} is {shorten(repr(value))}; an argument of a xacro file is text, "
                "a number, True or False."
            )
        values[name] = str(value)
    return values


def expanded(path: Path, places: Places, arguments: dict[str, str]) -> str:
    """Return the URDF that a xacro file expands to."""
    folders = [str(each.absolute()) for each in places.package_paths]
    with Worker(limits=LIMITS, one_thread=True) as worker:
        job = "qddot.readers.xacro_expansion:expand"
        worker.ask(job, str(path.absolute()), folders, arguments)
        try:
            found = worker.result(SECONDS)
        except (TimeoutError, EOFError):
            found = {"kind": "size", "message": "", "file": ""}
    if "text" in found:
        return found["text"]
    raise refused(path, **found)


def refused(path: Path, kind: str, message: str, file: str) -> QddotError:
    """Return why a file cannot be expanded."""
    elsewhere = f"expand it where that is: xacro {path.name} > robot.urdf."
    if kind == "stray argument":
        name, _, known = message.partition("\n")
        there = f"It takes {shorten(known, 200)}." if known else "It takes none."
        hint = did_you_mean(name, known.split(", "))
        return BadArgument(f"{path.name} takes no argument {shorten(name)!r}. {there}{hint}")
    if kind == "package":
        why = f"it needs the ROS package {shorten(message)!r}, which is not here"
        remedy = f"Name its folder (package_paths=[...], --package-path), or {elsewhere}"
        return BadFile(path, why, remedy)
    if kind == "file":
        why = f"it includes {shorten(message, 200)!r}, which does not exist"
        return BadFile(path, why, f"Put it there, or {elsewhere}")
    if kind == "argument":
        why = f"it needs an argument that has no default ({shorten(message)})"
        name = message if message.isidentifier() else "name"
        remedy = f'Give it: load("{path.name}", {name}="..."), or --arg {name}:=value.'
        return BadFile(path, why, remedy)
    if kind == "size":
        why = "expanding it takes too much time or memory"
        return BadFile(path, why, "Does a macro call itself, or an expression run away?")
    inside = f" (in {file})" if file and Path(file).absolute() != path.absolute() else ""
    why = f"xacro cannot expand it: {shorten(' '.join(message.split()), 300)}{inside}"
    return BadFile(path, why.rstrip("."), "Correct it.")
