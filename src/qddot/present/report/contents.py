"""What a report consists of: its sections, each with a sentence for everybody, and their page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qddot.errors import BadArgument, did_you_mean, printable
from qddot.present.pages import page
from qddot.present.report.chapter import Chapter, Subject, count

if TYPE_CHECKING:
    from qddot.present.report.report import Outcome

MOVING = ("robot", "simulation")  # sections that compute in the page
WORTH = 3  # things to know that make a list of them
STATIC = Path(__file__).parent / "static"
# in this order: what is used comes before what uses it
SCRIPTS = ("algebra", "state", "scene", "entries", "explorer", "player", "start")


@dataclass(frozen=True)
class Section:
    """One section: what it is called, and what it means to somebody who is no expert."""

    key: str  # also the module that writes it
    title: str
    words: str
    share: float = 0.3  # of the report's time that it may take at most

    def write(self, subject: Subject) -> Chapter:
        """Return the chapter."""
        return import_module(f"qddot.present.report.sections.{self.key}").write(subject)


SECTIONS = (
    Section(
        "robot",
        "The robot",
        "A robot arm is a chain of rigid bodies with a motor in every joint. Move the sliders: the "
        "numbers beside the arm are computed in your browser by this robot's own equations.",
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
