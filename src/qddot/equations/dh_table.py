"""The Denavit–Hartenberg table of a model, where its joints are placed by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from qddot.equations.exact_tree import with_angles_meant
from qddot.equations.latex import LatexWriter
from qddot.equations.nodes import expression_node
from qddot.formulations.notation import Notation
from qddot.model.joint import FIXED, Joint
from qddot.model.link import Placement
from qddot.model.model import Model
from qddot.scalars import Scalar
from qddot.scalars.expressions import expression

DHRow: TypeAlias = tuple[str, str, str, str]  # θ, d, a, α


@dataclass(frozen=True)
class DHTable:
    """The convention, and θ, d, a, α of each joint in LaTeX, its coordinate included."""

    convention: str
    rows: tuple[DHRow, ...]

    def product(self, i: int) -> str:
        """Return the transform of row i as turns and moves along the axes; zeros are left out."""
        theta, d, a, alpha = self.rows[i]
        along_z = [rf"\mathrm{{Rot}}(z, {theta})"] * (theta != "0")
        along_z += [rf"\mathrm{{Trans}}(z, {d})"] * (d != "0")
        along_x = [rf"\mathrm{{Trans}}(x, {a})"] * (a != "0")
        along_x += [rf"\mathrm{{Rot}}(x, {alpha})"] * (alpha != "0")
        moves = along_z + along_x if self.convention == "standard" else along_x + along_z
        return r"\,".join(moves)


def dh_table(model: Model, notation: Notation) -> DHTable | None:
    """Return the table of a chain whose joints all lie as DH rows say, else None."""
    model, _ = with_angles_meant(model)
    moving = list(model.free_joints)
    others = [joint for joint in model.joints if joint.role != "spin"]  # a rotor changes no frame
    if any(joint.locked is not None or joint.mimic for joint in others):
        return None  # a joint that is locked or follows another has no row
    beyond = {joint.parent: joint for joint in model.joints if joint.kind == FIXED}
    hidden = {link.name for link in model.links if link.hidden}
    carrier = model.links[0].name
    placements: list[tuple[Placement, Placement]] = []
    for joint in moving:
        if joint.parent != carrier or tuple(joint.axis) != (0, 0, 1):
            return None
        step = beyond.get(joint.child) if joint.child in hidden else None
        placements.append((joint.origin, step.origin if step else Placement()))
        carrier = step.child if step else joint.child
    for convention in ("modified", "standard"):
        pairs = placements if convention == "modified" else [(b, a) for a, b in placements]
        if all(_along_x(x) and _along_z(z) for x, z in pairs):
            parts = zip(moving, pairs, strict=True)
            rows = [_row(notation, i, j, x, z) for i, (j, (x, z)) in enumerate(parts)]
            return DHTable(convention, tuple(rows))
    return None


def _along_x(at: Placement) -> bool:
    return not any((*at.xyz[1:], *at.rpy[1:]))


def _along_z(at: Placement) -> bool:
    return not any((*at.xyz[:2], *at.rpy[:2]))


def _row(n: Notation, i: int, joint: Joint, x: Placement, z: Placement) -> DHRow:
    theta, d = latex_of(z.rpy[2]), latex_of(z.xyz[2])
    if joint.turns:
        theta = _added(n.q(i), theta)
    else:
        d = _added(n.q(i), d)
    return theta, d, latex_of(x.xyz[0]), latex_of(x.rpy[0])


def _added(coordinate: str, offset: str) -> str:
    if offset == "0":
        return coordinate
    return f"{coordinate} {offset}" if offset.startswith("-") else f"{coordinate} + {offset}"


def latex_of(x: Scalar) -> str:
    """Return a number or an expression of a model in LaTeX."""
    exact, writer = expression(x), LatexWriter(0)
    writer.fractions = any(exact.terms)  # π/2, not 0.5 π; but 0.2, not 1/5
    return writer.write(expression_node(exact)) if exact.terms else "0"
