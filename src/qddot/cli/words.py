"""What people write on a command line, as plain data: numbers, settings, gains, references."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from qddot.errors import BadArgument, BadExpression, Problem, did_you_mean, first_lines, printable

if TYPE_CHECKING:
    from qddot.motions.description import MotionKind
    from qddot.robot import Robot
    from qddot.robot.settings import RobotSettings

SHOWN = 4  # problems of a description
FILE = ("file motion.json", "a motion of qddot excite, a run or a log")


def numbers(what: str, text: str) -> list[float]:
    """Return the numbers in a text like "0,pi/2,-1"."""
    try:
        return [one_number(part) for part in text.split(",")]
    except BadExpression as error:
        raise BadArgument(f"{what}: {error}") from None


def how_many(count: int) -> str:
    """Return how many numbers there are, in words."""
    return "1 number" if count == 1 else f"{count} numbers"


def one_number(text: str) -> float:
    """Return the number that a text is; a point is the decimal point, whatever the country."""
    from qddot.readers.fields import exact

    return float(exact(text.strip()))


def formulas(text: str) -> str | list[str]:
    """Return one formula, or those that commas separate; what they are is seen to later."""
    parts = text.split(",")
    return parts if len(parts) > 1 else text


def settings_of(texts: Sequence[str], option: str) -> dict[str, Any]:
    """Return what "friction.viscous=30" and "payload.tool=2.5" set, by key."""
    given: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not value.strip():
            raise BadArgument(f"{option} {printable(text)!r} is not of the form key=value.")
        given[key] = formulas(value)
    return given


def arguments_of(texts: Sequence[str]) -> dict[str, str]:
    """Return the arguments of a xacro file from "ur_type:=ur5e", or "ur_type=ur5e", by name."""
    given: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.removesuffix(":").strip()
        if not equals or not name:
            raise BadArgument(f"--arg {printable(text)!r} is not of the form name:=value.")
        given[name] = value
    return given


def read_set(robot: Robot, texts: Sequence[str], option: str = "--set") -> RobotSettings:
    """Return what --set, or an option like it, sets about a robot, checked against it."""
    from qddot.readers.document import no_lines
    from qddot.readers.document_table import DocumentTable
    from qddot.robot.settings import read_settings

    found: list[Problem] = []
    table = DocumentTable(settings_of(texts, option), (), found, no_lines, option)
    settings = read_settings(table, robot)
    if found:
        raise BadArgument("\n  ".join(first_lines([str(problem) for problem in found], SHOWN)))
    return settings


def wrenches_of(texts: Sequence[str]) -> dict[str, list[float]] | None:
    """Return wrenches by frame from "tool=0,0,0,0,0,-9.81"; None where none is given."""
    found: dict[str, list[float]] = {}
    for text in texts:
        frame, equals, wrench = text.rpartition("=")
        values = numbers(f"--wrench {printable(frame)}", wrench) if equals else []
        if not frame or len(values) != 6 or frame in found:
            why = "is the second at its frame" if frame in found else "is no frame and six numbers"
            raise BadArgument(
                f"--wrench {printable(text)!r} {why}.\n  Write the moment, then the force: "
                "tool=0,0,0,0,0,-9.81. Give --wrench once per frame."
            )
        found[frame] = values
    return found or None


def gains_of(texts: Sequence[str]) -> dict[str, Any]:
    """Return gains from "kp=100,200,kd=20": numbers go to the last name before them."""
    found: dict[str, list[str]] = {}
    for text in texts:
        key = ""
        for word in text.replace(";", ",").split(","):
            before, equals, value = word.partition("=")
            if equals:
                key, word = before.strip(), value
                found[key] = []
            if not key or not word.strip():
                raise BadArgument(
                    f"--gains {printable(text)!r} is not of the form kp=100,kd=20 or "
                    "kp=100,50,kd=20,10."
                )
            found[key].append(word)
    return {key: values if len(values) > 1 else values[0] for key, values in found.items()}


def reference_of(text: str) -> dict[str, Any]:
    """Return what "quintic 0,0 1,1 2.0" describes, as a plan has it.

    Words without a name belong to the keys of the kind in order; a list of points takes all but
    those that the keys after it need. Numbers alone, "0.1,0.2", are a set point.
    """
    from qddot.motions.description import motion_kinds

    name, *rest = text.split() or [""]
    if "," in name or name[:1].isdigit() or name[:1] in ("+", "-", "."):
        name, rest = "setpoint", [name, *rest]
    if name not in motion_kinds():
        known = reference_names()
        raise BadArgument(
            f"There is no reference {printable(name)!r}.{did_you_mean(name, known)}\n"
            f"  There are: {', '.join(known)}; `qddot control --help` shows how they are written."
        )
    kind = motion_kinds()[name]
    named = dict(word.split("=", 1) for word in rest if "=" in word)
    found = {key: formulas(value) for key, value in named.items()}
    words: list[Any] = [formulas(word) for word in rest if "=" not in word]
    keys = [key for key in kind.keys if key not in found]
    for i, key in enumerate(keys):
        if words and kind.keys[key].many:
            later = sum(bool(kind.keys[other].needed) for other in keys[i + 1 :])
            found[key], words = words[: len(words) - later], words[len(words) - later :]
        elif words:
            found[key] = words.pop(0)
    if words:
        extra = " ".join(rest[-len(words) :])
        raise BadArgument(f"--reference {name}: {extra!r} is too much.\n  {written(kind)}")
    return {"kind": name, **found}


def places_of(reference: Any) -> list[list[float]]:
    """Return the joint positions that a reference, found to be right, goes to or through."""
    from qddot.motions.description import PLACE, POINTS, TARGET, motion_kinds

    if not isinstance(reference, dict):
        return []
    keys = motion_kinds()[reference["kind"]].keys
    given = [(reference[name], key) for name, key in keys.items() if name in reference]
    rows = [row for value, key in given if key is POINTS for row in value]
    rows += [value for value, key in given if key in (TARGET, PLACE)]
    return [[one_number(str(x)) for x in ([row] if isinstance(row, str) else row)] for row in rows]


def written(kind: MotionKind) -> str:
    """Return how a reference is written."""
    return f"Write it like this: {kind.example} ({kind.words})"


def law_names() -> tuple[str, ...]:
    """Return the names of the laws."""
    from qddot.control.spec import laws

    return tuple(laws())


def reference_names() -> tuple[str, ...]:
    """Return the kinds of references."""
    from qddot.motions.description import motion_kinds

    return (*motion_kinds(), "file")


def with_lists(text: str) -> str:
    """Return a help text in which <laws> and <references> are those that there are."""
    if "<laws>" in text:
        text = text.replace("<laws>", ", ".join(law_names()))
    if "<references>" in text:
        from qddot.motions.description import motion_kinds

        known = [(kind.example, kind.words) for kind in motion_kinds().values()]
        lines = []
        for example, words in (*known, FILE):  # a long example has a line of its own
            lines += [example, ""] if len(example) > 30 else [example]
            lines[-1] = f"{lines[-1]:<30} {words}"
        text = text.replace("<references>", "\n  ".join(lines))
    return text


def refused(problems: Iterable[Problem], reference: Any) -> BadArgument:
    """Return the error of a controlled run, its problems named by the options that they are of."""
    from qddot.motions.description import motion_kinds

    def option(key: re.Match) -> str:
        return f"--{key[1].replace('_', '-')}: "

    lines = [re.sub(r"^control:? (\w+): ", option, str(each)) for each in problems]
    lines = first_lines([line.removeprefix("control: ") for line in lines], SHOWN)
    if any(line.startswith("--reference") for line in lines) and isinstance(reference, dict):
        lines.append(written(motion_kinds()[reference["kind"]]))
    return BadArgument("\n  ".join(lines))
