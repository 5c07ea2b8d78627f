"""Identifiability: which of the robot's parameters measured torques can tell, in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qddot.errors import listing
from qddot.identification.base_parameters import identifiable
from qddot.identification.identifiability import Identifiability
from qddot.present.pages import page
from qddot.present.report.chapter import Chapter, Subject, again, count, heading

WELL, BADLY = 100.0, 1000.0  # condition numbers below which motions tell parameters well, or at all
OPEN = 12  # groups that are shown without asking


def write(subject: Subject) -> Chapter:
    """Return the chapter."""
    subject.needs_joints()
    found = identifiable(subject.robot)
    python = "answer = qddot.identifiable(robot)\nprint(answer)\nprint(answer.why(answer.names[0]))"
    parts = [*words(found), again(subject, "identifiable {robot}", python)]
    glance = f"{found.rank} numbers can be known of {count(len(found.names), 'parameter')}"
    return Chapter(tuple(parts), glance=glance)


def words(found: Identifiability) -> Iterator[str]:
    """Yield what can be known, what only together, and what not at all."""
    total, alone, none = len(found.names), found.alone, found.none
    yield page.paragraph(
        f"The torques of this robot depend on {count(total, 'parameter')}. Measuring them can tell "
        f"{count(found.rank, 'number')}: {count(len(alone), 'parameter')} alone, and "
        f"{count(found.rank - len(alone), 'sum')} of others. {unmeasurable(len(none))}"
    )
    if np.isfinite(found.condition):
        yield page.paragraph(conditioned(found.condition))
    if alone:
        yield heading("By themselves")
        yield page.paragraph(listing(alone, 400) + ".")
    joined = [group.text for group in found.groups if len(group.members) > 1]
    if joined:
        yield heading("Only together")
        yield page.bullets(joined[:OPEN])
        if rest := joined[OPEN:]:
            yield page.folded(f"{len(rest)} more", page.bullets(rest))
    if none:
        yield heading("Not at all")
        yield page.paragraph(listing(none, 400) + ".")
    yield page.paragraph(
        "m is a mass, mx, my, mz first moments, Ixx … Izz moments of inertia about the joint's "
        "frame; fv and fs are friction, Ia a rotor, f0 an offset.",
        "quiet",
    )


def unmeasurable(none: int) -> str:
    """Return how many parameters nobody can measure."""
    if not none:
        return "Every parameter acts on some torque."
    if none == 1:
        return "1 parameter acts on no torque, so nobody can measure it this way."
    return f"{none} parameters act on no torque, so nobody can measure them this way."


def conditioned(condition: float) -> str:
    """Return what a condition number means."""
    if condition < WELL:
        verdict = "any lively motion tells them apart well"
    elif condition < BADLY:
        verdict = "a good motion is needed to tell them apart"
    else:
        verdict = "some of them are hard to tell apart, whatever the motion"
    return f"At random states their condition number is {condition:.3g}: {verdict}."
