"""Choosing the reader: by name for built-in robots, by ending and content for files."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument, BadFile, BadRobot, UnknownRobot, did_you_mean, one_of, shorten
from qddot.model import Model
from qddot.model.nearest_inertia import with_nearest_inertias
from qddot.readers.files import read_bytes
from qddot.readers.places import Places, places
from qddot.readers.toml import read_toml
from qddot.robot_formats import RobotFormat, formats_of, loaded, read_endings
from qddot.scalars.reader import read_formula

INERTIA = ("refuse", "nearest")
SYMBOLIC = "_symbolic"  # the built-in robot of this name before it was given [values]


def library() -> dict[str, Path]:
    """Return the built-in robots: their names and files."""
    folder = Path(str(files("qddot.readers"))) / "library"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def built_in_names() -> list[str]:
    """Return the names that `read` takes: real and textbook robots, and the symbolic ones."""
    names = []
    for name, path in library().items():
        names.append(name)
        if "[values]" in path.read_text(encoding="utf-8"):
            names.append(name + SYMBOLIC)
    return names


def values_of(name: str) -> dict[str, float]:
    """Return the numbers that a built-in robot has for the symbols of its twin; {} of others."""
    path = library().get(name.removesuffix(SYMBOLIC))
    if path is None or name not in built_in_names():
        return {}
    values = tomllib.loads(path.read_text(encoding="utf-8")).get("values", {})
    return {symbol: float(read_formula(str(value))) for symbol, value in values.items()}


def read(
    source: str | Path,
    inertia: str = "refuse",
    package_paths: Sequence[str | Path] = (),
    arguments: Mapping[str, Any] | None = None,
) -> Model:
    """Return the model of a built-in robot or of a file.

    Inertias that no body has are refused, or replaced by the "nearest" that one has, with a warning
    each. Package paths are ROS packages or hold them; arguments are of a xacro file, by name.

    Raises:
        UnknownRobot: If it is neither.
        BadFile, BadRobot: If the file cannot be right, with every problem in it.
    """
    if inertia not in INERTIA:
        raise BadArgument(f"inertia is {inertia!r}; it must be one of {', '.join(INERTIA)}.")
    name, path = str(source), Path(source)
    is_file = path.suffix.lower() in read_endings() or os.path.exists(path)
    if is_file and name not in library():
        return _read_file(path, inertia, places(path, package_paths), arguments or {})
    if name in built_in_names():
        refuse_arguments(name, arguments)
        return _built_in(name, inertia)
    if "/" in name:
        raise BadFile(path, "it does not exist", "Check its name.")
    raise UnknownRobot(name, built_in_names())


def model_of(robot: Any) -> Model:
    """Return the model of a robot, of a name or of a file; a model is its own.

    Raises:
        QddotError: If it is none of these, or cannot be read.
    """
    found = read(robot) if isinstance(robot, (str, Path)) else getattr(robot, "model", robot)
    if not isinstance(found, Model):
        raise BadArgument(
            f"{shorten(repr(robot))} is no robot. Give one (qddot.load, qddot.from_dh), the name "
            'of a built-in one such as "panda", or the path of a robot file.'
        )
    return found


@cache
def _built_in(name: str, inertia: str) -> Model:
    """Return the model of a built-in robot, which is frozen and therefore read and checked once."""
    plain = name.removesuffix(SYMBOLIC)
    path = library()[plain]
    if name == plain:
        return _read_file(path, inertia, Places(path.parent), {})
    return replace(read_toml(path, symbolic=True), name=name, file=str(path))


def refuse_arguments(name: str, arguments: Mapping[str, Any] | None) -> None:
    """Raise BadArgument if a robot that is no xacro file is given arguments."""
    if arguments:
        first = next(iter(arguments))
        hint = did_you_mean(first, ("inertia", "package_paths"))
        raise BadArgument(
            f"{shorten(first)} is no argument of {shorten(name)!r}: only a xacro file takes "
            f"arguments of its own.{hint}"
        )


def _read_file(path: Path, inertia: str, places: Places, arguments: Mapping[str, Any]) -> Model:
    chosen = format_of(path)
    reader = loaded(chosen.reader)
    if chosen.runs_code:
        reader = partial(reader, arguments=arguments)
    else:
        refuse_arguments(path.name, arguments)
    try:
        try:
            model = reader(path, places)
        except BadRobot as error:
            if inertia == "refuse" or not isinstance(error.model, Model):
                raise
            model = with_nearest_inertias(error.model, error.problems)
        else:
            if inertia == "nearest":
                model = with_nearest_inertias(model, model.warnings)
    except BadRobot as error:
        named = [problem.located(str(path)) for problem in error.problems]
        raise BadRobot(error.robot, named, error.model) from None
    told = tuple(p.located(str(path)) for p in model.warnings)
    return replace(model, warnings=told, file=model.file or str(path))


def format_of(path: Path) -> RobotFormat:
    """Return the format of a file, by its ending and, where several have it, its first element."""
    ending = path.suffix.lower().rstrip(".")  # a dot alone is an ending since Python 3.14
    formats = formats_of(ending)
    if not formats:
        why = f"its ending {ending!r} says nothing about its format"
        remedy = f"Name it {one_of(read_endings())}."
        raise BadFile(path, why if ending else "it has no ending", remedy)
    *special, usual = formats
    first = first_element(read_bytes(path)) if special else ""
    return next((each for each in special if first in each.first_elements), usual)


def first_element(data: bytes) -> str:
    """Return the name of the first element of an XML file, or nothing."""
    text = data[:100_000].replace(b"\0", b"")  # UTF-16 too
    at = text.find(b"<")
    while at >= 0 and text[at : at + 2] in (b"<!", b"<?"):
        comment = text[at : at + 4] == b"<!--"
        end = text.find(b"-->" if comment else b">", at)
        at = text.find(b"<", end) if end >= 0 else -1
    first = re.match(rb"<\s*([A-Za-z_][\w:.-]*)", text[at : at + 100]) if at >= 0 else None
    return first[1].decode("ascii") if first else ""
