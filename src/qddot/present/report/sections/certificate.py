"""The certificate: what is always true of the dynamics, and between which numbers they stay."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

import numpy as np

from qddot.certificate.bound import Bound, Box, box_of, outward, symbol
from qddot.certificate.bounds import bounds
from qddot.certificate.certificate import Certificate, box_text
from qddot.certificate.problems import effort_limited, joint_bounds
from qddot.certificate.properties import (
    Property,
    consistency,
    identities,
    inequalities,
    singularities,
)
from qddot.errors import listing, printable
from qddot.present.pages import page
from qddot.present.report.chapter import Chapter, Subject, TimeUp, again, heading, wordy
from qddot.robot import Robot

SHARE = 0.4  # of the report's time that the search for bounds may take
PROOFS = 0.2  # and the proofs of identities
SMALL = 3  # joints up to which every bound is quick
LARGE = 9  # joints from which on bounds on velocity torques take minutes
USELESS = 2.0  # gap from which on a bound is no more than a number
VERDICT = {True: "yes", False: "no", None: "open"}
# bounds that few ask for
OTHERS = ("Minv.", "M.norm", "C.norm", "c.crude", "c.norm1", "c.norminf", "g.norm1", "g.norminf")
# what each bound is for, by the beginning of its name
MEANING = {
    "M.eigenvalue.max": "largest inertia the motors meet",
    "M.eigenvalue.min": "smallest inertia the motors meet",
    "Minv.": "the same of the inverse",
    "M.norm": "the same in another norm",
    "c.norm": "what speed costs, at most",
    "C.norm": "the Coriolis matrix, at most",
    "c.crude": "the textbook estimate of c_b",
    "g.norm": "what gravity asks of all joints",
    "g.effort": "gravity, in parts of what the motors give",
    "g.": "what gravity asks of this joint",
    "dg.": "how fast gravity torques change",
    "D.": "viscous friction",
}


def write(subject: Subject) -> Chapter:
    """Return the chapter."""
    subject.needs_numbers()
    robot, seconds = subject.robot, SHARE * subject.seconds
    slides = sliding(robot)
    box = box_of(robot, slides or None)
    try:
        proved = bounds(robot, quantities(robot), box=box, seconds=seconds)
    except TimeUp:  # not even the first was found
        proved = {}
    told: list[Property] = []
    late = False
    try:
        for each in decided(robot, box, proved, PROOFS * subject.seconds):
            told.append(each)
    except TimeUp:
        late = True
    found = Certificate(robot, box, tuple(told), proved)
    parts = [page.paragraph(f"All of this holds {printable(box_text(found))}.", "quiet")]
    if slides:
        names = listing(slides)
        parts.append(page.paragraph(f"No limits are known of {names}; these are chosen.", "quiet"))
    parts += [heading("Properties"), properties_table(found)]
    if late:
        parts.append(page.paragraph("There was no time to look at more of them.", "quiet"))
    if proved:
        parts += [heading("Bounds"), *bound_tables(found), *words(found, seconds)]
    longer = max(4 * seconds, 60)
    spans = [f"{name}={low:g}:{high:g}" for name, (low, high) in slides.items()]
    between = "".join(f" --box {shlex.quote(printable(each))}" for each in spans)
    command = f"certify {{robot}} --seconds {longer:g}{between}"
    within = f", box={slides}" if slides else ""
    python = (
        f"certificate = qddot.certify(robot, seconds={longer:g}{within})\nprint(certificate)\n"
        'certificate.save("certificate.json")  # with its proofs; anybody can check them'
    )
    parts.append(again(subject, command, python))
    return Chapter(tuple(parts), glance=in_short(found))


def sliding(robot: Robot) -> dict[str, tuple[float, float]]:
    """Return a range for every joint that slides without limits, where nothing is bounded."""
    low, high = robot.limits.span()
    return {
        joint.name: (float(low[i]), float(high[i]))
        for i, joint in enumerate(robot.model.free_joints)
        if not joint.turns and np.isinf(robot.limits.upper - robot.limits.lower)[i]
    }


def decided(
    robot: Robot, box: Box, proved: Mapping[str, Bound], seconds: float
) -> Iterator[Property]:
    """Yield the properties: proved if that takes no longer, else looked at in many states."""
    yield from inequalities(proved)
    yield consistency(robot)
    yield from identities(robot, box, seconds)
    yield from singularities(robot, box)


def in_short(certificate: Certificate) -> str:
    """Return the certificate in a line."""
    proved = [p for p in certificate.properties if p.holds and p.how != "sampled"]
    words = f"{len(proved)} properties certain"
    if {"M.eigenvalue.min", "M.eigenvalue.max"} <= certificate.bounds.keys():
        low, high = (certificate[f"M.eigenvalue.{end}"] for end in ("min", "max"))
        if high.gap < USELESS:  # else a headline of what the search did not get to
            between = " ≤ λ(M) ≤ ".join(outward(low.lower, high.upper, 3))
            words += f"; {between} {low.unit}".rstrip()
    return words


def quantities(robot: Robot) -> list[str] | None:
    """Return the bounds to look for: all of a small robot, those that matter most of others."""
    if robot.n <= SMALL:
        return None
    wanted = ["M.eigenvalue.max", "M.eigenvalue.min"] if robot.n <= LARGE else []
    wanted += ["g.norm2", *joint_bounds(robot)]
    wanted += ["D.norm2"] + (["dg.norm2", "c.norm2"] if robot.n < LARGE else [])
    return [*wanted, *(["g.effort"] if effort_limited(robot) else [])]


def properties_table(certificate: Certificate) -> str:
    """Return the table of properties."""
    rows = [[p.statement, VERDICT[p.holds], p.how, p.evidence] for p in certificate.properties]
    bad = {k for k, p in enumerate(certificate.properties) if p.holds is False and p.needed}
    return wordy(["what is said", "true", "known by", "evidence"], rows, bad=bad)


def bound_tables(certificate: Certificate) -> Iterator[str]:
    """Yield the table of bounds, those that few ask for behind a click."""
    found = certificate.bounds.values()
    first = [b for b in found if not b.quantity.startswith(OTHERS)]
    rest = [b for b in found if b.quantity.startswith(OTHERS)]
    yield table(first)
    if rest:
        yield page.folded("In other norms, and of the inverse", table(rest))


def table(found: list[Bound]) -> str:
    """Return a table of bounds."""
    rows = [
        [symbol(b.quantity), meaning(b.quantity), *outward(b.lower, b.upper), gap(b), b.unit]
        for b in found
    ]
    head = ["bound", "what it is", "at least", "at most", "gap", "unit"]
    return f'<div class="bounds">{page.table(head, rows)}</div>'


def meaning(quantity: str) -> str:
    """Return what a bound is for."""
    return next((said for name, said in MEANING.items() if quantity.startswith(name)), "")


def gap(bound: Bound) -> str:
    """Return how far apart the two sides are."""
    if not bound.gap < USELESS:
        return "not closed"
    if not bound.gap:
        return "none"
    if bound.gap < 1e-3:
        return f"{bound.gap:.0e}"
    return f"{100 * bound.gap:.2g} %" if bound.gap < 0.1 else f"{100 * bound.gap:.0f} %"


def words(certificate: Certificate, seconds: float) -> list[str]:
    """Return what a reader of the bounds should know."""
    wide = [b for b in certificate.bounds.values() if not b.closed]
    lines = [
        "One side of each bound is attained at a position that is known; the other is proved for "
        "every position, rounding included. The truth is between them."
    ]
    if wide:
        lines.append(
            f"{len(wide)} of {len(certificate.bounds)} are wider than they could be: the search "
            f"had {seconds:.0f} s. More time makes them tighter, never wrong."
        )
    return [page.paragraph(line) for line in lines]
