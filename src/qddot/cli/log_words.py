"""What people write on a command line about logs, as `load_log` takes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qddot.cli.words import numbers
from qddot.errors import BadArgument, printable

if TYPE_CHECKING:
    from qddot.robot import Robot

QUANTITIES = ("t", "q", "qd", "qdd", "tau")
# words of Python in messages, and those of the command line
OPTIONS = (
    (
        re.compile(r"""\b(columns|units|joints)=\{['"]?([^'":}]+)['"]?: ['"]?([^'"}]*)['"]?\}"""),
        r"--\1 \2=\3",
    ),
    (re.compile(r"joints=\{robot's: log's\}"), "--joints ROBOT'S=LOG'S"),
    (re.compile(r"\b(columns|units|joints)=\{\.\.\.\}"), r"--\1 ..."),
    (re.compile(r"\brows=\((\w+), (\w+)\)"), r"--rows \1-\2"),
    (re.compile(r"lock it: robot\.locked\(\{\.\.\.\}\)"), "leave it out of --joints"),
    (re.compile(r"torque_constants=1, and then identify\(.*?\)"), "--gains"),
    (re.compile(r"\btorque_constants=(?=[\[\d.])"), "--torque-constants "),
    (re.compile(r"\b(gear|rate|topic|offset)=(?=[\[\d.-])"), r"--\1 "),
    (
        re.compile(r"^(joints|columns|units|topic|gear|coupling|rate) (?=names|is|must|has)"),
        r"--\1 ",
    ),
    (re.compile(r"Give decimate="), "Take --decimate "),
    (re.compile(r"method='(\w+)'"), r"--method \1"),
    (re.compile(r"prepared\(log, delay=([^)]*)\)"), r"--delay \1"),
)


def as_options(text: str) -> str:
    """Return a message in the words of the command line, not of Python."""
    for python, words in OPTIONS:
        text = python.sub(words, text)
    return text.replace("=None", "=none").replace("[...]", "...")


def sources(files: Sequence[str]) -> list[str | dict[str, Any]]:
    """Return the logs that were named: a file each, or files by quantity, which are one log."""
    found: list[str | dict[str, Any]] = []
    for name in files:
        key, equals, path = name.partition("=")
        if not equals or key not in QUANTITIES:
            found.append(name)
            continue
        own = path if Path(path).exists() else several(path)
        if found and isinstance(last := found[-1], dict) and key not in last:
            last[key] = own
        else:
            found.append({key: own})
    return found


def with_rows(name: str) -> tuple[str, str]:
    """Return a file and its rows: "log.csv:1-10000" is rows 1 to 10000 of log.csv."""
    match = re.fullmatch(r"(.+):(\d+-\d*)", name)
    return (match[1], match[2]) if match and not Path(name).exists() else (name, "")


def carried(given: Sequence[str], robot: Robot) -> dict[str, Any]:
    """Return --payload FILE=FRAME or FILE=FRAME:MASS[,X,Y,Z] by file: a frame, or a known load."""
    from qddot.model.link import Inertial, Payload

    found: dict[str, Any] = {}
    for text in given:
        file, equals, load = text.rpartition("=")
        if not equals or not file or not load:
            raise BadArgument(
                f"--payload {printable(text)!r} is not of the form FILE=FRAME or "
                "FILE=FRAME:MASS,X,Y,Z.\n  For instance: --payload loaded.csv=tool:2.5,0,0,0.06."
            )
        frame, colon, said = load.partition(":")
        if not colon:
            found[file] = frame
            continue
        values = numbers("--payload", said)
        if len(values) not in (1, 4):
            raise BadArgument(
                f"--payload {printable(text)!r} has {len(values)} numbers after the frame; give "
                "its mass [kg], or its mass and its centre of mass in the frame [m]."
            )
        mass, com = values[0], values[1:] or (0.0, 0.0, 0.0)
        x, y, z = com
        found[file] = Payload(frame, Inertial(mass, (x, y, z)))
    return found


def weights_of(given: Sequence[str]) -> dict[str, float]:
    """Return --weight FILE=NUMBER by file."""
    found = {}
    for text in given:
        file, _, said = text.rpartition("=")
        if not file:
            raise BadArgument(f"--weight {printable(said)!r} is not of the form FILE=NUMBER.")
        found[file] = numbers("--weight", said)[0]
    return found


def pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    """Return quantity=words, as given several times, or at once: "q=1-7 tau=8-14"."""
    found = {}
    between = rf"[;\s]+(?=(?:{'|'.join(QUANTITIES)})=)"
    for text in (part for each in given for part in re.split(between, each.strip())):
        key, equals, words = text.partition("=")
        if not equals or key not in QUANTITIES or not words:
            raise BadArgument(
                f"{option} {printable(text)!r} is not of the form quantity=...\n"
                f"  Quantities are {', '.join(QUANTITIES)}."
            )
        found[key] = words
    return found


def names_of(option: str, text: str, known: str) -> tuple[str, ...]:
    """Return names with commas between them."""
    found = tuple(part.strip() for part in text.split(",") if part.strip())
    if not found:
        raise BadArgument(f"{option} names nothing; give {known}.")
    return found


def columns_of(said: str) -> Any:
    """Return the columns of a quantity: a pattern, several names, or None for "none"."""
    return None if said == "none" else several(said)


def several(said: str) -> str | list[str]:
    """Return one word, or those that commas separate."""
    return said.split(",") if "," in said else said


def units_of(said: str) -> Any:
    """Return a unit, or one per joint; a number is what it is in SI."""
    parts = [float(part) if _is_number(part) else part for part in said.split(",")]
    return parts if len(parts) > 1 else parts[0]


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?", text, re.I) is not None


def joints_of(given: Sequence[str]) -> list[str] | dict[str, str] | None:
    """Return joints in order, "j2,j1", or the log's by the robot's, "j1=axis1"."""
    words = [word.strip() for text in given for word in text.split(",")]
    named = dict(word.split("=", 1) for word in words if "=" in word)
    if not all(words) or (named and len(named) < len(words)):
        raise BadArgument(
            f"--joints {printable(','.join(given))!r} is neither a list of joints, j2,j1, nor "
            "pairs, ROBOT'S=LOG'S: j1=axis1,j2=axis2."
        )
    return named or words or None


def rows_of(text: str) -> tuple[int, int | None] | None:
    """Return the first and the last row: "1-10000", "10001-"."""
    if not text:
        return None
    match = re.fullmatch(r"\s*(\d{1,12})\s*[-:]\s*(\d{1,12})?\s*", text)
    if match is None:
        raise BadArgument(f"--rows {printable(text)!r} is not of the form 1-10000 or 10001-.")
    return int(match[1]), int(match[2]) if match[2] else None


def numbers_of(option: str, text: str) -> list[float] | None:
    """Return numbers, or None for no words."""
    return numbers(option, text) if text else None


def one_or_each(option: str, text: str) -> float | list[float] | None:
    """Return a number for all joints, or one per joint; None for no words."""
    found = numbers_of(option, text)
    return found[0] if found is not None and len(found) == 1 else found


def gear_of(given: Sequence[str]) -> Any:
    """Return gear ratios for all quantities, "100,100", or by quantity, "tau=100,100"."""
    if len(given) == 1 and "=" not in given[0]:
        return numbers("--gear", given[0])
    return {key: numbers("--gear", text) for key, text in pairs("--gear", given).items()} or None


def matrix_of(text: str) -> list[list[float]] | None:
    """Return the matrix whose rows semicolons separate."""
    return [numbers("--coupling", row) for row in text.split(";")] if text else None
