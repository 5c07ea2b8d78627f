"""What every verb shares: options, robots in, results out for people or for machines.

Results go to stdout; warnings, notes and progress to stderr, and --quiet silences those.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qddot import progress
from qddot.cli import completion
from qddot.cli.words import arguments_of, numbers, one_number, read_set
from qddot.errors import (
    BadArgument,
    BadExpression,
    NoValues,
    did_you_mean,
    first_lines,
    one_of,
    plain_name,
    printable,
)
from qddot.robot_formats import written_endings
from qddot.saving import check_place

if TYPE_CHECKING:
    from qddot.errors import Problem
    from qddot.model import Model
    from qddot.robot import Robot

SHOWN = 4  # warnings of a file
TURN = 2 * math.pi  # [rad]
ROBOT = "The name of a built-in robot, or a robot file."
ENDINGS_OF_FIGURES = (".png", ".svg", ".pdf")
ENDINGS_OF_FILMS = (".gif", ".html", ".mp4")
ENDINGS_OF_MOTIONS = (".csv", ".parquet", ".npz")
ENDINGS_OF_ROBOTS = written_endings()

File = Path | None
OptionWords = list[str] | None


def writes(*names: str, what: str, endings: tuple[str, ...], words: str, **more: Any) -> Any:
    """Return an option that names a file to write, refused at once where it could not be."""

    def checked(path: Path | None) -> Path | None:
        if path is not None:
            check_place(path, what, endings)
        return path

    return typer.Option(
        *names,
        metavar="FILE",
        help=f"{words}: {one_of(endings)}.",
        callback=checked,
        autocompletion=completion.files(*endings),
        **more,
    )


def saves(what: str, endings: tuple[str, ...], words: str = "Save the result", **more: Any) -> Any:
    """Return the option -o: where the result of a verb goes."""
    return writes("--output", "-o", what=what, endings=endings, words=words, **more)


def choice(option: str, known: Sequence[str], words: str) -> Any:
    """Return an option that is one of several names, however written: Rk45, pd-gravity."""
    by_key = {plain_name(name): name for name in known}

    def checked(text: str | None) -> str | None:
        if text is None:
            return None
        if plain_name(text) not in by_key:
            raise BadArgument(
                f"There is no {option.removeprefix('--')} {printable(text)!r}."
                f"{did_you_mean(text, known)}\n  There are: {', '.join(known)}."
            )
        return by_key[plain_name(text)]

    return typer.Option(
        option,
        metavar="NAME",
        help=f"{words}: {', '.join(known)}.",
        callback=checked,
        autocompletion=completion.among(known),
    )


def entry(words: str, metavar: str, *names: str, **more: Any) -> Any:
    """Return an option that is what its metavar says: a name, words, a count."""
    return typer.Option(*names, metavar=metavar, help=words, **more)


def number(words: str, unit: str = "NUMBER", *names: str) -> Any:
    """Return an option that is a number or a formula of numbers: 0.5, 1e-3, 2*pi."""
    return entry(words, unit, *names, parser=read_one)


def vector(words: str) -> Any:
    """Return an option that is numbers with commas between them, one per joint."""
    return typer.Option(metavar="A,B,...", help=words, show_default=False)


def frame_name(words: str) -> Any:
    """Return an option that names a frame of the robot."""
    complete = completion.frames
    return typer.Option(metavar="FRAME", help=words, autocompletion=complete, show_default=False)


def read_one(text: str | float) -> float:
    """Return the value of an option that is a number, or its default."""
    if not isinstance(text, str):
        return float(text)
    try:
        return one_number(text)
    except BadExpression as error:
        raise typer.BadParameter(str(error)) from None


Source = Annotated[
    str, typer.Argument(metavar="ROBOT", help=ROBOT, autocompletion=completion.robots)
]
Settings = Annotated[
    OptionWords,
    entry(
        "Change the robot: friction.viscous=30, gravity=0,0,-1.62, payload.tool=2, or a "
        "symbol's value, m1=3. May be given several times.",
        "KEY=VALUE",
        "--set",
    ),
]
Wrenches = Annotated[
    OptionWords,
    entry(
        "A constant wrench at a frame, the moment [N·m] and then the force [N]: "
        "tool=0,0,0,0,0,-9.81. May be given several times, once per frame.",
        "FRAME=NX,...,FZ",
        "--wrench",
    ),
]
WrenchAxes = Annotated[
    str,
    choice(
        "--wrench-axes",
        ("world", "local", "base"),
        "The axes of --wrench: world axes at the frame's origin, the frame's own (local), or about "
        "the base's origin",
    ),
]
WrenchesOn = Annotated[
    str,
    choice(
        "--wrenches-on",
        ("robot", "environment"),
        "What --wrench acts on; the robot applies one on its environment, as F_tip",
    ),
]
Degrees = Annotated[
    bool,
    typer.Option("--degrees", help="Print and draw angles in degrees; JSON and files keep rad."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the same facts as JSON.")]
Effort = Annotated[
    str,
    choice(
        "--effort",
        ("enforce", "report"),
        "Torques beyond the effort limits are cut off (enforced), or only reported",
    ),
]
Plot = Annotated[
    File, writes("--plot", what="A figure", endings=ENDINGS_OF_FIGURES, words="Draw the result")
]
Animate = Annotated[
    File,
    writes(
        "--animate", what="A film", endings=ENDINGS_OF_FILMS, words="Write a film of the motion"
    ),
]


ReadingArguments = Annotated[
    OptionWords,
    entry(
        "An argument of a xacro file: ur_type:=ur5e. May be given several times.",
        "NAME:=VALUE",
        "--arg",
    ),
]
PackagePaths = Annotated[
    OptionWords,
    entry(
        "A ROS package, or a folder of some, for meshes and $(find ...). May be given "
        "several times.",
        "FOLDER",
        "--package-path",
    ),
]
READING: dict[str, Any] = {}  # how robot files are read, besides --set: arguments of `read`


def set_reading(arguments: OptionWords = None, package_paths: OptionWords = None) -> None:
    """Keep what --arg and --package-path say for the files that this command line reads."""
    READING.clear()
    READING["arguments"] = arguments_of(arguments or ())
    READING["package_paths"] = tuple(package_paths or ())


def read_robot(source: str, settings: OptionWords = None, inertia: str = "refuse") -> Robot:
    """Return the robot, changed as --set says, its warnings printed on stderr."""
    from qddot.readers.read import built_in_names, read
    from qddot.robot import Robot
    from qddot.robot.settings import changed

    model = read(source, inertia, **READING)
    if source not in built_in_names():  # whose descriptions say what is doubtful about them
        warn_each(told_once(model.warnings), "`qddot doctor`")
    robot = Robot(model)
    return changed(robot, read_set(robot, settings)) if settings else robot


def told_once(problems: Iterable[Problem]) -> list[str]:
    """Return the warnings among problems in words; of those in one file the first names it."""
    told, file = [], ""
    for each in (p for p in problems if p.severity == "warning"):
        where = f"line {each.line}" if each.line else ""
        told.append(str(each if each.file != file else replace(each, file=where, line=None)))
        file = each.file
    return told


def read_model(source: str, settings: OptionWords = None) -> Model:
    """Return the model of the robot, changed as --set says, its warnings printed on stderr."""
    return read_robot(source, settings).model


def read_numeric(source: str, settings: OptionWords = None) -> Robot:
    """Return the robot, changed as --set says, if all of it is numbers."""
    return numeric(read_robot(source, settings))


def read_varied(source: str, settings: OptionWords, vary: str) -> dict[str, Robot]:
    """Return the robot with each of the values that --vary gives, by "key = value"."""
    from qddot.robot.settings import changed

    robot = read_robot(source, settings)
    key, equals, values = vary.partition("=")
    texts = [text.strip() for text in values.split(";" if ";" in values else ",")]
    if not equals or not all(texts):
        raise BadArgument(f"--vary {printable(vary)!r} is not of the form key=value,value,...")
    return {
        f"{key} = {text}": numeric(changed(robot, read_set(robot, [f"{key}={text}"], "--vary")))
        for text in texts
    }


def read_shape(source: str, settings: OptionWords = None) -> Robot:
    """Return the robot, changed as --set says, if its shape is numbers; its masses need not be."""
    robot = read_robot(source, settings)
    numeric(robot._shape_alone)
    return robot


def numeric(robot: Robot) -> Robot:
    """Return a robot all of which is numbers, or refuse it."""
    if robot.symbols:
        raise NoValues(robot.name, robot.symbols, "--set {}=1.0")
    return robot


def positions(option: str, text: str, robot: Robot) -> list[float]:
    """Return joint positions; warn of angles that are far beyond a limit, as degrees would be."""
    found = numbers(option, text)
    doubt_positions(option, found, robot)
    return found


def doubt_positions(option: str, q: Sequence[float], robot: Robot) -> None:
    """Warn of joint positions that look like degrees."""
    span = robot.limits.span()
    for name, unit, x, low, high in zip(
        robot.joint_names, robot.model.position_units, q, *span, strict=False
    ):
        if unit == "rad" and not low <= x <= high:
            doubt_angle(option, name, x)


def doubt_angle(option: str, name: str, x: float) -> None:
    """Warn of an angle that looks like degrees."""
    if abs(x) > TURN:
        warn(
            f"{option}: {name} is at {x:g} rad, {abs(x) / TURN:.2g} turns. If these are "
            f"degrees: {x:g}deg."
        )


def tell(
    as_json: bool, facts: dict[str, Any], lines: Iterable[str], files: Sequence[File] = ()
) -> None:
    """Print what a verb found, for machines or for people, and the files that it wrote."""
    written = [str(path) for path in files if path is not None]
    if as_json:
        echo_json(facts | {"files": written} if files else facts)
    else:
        for line in (*lines, *map(printable, written)):
            print(line)


def echo_json(data: Any) -> None:
    """Print JSON that every reader takes: what is not finite is null."""
    from qddot.results import json_text

    plain = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") != "utf8"
    print(json_text(data, ensure_ascii=plain, indent=2))


def warn(text: str) -> None:
    """Say on stderr what may be wrong, unless --quiet."""
    progress.inform(f"warning: {printable(text)}")


def warn_each(texts: Sequence[str], where: str) -> None:
    """Say the first few warnings, and where to find the rest."""
    for text in first_lines(texts, SHOWN + 1, f"; {where} lists them all."):
        warn(text)
