"""A robot on one page: every section that can be written, and a sentence for those that cannot.

A section that fails, takes too long or is interrupted costs the reader a section, never the page.
"""

from __future__ import annotations

import math
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument, QddotError, did_you_mean, printable
from qddot.present.pages import page
from qddot.present.report.chapter import Chapter, Subject, TimeUp, count, deadline
from qddot.progress import inform
from qddot.readers.read import built_in_names, read
from qddot.robot import Robot, robot_of
from qddot.saving import check_place
from qddot.simulation.trajectory import Trajectory

SECONDS = 60.0
LEAST = 8.0  # [s] that any section may take, however late it is
CUT_SHORT = "Interrupted while it was written: it may not be whole."
RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # names that Windows keeps
MOVING = ("robot", "simulation")  # sections that compute in the page
WORTH = 3  # things to know that make a list of them
STATIC = Path(__file__).parent / "static"
# in this order: what is used comes before what uses it
SCRIPTS = ("algebra", "state", "scene", "entries", "explorer", "player", "start")

TellSection = Callable[["Outcome", int, int], None]  # what became of a section: which, of how many


@dataclass(frozen=True)
class Section:
    """One section: what it is called, and what it means to somebody who is no expert."""

    key: str  # also the module that writes it
    title: str
    words: str
    share: float = 0.3  # of the report's time that it may take at most; ∞: it is always written

    def write(self, subject: Subject) -> Chapter:
        """Return the chapter."""
        return import_module(f"qddot.present.report.sections.{self.key}").write(subject)


SECTIONS = (
    Section(
        "robot",
        "The robot",
        "A robot arm is a chain of rigid bodies with a motor in every joint. Move the sliders: the "
        "numbers beside the arm are computed in your browser by this robot's own equations.",
        share=math.inf,
    ),
    Section(
        "equations",
        "Its equations of motion",
        "They say which torques make the arm move in a certain way: M for its inertia, c for what "
        "speed costs, g for what gravity costs. They are exact, not a fit.",
    ),
    Section(
        "certificate",
        "What is certain",
        "Statements about the equations, each with how it is known. Proved: an exact identity. "
        "Certified: an inequality with every rounding accounted for. Sampled: looked at in many "
        "positions, which is the weakest.",
        share=0.75,
    ),
    Section(
        "maps",
        "Inertia and gravity, position by position",
        "A motor feels a different arm in every position: stretched out it is heavy and hard to "
        "accelerate, folded it is neither.",
    ),
    Section(
        "effective_mass",
        "What a hand feels at the tip",
        "Push the tip of the arm: in some directions it gives way easily, in others it resists as "
        "if it weighed far more. The effective mass says how much.",
    ),
    Section(
        "simulation",
        "A motion, with its energy accounted for",
        "The arm moves as its equations say. Energy cannot come from nowhere, so whatever is left "
        "over in the account is the error of the computation, and nothing else is.",
    ),
    Section(
        "identifiability",
        "What measurements could tell",
        "Masses and inertias of a real arm are found from measured torques. Some can be known by "
        "themselves, some only as sums, some not at all.",
    ),
    Section(
        "speed",
        "How fast it is",
        "A controller asks for these numbers a thousand times a second, a study millions of times.",
    ),
    Section(
        "provenance",
        "How this page was made",
        "What a careful reader needs to trust the page or to make it again.",
    ),
)
KEYS = tuple(section.key for section in SECTIONS)


@dataclass(frozen=True)
class Outcome:
    """What became of a section."""

    section: Section
    state: str  # "done", "left out", "failed", "interrupted" or "cut short": it may not be whole
    seconds: float
    why: str = ""
    chapter: Chapter | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "section": self.section.key,
            "title": self.section.title,
            "state": self.state,
            "seconds": round(self.seconds, 3),
            "why": self.why,
        }


class InterruptedReport(KeyboardInterrupt):
    """Ctrl-C during a report; `path` is the page of what there was."""

    def __init__(self, path: Path, outcomes: Sequence[Outcome]):
        self.path, self.outcomes = path, tuple(outcomes)
        super().__init__(f"interrupted; {path} holds what there was")


@dataclass
class CtrlC:
    """Whether Ctrl-C was pressed, and whether it has to wait, as it does between sections."""

    pressed: bool = False
    waits: bool = True


def report(
    robot: Robot | str | Path,
    path: str | Path | None = None,
    *,
    seconds: float = SECONDS,
    sections: Sequence[str] | None = None,
    motion: Trajectory | None = None,
) -> Path:
    """Write one page about a robot, which works offline, and return where it is.

    The page holds the arm to move, its equations, its certificate, maps, a simulation, what can be
    identified, how fast it is, and how to get each of its numbers again.

    Args:
        robot: A robot, the name of a built-in one, or a robot file.
        path: Where to, an .html file; named after the robot, in the current folder, if not given.
        seconds: How long it may take, about. Bounds are tighter with more.
        sections: Which sections: "robot", "equations", "certificate", "maps", "effective_mass",
            "simulation", "identifiability", "speed", "provenance"; all if not given.
        motion: A motion of this robot to show instead of a fall.

    Raises:
        BadArgument: If something given cannot be right from the start.
        InterruptedReport: On Ctrl-C; what there was has been written to its `path`.
    """
    subject = subject_of(robot, seconds, motion)
    return write_report(subject, path, sections, _tell_watchers)[0]


def subject_of(
    robot: Robot | str | Path, seconds: float = SECONDS, motion: Trajectory | None = None
) -> Subject:
    """Return what a report is about, checked."""
    source = "" if isinstance(robot, Robot) else str(robot)
    known = robot_of(robot)
    known.model.need_single_numbers("A report")
    name = known.name
    if not source and name in built_in_names() and read(name) == known.model:
        source = name
    good = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not good or not 0 < seconds < float("inf"):
        raise BadArgument(f"seconds is {seconds!r}; it must be a number above zero.")
    if motion is not None and not isinstance(motion, Trajectory):
        raise BadArgument("motion is what qddot.simulate returns, or nothing.")
    if motion is not None and (motion.joint_names != known.joint_names or not len(motion)):
        raise BadArgument(f"The motion is not one of {printable(name)!r}: its joints are others.")
    return Subject(known.with_options(dtype="float64"), source, float(seconds), motion)


def write_report(
    subject: Subject, path: str | Path | None, sections: Sequence[str] | None, tell: TellSection
) -> tuple[Path, tuple[Outcome, ...]]:
    """Write the page; return where it is, and what became of each section."""
    target = Path(file_name(subject.robot.name)) if path is None else Path(path)
    check_place(target, "A report", page.PAGES)
    wanted = chosen(sections)
    outcomes: list[Outcome] = []
    end = time.monotonic() + subject.seconds
    with noticed() as ctrl_c:
        for k, section in enumerate(wanted, 1):
            if ctrl_c.pressed:
                outcome = Outcome(section, "interrupted", 0.0, "Interrupted before its turn.")
            else:
                outcome = attempted(section, subject, end - time.monotonic(), ctrl_c)
            if ctrl_c.pressed and outcome.chapter is not None:
                outcome = replace(outcome, state="cut short", why=CUT_SHORT)
            elif ctrl_c.pressed:
                outcome = replace(outcome, state="interrupted")
            outcomes.append(outcome)
            tell(outcome, k, len(wanted))
        page.write_page(target, assembled(subject, outcomes))
    if ctrl_c.pressed:
        raise InterruptedReport(target, outcomes)
    return target, tuple(outcomes)


def chosen(wanted: Sequence[str] | None) -> tuple[Section, ...]:
    """Return the sections that are wanted, in the page's own order; all if nobody says."""
    if wanted is None:
        return SECTIONS
    if isinstance(wanted, str) or not wanted:
        raise BadArgument(f"sections is {wanted!r}; give some of: {', '.join(KEYS)}.")
    for key in wanted:
        if key not in KEYS:
            raise BadArgument(
                f"There is no section {printable(str(key))!r}.{did_you_mean(str(key), KEYS)}\n"
                f"  There are: {', '.join(KEYS)}."
            )
    return tuple(section for section in SECTIONS if section.key in wanted)


def attempted(section: Section, subject: Subject, left: float, ctrl_c: CtrlC) -> Outcome:
    """Return a section, or the sentence that stands in its place."""
    started = time.monotonic()
    limit = max(min(section.share * subject.seconds, left), LEAST)
    limited = nullcontext() if math.isinf(section.share) else deadline(limit)

    def outcome(state: str, why: str = "", chapter: Chapter | None = None) -> Outcome:
        return Outcome(section, state, time.monotonic() - started, why, chapter)

    try:
        ctrl_c.waits = False
        try:
            with limited:
                chapter = section.write(subject)
        finally:
            ctrl_c.waits = True
    except TimeUp:
        return outcome("left out", f"It would take longer than the {limit:.0f} s that it may.")
    except KeyboardInterrupt:
        return outcome("interrupted", "Interrupted while it was written.")
    except QddotError as error:
        return outcome("left out", str(error))
    except Exception as error:  # a page without one section is better than none
        return outcome("failed", f"{type(error).__name__}: {error}")
    return outcome("done", "", chapter)


@contextmanager
def noticed() -> Iterator[CtrlC]:
    """Give what knows whether Ctrl-C was pressed, even where somebody else caught it."""
    known, before = CtrlC(), signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield known
        return

    def note(number: int, frame: Any) -> Any:
        known.pressed = True
        return None if known.waits else before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield known
    finally:
        signal.signal(signal.SIGINT, before)


def file_name(name: str) -> str:
    """Return a robot's name as the name of a page: letters that every file system takes."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._-")[:60] or "robot"
    return f"{'robot_' if RESERVED.fullmatch(plain) else ''}{plain}.html"


def _tell_watchers(outcome: Outcome, k: int, of: int) -> None:
    """Say how far it is, where somebody sits before a terminal."""
    inform(progress_line(outcome, k, of), of_progress=True)


def progress_line(outcome: Outcome, k: int, of: int) -> str:
    """Return what became of a section in one line."""
    state = "" if outcome.state == "done" else f"  {outcome.state}: {outcome.why.splitlines()[0]}"
    return printable(f"[{k}/{of}] {outcome.section.title:<42} {outcome.seconds:5.1f} s{state}")


def assembled(subject: Subject, outcomes: Sequence[Outcome]) -> str:
    """Return the whole page."""
    name = printable(subject.robot.name)
    chapters = [outcome.chapter for outcome in outcomes if outcome.chapter is not None]
    facts: dict[str, Any] = {}
    for chapter in chapters:
        facts |= chapter.data
    scripts = []
    live = subject.live if any(o.section.key in MOVING for o in outcomes if o.chapter) else None
    if live is not None:
        facts["live"] = live.data
        scripts += [page.file("arm_view.js"), live.script]
    scripts.append(script(live is not None))
    written = [section(outcome) for outcome in outcomes]
    first = 1 if outcomes and outcomes[0].section.key == "robot" else 0
    parts = [opening(subject), *written[:first], glance(outcomes), *written[first:]]
    parts.append(page.data("report-data", facts))
    return page.page(name, *parts, scripts=scripts, styles=[sheet()])


def opening(subject: Subject) -> str:
    """Return what stands under the title."""
    about = subject.robot.model.description
    return page.paragraph(about or f"A robot with {count(subject.robot.n, 'joint')}.", "quiet")


def glance(outcomes: Sequence[Outcome]) -> str:
    """Return the one thing to know of each section, with a way there."""
    found = [
        f'<li><a href="#{outcome.section.key}">{page.text(outcome.section.title)}</a>'
        f"<span>{page.text(outcome.chapter.glance)}</span></li>"
        for outcome in outcomes
        if outcome.chapter is not None and outcome.chapter.glance
    ]
    if len(found) < WORTH:
        return ""
    return page.section("At a glance", f'<ul class="glance">{"".join(found)}</ul>', id="glance")


def section(outcome: Outcome) -> str:
    """Return a section: its sentence for everybody, then what it holds or why it holds nothing."""
    known = outcome.section
    first = f'<p class="lead">{page.text(known.words)}</p>'
    if outcome.chapter is not None:
        doubt = [page.paragraph(outcome.why, "warn")] if outcome.why else []
        return page.section(known.title, first, *doubt, *outcome.chapter.parts, id=known.key)
    begin = {
        "left out": "This section is left out. ",
        "failed": "This section could not be made. ",
        "interrupted": "This section is missing. ",
    }[outcome.state]
    why = page.paragraph(begin + outcome.why.replace("\n  ", " "), "warn")
    return page.section(known.title, first, why, id=known.key)


@cache
def script(moves: bool) -> str:
    """Return the page's own script; in one piece, so that its names are nobody else's."""
    names = SCRIPTS if moves else ("algebra", "state", "entries", "start")
    inside = "\n".join((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in names)
    inside = f"{page.file('arm_at.js')}\n{inside}" if moves else inside
    return f'"use strict";\n(() => {{\n{inside}\n}})();\n'


@cache
def sheet() -> str:
    """Return the page's own style."""
    return (STATIC / "report.css").read_text(encoding="utf-8")
