"""What a section is given, a robot and a limit of time, and what it writes."""

from __future__ import annotations

import ctypes
import shlex
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from qddot.checks import need_joints
from qddot.errors import NotNumeric, QddotError, printable
from qddot.present.pages.page import code, folded, paragraph, table, text
from qddot.robot import Robot

if TYPE_CHECKING:
    from qddot.equations.equations import Equations
    from qddot.present.report.explorer import Live
    from qddot.simulation.trajectory import Trajectory

AGAIN = 3.0  # [s] until work that went on is stopped once more
OWN_FILE = "robot.toml"  # what readers are told to save the robot as, where nobody else has it


@dataclass(frozen=True)
class Subject:
    """A robot, and how it is written about."""

    robot: Robot
    source: str = ""  # what to type to get it: a built-in name or a file; nothing if neither
    seconds: float = 60.0  # for the whole report, about
    motion: Trajectory | None = None  # what to show instead of a drop

    @property
    def typed(self) -> str:
        """What stands for the robot in commands and in Python."""
        return self.source or OWN_FILE

    @cached_property
    def equations(self) -> Equations:
        """The closed form; raises TooLarge where nobody could read it."""
        from qddot.equations.deriving import derive

        return derive(self.robot, "recursive")  # the same by every formulation, this way soonest

    @cached_property
    def live(self) -> Live | None:
        """What the page computes by itself; nothing where the robot cannot be drawn."""
        from qddot.present.report.explorer import live_of

        if self.robot.symbols or not self.robot.n:
            return None
        try:
            return live_of(self.robot)
        except (QddotError, ArithmeticError, ValueError):  # of NumPy's linear algebra, too
            return None

    def needs_numbers(self) -> None:
        """Raise unless every parameter is a number and some joint moves."""
        if self.robot.symbols:
            raise NotNumeric(f"Robot {printable(self.robot.name)!r}", self.robot.symbols)
        self.needs_joints()

    def needs_joints(self) -> None:
        """Raise unless some joint moves."""
        need_joints(self.robot)


@dataclass(frozen=True)
class Chapter:
    """A section, written."""

    parts: tuple[str, ...]  # HTML
    data: Mapping[str, Any] = field(default_factory=dict)  # what its scripts find, by name
    glance: str = ""  # the one thing to know of it


def heading(words: str) -> str:
    """Return a heading below that of the section."""
    return f"<h2>{text(words)}</h2>"  # a section makes the headings in it smaller


def wordy(head: Sequence[str], rows: Sequence[Sequence[str]], **more: Any) -> str:
    """Return a table whose cells are words, not numbers."""
    return f'<div class="wordy">{table(head, rows, **more)}</div>'


def again(subject: Subject, command: str, python: str) -> str:
    """Return how a reader gets the numbers of a section himself: a command, and Python.

    The command is a verb and its options, with {robot} for the robot; it is empty if there is no
    verb. The Python lines have a `robot`.
    """
    typed = printable(subject.typed)
    parts = []
    if not subject.source:
        words = f"{OWN_FILE} is the file at the end of this page, saved under that name."
        parts.append(paragraph(words))
    if command:
        line = command.replace("{robot}", shlex.quote(typed))  # names may hold braces
        parts.append(code(f"$ qddot {line}", "console"))
    lines = python.splitlines()
    taken = [line for line in lines if line.startswith("from ")]
    rest = "\n".join(line for line in lines if line not in taken).lstrip("\n")
    first = "\n".join(["import qddot", *taken])
    parts.append(code(f"{first}\n\nrobot = qddot.load({typed!r})\n{rest}", "python"))
    return folded("How to get these numbers again", *parts, kind="again")


def count(number: int, singular: str) -> str:
    """Return "1 joint", "7 joints"."""
    return f"{number:,} {singular}{'' if number == 1 else 's'}"


class TimeUp(KeyboardInterrupt):
    """Work that took longer than it may.

    Like Ctrl-C, so that what keeps what it has on Ctrl-C does so here as well.
    """


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise TimeUp in this thread if the work inside takes longer; between two steps of Python."""
    thread = threading.get_ident()
    over, one_at_a_time = threading.Event(), threading.Lock()

    def watch() -> None:
        wait = seconds
        while not over.wait(wait):
            with one_at_a_time:
                if not over.is_set():
                    _raise_in(thread)
            wait = AGAIN

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        _end(over, one_at_a_time)


def _end(over: threading.Event, one_at_a_time: threading.Lock) -> None:
    """Stop the watch, and wait for what it has raised but what has not arrived yet.

    It is not taken back: Python 3.11 would keep looking for it, and hang under a profiler.
    """
    late = False
    while True:
        try:
            with one_at_a_time:
                over.set()
            for _ in range(2):  # it arrives when a loop turns
                pass
        except TimeUp:
            late = True
        else:
            break
    if late:
        raise TimeUp


def _raise_in(thread: int) -> None:
    raised = ctypes.py_object(TimeUp)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
