"""Every exception of qddot, and the one form in which a problem with a robot is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal

from qddot.robot_formats import read_endings

# how the reasons begin why no body has an inertia; with a mass there is a nearest one that one has
MENDABLE = ("no body has this inertia", "a principal moment of inertia is negative")
Severity = Literal["error", "warning", "note"]


class QddotWarning(UserWarning):
    """Base class of what can be right, but rarely is."""


class RobotWarning(QddotWarning):
    """Something about a robot that can be right, but rarely is."""


class SimulationWarning(RobotWarning):
    """A run that ended early or whose energy is not accounted for; its status says why."""


class IdentificationWarning(QddotWarning):
    """Something about a fit that can be right, but rarely is."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `trajectory` is what had been computed."""

    def __init__(self, trajectory: Any):
        self.trajectory = trajectory
        super().__init__(trajectory.status)


class QddotError(Exception):
    """Base class, so that ``except QddotError`` catches exactly ours."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, or probably wrong, with a robot: what, where, what to do."""

    severity: Severity
    place: str  # "joint 'elbow'"
    message: str
    remedy: str
    line: int | None = None
    file: str = ""

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.file, self.line) if part)
        parts = [where, self.place, f"{self.message}. {self.remedy}".strip()]
        return printable(": ".join(part for part in parts if part))

    def located(self, file: str) -> Problem:
        """Return the problem, saying which file it is in where it does not say so itself."""
        return replace(self, file=self.file or file)


class ProblemList(QddotError, ValueError):
    """Something that cannot be right. Holds every problem found, and tells the first few."""

    LINES = 6  # a message that people read to the end
    WHY = "cannot be used"
    REST = ""  # where those are that are not told

    def __init__(self, name: str, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        self.args = (name, self.problems)

    @property
    def errors(self) -> list[Problem]:
        """The problems without the warnings and notes among them."""
        return [p for p in self.problems if p.severity == "error"]

    @property
    def hint(self) -> str:
        """The last line of the message, where there is one to give."""
        return ""

    def __str__(self) -> str:
        errors, room = self.errors, self.LINES - 1 - bool(self.hint)
        count = "1 problem" if len(errors) == 1 else f"{len(errors)} problems"
        title = f"{printable(shorten(self.args[0], 200))} {self.WHY}: {count}."
        lines = first_lines([shorten(str(p), 400) for p in errors], room, f"{self.REST}.")
        return "\n  ".join(filter(None, [title, *lines, self.hint]))


class BadRobot(ProblemList):
    """A description of a robot that cannot be right. Holds every problem found."""

    REST = "; `qddot doctor` lists them all"
    NEAREST = (  # the end of what is said of an inertia that no body has
        "Or start from the nearest possible inertia: qddot.load(..., inertia='nearest'), "
        "or qddot export FILE --inertia nearest -o start.toml."
    )

    def __init__(self, name: str, problems: Iterable[Problem], model: object = None):
        self.robot = name
        self.model = model  # as it was described, where there was one to describe
        super().__init__(name, problems)

    @property
    def hint(self) -> str:
        # in a file, and nothing else is wrong
        mendable = all(p.file and p.message.startswith(MENDABLE) for p in self.errors)
        return self.NEAREST if mendable and self.model is not None else ""


class BadPlan(ProblemList):
    """A plan that cannot be right. Holds every problem found."""

    WHY = "cannot be run"


class BadExpression(QddotError, ValueError):
    """A text that should be a number or a formula and is neither."""

    def __init__(self, text: str, why: str):
        super().__init__(f"{shorten(text)!r} is not a number or a formula: {why}")


class NotNumeric(QddotError, ValueError):
    """A quantity that still holds symbols where a number is needed."""

    def __init__(self, what: str, symbols: Iterable[str], otherwise: str = ""):
        names = sorted(symbols)
        example = ", ".join(f"{name}=1.0" for name in names[:3]) + (", ..." if names[3:] else "")
        robot = re.match(r"Robot '(\w+)'$", what)
        more = numeric_twin(robot[1]) if robot else ""
        more += f"\n  {otherwise}" if otherwise else ""
        super().__init__(
            f"{what} has no numeric value: it depends on {', '.join(names)}.\n"
            f"  Give the symbols values: robot.with_values({example}).{more}"
        )


class BadFile(QddotError, ValueError):
    """A file that cannot be read as a robot at all."""

    def __init__(self, path: object, why: str, remedy: str, line: int | None = None):
        self.problems = (Problem("error", "", why, remedy, line, str(path)),)
        super().__init__(str(self.problems[0]))


class BadLog(ProblemList, BadFile):
    """A log that cannot be used. Holds every problem found."""

    WHY = "cannot be used as a log"
    REST = ", in its `problems`"


class UnknownName(QddotError, LookupError):  # not KeyError: that one prints its repr
    """A joint, link, frame or symbol that the robot does not have."""

    def __init__(self, kind: str, name: str, robot: str, known: Iterable[str]):
        known = list(known)
        super().__init__(
            f"Robot {printable(robot)!r} has no {kind} named {printable(str(name))!r}."
            f"{did_you_mean(str(name), known)}\n  It has: {listing(known)}."
        )


class UnknownRobot(QddotError, LookupError):
    """A name that is neither a built-in robot nor a file."""

    def __init__(self, name: str, known: Sequence[str]):
        super().__init__(
            f"There is no built-in robot and no file named {shorten(printable(name))!r}."
            f"{did_you_mean(name, known)}\n  Built-in robots: {listing(known)}.\n"
            f"  A file ends in {one_of(read_endings())}."
        )


class MissingExtra(QddotError, ImportError):
    """An optional dependency that is not installed."""

    def __init__(self, what: str, package: str, extra: str):
        super().__init__(
            f"{what} needs {package}, which is not installed.\n"
            f"  Install it with: pip install 'qddot[{extra}]'"
        )


class BadArgument(QddotError, ValueError):
    """An argument that cannot be right."""


class NoValues(BadArgument):
    """A robot with symbols where one with numbers is needed."""

    def __init__(self, robot: str, symbols: Sequence[str], form: str):
        super().__init__(
            f"{printable(robot)} has symbols without a value: {', '.join(symbols)}.\n"
            f"  Give each one: {form.format(symbols[0])}{numeric_twin(robot)}"
        )


class NotInClosedForm(BadArgument):
    """A frame whose solutions cannot all be given: why, and joints that help if they are given."""

    def __init__(
        self, why: str, hint: str = "", free: Mapping[str, float] | None = None, closed: bool = True
    ):
        self.why, self.hint, self.free, self.closed = why, hint, dict(free or {}), closed
        self.args = (why, hint, self.free, closed)

    def __str__(self) -> str:
        locked = "" if self.closed else f", or robot.locked({self.free!r})"
        return self.told(lambda free: f"free={free!r}{locked}", "inverse_kinematics")

    def told(self, given: Callable[[dict[str, float]], str], nearest: str) -> str:
        """Return it in the words of who asked: how joints are given, what finds the nearest."""
        how = f": {given(self.free)}" if self.free else ""
        hint = f"\n  {self.hint}{how}." if self.hint else ""
        return f"{self.why}{hint}\n  The nearest solution is found all the same: {nearest}."


def numeric_twin(robot: str) -> str:
    """Return a line about the built-in robot that is the same with numbers, if it has one."""
    name = robot.removesuffix("_symbolic")
    if name == robot:
        return ""
    return f"\n  The built-in robot {printable(name)!r} is the same with numbers."


class WrongValue(BadArgument):
    """A value that cannot be right: what it is called, what is wrong, what would be right."""

    def __init__(self, name: str, found: str, wanted: str = "", hint: str = ""):
        self.name = name  # "duration"
        self.found = found  # "is -1"
        self.wanted = wanted  # "give a positive number [s]"
        self.hint = hint  # " Did you mean 'rk4'?"
        self.args = (name, found, wanted, hint)

    def __str__(self) -> str:
        wanted = f"; {self.wanted}" if self.wanted else ""
        return f"{self.name} {self.found}{wanted}.{self.hint}"


class TooLarge(QddotError, ValueError):
    """A closed form that nobody could read and no memory hold."""

    def __init__(self, robot: str, terms: float, most: int):
        super().__init__(
            f"The closed form of {printable(robot)!r} would have about {terms:.1g} terms; "
            f"at most {most:.1g} are written out.\n"
            "  Its structured form, with shared subexpressions, is short: "
            'robot.program("mass_matrix").\n'
            "  Or lock some joints, or give symbols values: robot.locked({...}), "
            "robot.with_values(...)."
        )


class CannotWrite(QddotError, OSError):
    """A disk that is full, or that does not take any more."""


class CrewLost(QddotError, RuntimeError):
    """Workers that cannot be reached or kept alive. What was finished is on disk."""


class Defect(QddotError):
    """Work that ended in a way that nobody foresaw."""


class NotProved(QddotError, ValueError):
    """A saved bound that does not hold, or not for this robot."""

    def __init__(self, quantity: str, why: str):
        super().__init__(
            f"The bound {quantity!r} could not be proved again: {why}.\n"
            "  The file was changed, or belongs to another robot; bound it anew with "
            "qddot.certificate.bounds.bound."
        )


class WrongShape(QddotError, ValueError):
    """An array whose shape does not fit the robot."""

    def __init__(self, what: str, shape: tuple[int, ...], robot: str, names: Sequence[str]):
        n = len(names)
        super().__init__(
            f"{what} has shape {shape}, but robot {printable(robot)!r} has {n} joints, "
            f"so {what} must have shape ({n},).\n"
            f"  Its entries are, in order: {listing(names)}."
        )


def first_lines(lines: Sequence[str], most: int, rest: str = "") -> list[str]:
    """Return lines; if they are more than `most`, its last says how many are left out."""
    if len(lines) <= most:
        return list(lines)
    return [*lines[: most - 1], f"... and {len(lines) - most + 1} more{rest}"]


def plain_name(name: str) -> str:
    """Return a name without what people write differently: pd-gravity, PDGravity, Rk4."""
    return name.strip().lower().replace("-", "").replace("_", "")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'x'?" for the nearest known name, or nothing.

    Names that are alike but for capitals come first.
    """
    names = list(known)
    small = {each.lower(): each for each in reversed(names)}
    wanted = name[:80]
    near = [small[wanted.lower()]] if wanted.lower() in small else []
    near = near or get_close_matches(wanted, names, n=1, cutoff=0.5)
    return f" Did you mean {printable(near[0])!r}?" if near else ""


def one_of(words: Iterable[str]) -> str:
    """Return words as a choice: ".toml, .json or .urdf"."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def listing(names: Iterable[str], most: int = 40) -> str:
    """Return the names, separated by commas, cut after `most`."""
    names = [printable(shorten(name)) for name in names]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def shorten(text: str, most: int = 80) -> str:
    """Return the text, its end cut off where it is long."""
    return text if len(text) <= most else text[: most - 1] + "…"


def printable(text: str) -> str:
    """Return the text with everything that could steer a terminal written as an escape."""
    return "".join(
        ch if ch.isprintable() or ch == "\n" else ch.encode("unicode_escape").decode()
        for ch in text
    )
