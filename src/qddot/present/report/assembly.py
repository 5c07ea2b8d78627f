"""The page of a report, from its sections."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qddot.errors import printable
from qddot.present.pages import page
from qddot.present.report.chapter import count
from qddot.present.report.subject import Subject

if TYPE_CHECKING:
    from qddot.present.report.report import Outcome

MOVING = ("robot", "maps", "simulation", "speed")  # sections that compute in the page
WORTH = 3  # things to know that make a list of them
STATIC = Path(__file__).parent / "static"
# in this order: what is used comes before what uses it
SCRIPTS = ("algebra", "state", "scene", "entries", "explorer", "player", "map", "speed", "start")


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
        return page.section(known.title, first, *outcome.chapter.parts, id=known.key)
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
    return f'"use strict";\n(() => {{\n{inside}\n}})();\n'


@cache
def sheet() -> str:
    """Return the page's own style."""
    return (STATIC / "report.css").read_text(encoding="utf-8")
