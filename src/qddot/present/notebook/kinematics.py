"""Inverse kinematics, workspaces, ellipsoids of a frame and singular positions in a notebook."""

from __future__ import annotations

import numpy as np

from qddot.certificate.bound import rounded_up
from qddot.certificate.mobility import vector_text
from qddot.kinematics.nearest_solutions import NearestSolutions
from qddot.kinematics.solutions import Solutions
from qddot.model.units import all_for_people
from qddot.present.notebook.cell import figure, rows, shown
from qddot.present.pages.page import facts, paragraph
from qddot.workspace.ellipsoids import WORDS, FrameEllipsoid
from qddot.workspace.nearest import NearestSingularity
from qddot.workspace.orientations import Dexterity
from qddot.workspace.places import Workspace


def solutions_html(solutions: Solutions) -> str:
    """Return the solutions of one pose as a table; of many poses, how many there are."""
    first, *rest = repr(solutions).splitlines()
    if not rest:
        return shown("Inverse kinematics", paragraph(first))
    head = ["", *(f"q{i + 1}" for i in range(solutions.n)), ""]
    lines = [
        [i, *(f"{x:.6f}" for x in row[:-1]), row[-1].strip()]
        for i, row in enumerate(solutions.rows(), 1)
    ]
    return shown(first, rows(head, lines))


def nearest_html(nearest: NearestSolutions) -> str:
    """Return the joint positions of one pose, or in words how close the frame comes."""
    title = f"{nearest.frame} of {nearest.robot.name}"
    if nearest.found.ndim or not nearest.found:
        return shown(title, paragraph(repr(nearest).strip("<>")))
    turn, away = nearest.error
    found = zip(nearest.robot.model.position_names, nearest.q, strict=True)
    lines = [(name, f"{x:.6f}") for name, x in found]
    unit, _ = all_for_people(nearest.robot.model.position_units, False)
    words = paragraph(f"found, to {away:.1g} m and {turn:.1g} rad")
    return shown(title, words, rows(["joint", f"q [{unit}]"], lines))


def workspace_html(places: Workspace) -> str:
    """Return the facts of a workspace and its picture."""
    title = f"Where {places.frame} of {places.robot.name} gets to"
    known = facts(places.facts)
    if len(places.axes) == 1:  # nothing to draw
        return shown(title, known)
    return shown(title, known, figure(places.plot(), title))


def dexterity_html(found: Dexterity) -> str:
    """Return the facts about the orientations at places."""
    return shown(f"Dexterity of {found.frame} of {found.robot.name}", facts(found.facts))


def ellipsoid_html(found: FrameEllipsoid) -> str:
    """Return the half axes of an ellipsoid with their directions, or of many the conditions."""
    title = f"{WORDS[found.quantity]} of {found.frame} of {found.robot.name}"
    if found.q.ndim > 1:
        low, high = np.min(found.condition), np.max(found.condition)
        counted = {"positions": f"{len(found.q):,}", "condition": f"{low:.4g} to {high:.4g}"}
        return shown(title, facts(counted))
    lines = [
        (f"{length:.4g}".replace("inf", "∞"), *(f"{0.0 + x:.4g}" for x in axis))
        for length, axis in zip(found.half_axes, np.round(found.directions.T, 6), strict=True)
    ]
    known = {"q": vector_text(found.q), "condition": f"{float(found.condition):.4g}"}
    if found.centre.any():
        known["about"] = f"{vector_text(found.centre)} {found.unit}"
    return shown(title, facts(known), rows([f"half axis [{found.unit}]", "x", "y", "z"], lines))


def nearest_singularity_html(near: NearestSingularity) -> str:
    """Return how far the nearest singular position is, and what each joint does on the way."""
    known = {
        "distance": rounded_up(near.distance, 4),
        "how": f"{near.agreed} of {near.starts} starts led here; local: a nearer one may exist",
    }
    names = near.robot.joint_names
    lines = [
        (name, *(f"{x:.4g}" for x in line))
        for name, *line in zip(names, near.start, near.q, near.moves, strict=True)
    ]
    table = rows(["joint", "from", "to", "by"], lines)
    return shown(f"Singular position near {near.frame} of {near.robot.name}", facts(known), table)
