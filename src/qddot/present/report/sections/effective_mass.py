"""Effective mass: how heavy the tip of the arm feels, direction by direction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qddot.certificate.ellipsoid import MassEllipsoid, mass_ellipsoid, near_singular
from qddot.certificate.mobility import direction_text
from qddot.errors import BadArgument, printable
from qddot.present.figures.effective_mass import plot_effective_mass, plot_effective_mass_map
from qddot.present.figures.view import view_of
from qddot.present.pages import page
from qddot.present.report.chapter import Chapter, Subject, again, heading
from qddot.robot import Robot

PLACES = 4  # along which ellipsoids are drawn
SWING = 0.7  # [rad or m], at most, to either side
SAMPLES = 4000  # positions among which the worst is looked for


def write(subject: Subject) -> Chapter:
    """Return the chapter."""
    subject.needs_numbers()
    robot, frame, q = subject.robot, subject.robot.tip, subject.robot.home
    found = mass_ellipsoid(robot, q, frame)
    where = ", ".join(f"{x:g}" for x in q)
    parts = [
        page.paragraph(f"At q = ({where}), the frame {printable(frame)} feels like this:"),
        masses(found),
        *drawings(robot, q, frame),
        *worst(robot, frame),
    ]
    python = (
        "from qddot.certificate import mass_ellipsoid\n"
        "from qddot.plot import plot_effective_mass\n\n"
        f"q = [{where}]\nprint(mass_ellipsoid(robot, q, {frame!r}))\n"
        f"plot_effective_mass(robot, q, {frame!r}, path='effective_mass.svg')\n"
        f"print(robot.effective_mass(q, {frame!r}, axes='linear'))"
    )
    parts.append(again(subject, "", python))
    finite = found.masses[np.isfinite(found.masses)]
    felt = f"{finite.min():.3g} to {finite.max():.3g} kg" if len(finite) else ""
    return Chapter(tuple(parts), glance=felt)


def masses(found: MassEllipsoid) -> str:
    """Return the principal masses and their directions."""
    rows = [
        [f"{k + 1}", mass_text(mass), direction_text(direction)]
        for k, (mass, direction) in enumerate(zip(found.masses, found.directions.T, strict=True))
    ]
    caption = "Principal masses of the tip, and where they point in base axes"
    return page.table(["axis", "mass", "direction"], rows, caption=caption)


def mass_text(mass: float) -> str:
    return f"{mass:.4g} kg" if np.isfinite(mass) else "infinite: it cannot be moved this way"


def drawings(robot: Robot, q: np.ndarray, frame: str) -> Iterator[str]:
    """Yield the ellipsoid at the arm, and a map where there is a plane to draw it over."""
    if not view_of(robot.tree).flat:
        drawn = plot_effective_mass(robot, swung(robot, q), frame)
        caption = (
            "Ellipsoids of the force that accelerates the tip by 1 m/s² in every direction: long "
            "where the tip is heavy. Several places along a swing of one joint."
        )
        yield page.figure(page.svg_of(drawn), caption)
        return
    drawn = plot_effective_mass(robot, q, frame)
    caption = "What force it takes to accelerate the tip by 1 m/s² in every direction of its plane."
    yield page.figure(page.svg_of(drawn), caption)
    try:
        drawn = plot_effective_mass_map(robot, frame)
    except BadArgument:  # it moves along a line at best, or slides without end
        return
    caption = "The heaviest direction of the tip all over the places it can reach. Dark is heavy."
    yield page.figure(page.svg_of(drawn), caption)


def swung(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return places along a swing of the joint that changes the tip's masses most."""
    paths = []
    low, high = robot.limits.span()
    for i in range(robot.n):
        ends = max(q[i] - SWING, low[i]), min(q[i] + SWING, high[i])
        way = np.tile(q, (PLACES, 1))
        way[:, i] = np.linspace(*ends, PLACES)
        paths.append(way)
    M = robot.mass_matrix(np.array(paths))
    change = np.ptp(np.trace(M, axis1=-2, axis2=-1), axis=1)
    return paths[int(change.argmax())]


def worst(robot: Robot, frame: str) -> Iterator[str]:
    """Yield where the tip is hardest to move, if that can be told."""
    try:
        found = near_singular(robot, frame, samples=SAMPLES)
    except BadArgument:  # nothing moves it, or a joint slides without end
        return
    yield heading("Where it is hardest to move")
    yield page.paragraph(str(found).replace("\n  ", " "))
