"""Products of exponentials: a chain by its screw axes at home, as Lynch and Park teach it.

A screw axis S = (ω, v) is that of a joint where q = 0, in base axes: of a joint that turns about
the axis ω through the point p, and of one that slides along v,

    S = (ω, −ω × p + h ω), |ω| = 1, h its pitch        S = (0, v), |v| = 1

The pose of link i, whose frame is at M_i at home, is then

    T_i(q) = exp([S_1] q_1) ··· exp([S_i] q_i) M_i

Body screws B_i are the same axes in the frame of the tool at home. The frames of the joints are at
home parallel to the base, so that no rotation is ever multiplied out.

Lynch and Park: K. Lynch, F. Park, *Modern Robotics*, Cambridge University Press, 2017, sections 4.1
and 8.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.model import Frame, Joint, Link, Placement
from qddot.model.arguments import scalar
from qddot.readers.dh import TOOL, Parts, with_step
from qddot.readers.document_table import DocumentTable
from qddot.scalars import Motion, Scalar, Vec3, constant_sincos
from qddot.scalars.expressions import PI_EXPRESSION, Expression, expression, free_symbols, simplest
from qddot.spatial.inertia import Inertia, upper
from qddot.spatial.pose import Pose
from qddot.spatial.rotation import from_rpy, to_rpy
from qddot.spatial.vector import cross, skew, split, vector

AXES = ("space", "body")
NEARLY = 1e-3  # by how much the length of a typed axis may differ from 1
ROUNDING = 1e-6  # of a pitch, a rotation or an inertia that was typed


@dataclass(frozen=True)
class JointAxis:
    """What a screw axis says of its joint: the kind, the unit axis, the pitch, a point on it."""

    kind: str
    axis: Vec3
    pitch: Scalar
    point: Vec3


def read_screws(
    top: DocumentTable,
    joint_parts: Callable[[DocumentTable, str], dict[str, Any]],
    link_parts: Callable[[DocumentTable], dict[str, Any]],
) -> Parts:
    """Return the links, joints and frames of a document's [[screw]] rows and its [tool]."""
    rows, tool = top.tables("screw"), top.table("tool")
    if not rows:
        if tool is not None:
            top.problem("tool", "there are no screws", "Add [[screw]], or name a [[frame]].")
        return [], [], []
    home = None
    if tool is not None:
        home = tool.placement()
        tool.done()
    links, joints = [Link("base")], []
    parent, before, name = "base", vector([expression(0)] * 3), ""
    for i, row in enumerate(rows, 1):
        parts = joint_parts(row, f"j{i}")
        name = row.text("link", f"link{i}")
        at = row.placement()
        found = joint_axis(row, space_screw(row, home), at)
        for key in ("type", "pitch"):
            if row.has(key):
                row.problem(key, "the screw axis says it already", "Remove it.")
        parts |= {"kind": found.kind, "pitch": plain(found.pitch), "axis": triple(found.axis)}
        origin = Placement(way(before, found.point))
        step = Placement(way(found.point, exact_vector(at.xyz)), at.rpy)
        joint = Joint(parent=parent, child=name, origin=origin, line=row.line, **parts)
        more_links, more_joints = with_step(joint, Link(name, **link_parts(row)), step)
        links, joints = links + more_links, joints + more_joints
        row.done()
        parent, before = more_joints[0].child, found.point
    if home is None:
        return links, joints, [Frame(TOOL, name)]
    where = Placement(way(before, exact_vector(home.xyz)), home.rpy)
    return links, joints, [Frame(TOOL, parent, where)]


def space_screw(row: DocumentTable, tool: Placement | None) -> Motion:
    """Return the screw axis of a row in base axes: [ω; v]."""
    given = [key for key in AXES if row.has(key)]
    if len(given) != 1:
        what = "it has both space and body" if given else "it has no screw axis"
        row.problem("", what, "Give one: space = [ω, v], or body = [ω, v] in the tool's frame.")
    screw = row.numbers(given[0] if given else "space", (6,), (0, 0, 1, 0, 0, 0))
    if "body" not in given:
        return exact_vector(screw)
    if tool is None:
        row.problem("body", "there is no tool in whose frame it is", "Add [tool] with xyz and rpy.")
        return exact_vector(screw)
    X = Pose(from_rpy(exact_vector(tool.rpy), constant_sincos), exact_vector(tool.xyz))
    return X.motion(exact_vector(screw))


def joint_axis(row: DocumentTable, screw: Motion, at: Placement) -> JointAxis:
    """Return the joint of a screw axis; its point is the one nearest to the link's frame."""
    w, v = split(screw)
    turns = any(w)
    what = "ω" if turns else "v"
    length = w @ w if turns else v @ v
    size = 1.0 if free_symbols(length) else math.sqrt(float(length))
    if free_symbols(length):
        message = f"the length of its {what} is sqrt({length})"
        row.problem("", message, "A screw axis has |ω| = 1, or ω = 0 and |v| = 1.")
    elif abs(size - 1) > NEARLY:
        message = f"the length of its {what} is {size:.6g}"
        row.problem("", message, "A screw axis has length 1: divide all six numbers by it.")
    elif abs(size - 1) > 1e-9:
        w, v = w / size, v / size
    p = exact_vector(at.xyz)
    if not turns:
        return JointAxis("prismatic", v, expression(0), p)
    pitch = w @ v
    if not free_symbols(pitch) and abs(float(pitch)) <= ROUNDING:  # [m/rad]
        pitch = expression(0)
    return JointAxis("screw" if pitch else "revolute", w, pitch, cross(w, v) + w * (w @ p))


# from Python


def screw_document(
    screws: Any, home: Any, inertias: Any, *, axes: str, relative: bool, **more: Any
) -> dict[str, Any]:
    """Return the document that says the same as `qddot.from_screws`."""
    if axes not in AXES:
        raise BadArgument(f"axes is {axes!r}; it must be 'space' or 'body'.")
    all_rows = rows_of("screws", screws)
    poses = [square(f"home[{i}]", M, 4) for i, M in enumerate(rows_of("home", home))]
    n = len(all_rows)
    if len(poses) not in (n, n + 1):
        raise BadArgument(
            f"home has {len(poses)} poses; give {n}, one per link, or {n + 1} with the tool's last."
        )
    if relative:
        for i in range(1, len(poses)):
            product = poses[i - 1] @ poses[i]
            poses[i] = np.array([[expression(plain(x)) for x in row] for row in product])
    places = [placed(f"home[{i}]", M) for i, M in enumerate(poses)]
    weights = [{}] * n if inertias is None else rows_of("inertias", inertias)
    if len(weights) != n:
        raise BadArgument(f"inertias has {len(weights)} entries; give {n}, one per link.")
    rows = []
    for i, (S, place, weight) in enumerate(zip(all_rows, places[:n], weights, strict=True)):
        entries = np.array(rows_of(f"screws[{i}]", S), dtype=object).ravel()
        if len(entries) != 6:
            raise BadArgument(
                f"screws[{i}] has {len(entries)} numbers; a screw axis has six, ω and v. Give one "
                "axis per row: where yours are columns, as in Modern Robotics, screws.T."
            )
        masses = weight if isinstance(weight, dict) else weight_of(f"inertias[{i}]", weight)
        rows.append({axes: [scalar(f"screws[{i}]", x) for x in entries], **place, **masses})
    tool = {"tool": places[n]} if len(places) > n else {}
    return {"screw": rows, **tool, **more}


def rows_of(name: str, given: Any) -> list[Any]:
    """Return what is given one per row, of NumPy or SymPy too."""
    given = given.tolist() if hasattr(given, "tolist") else given
    if isinstance(given, (str, bytes, dict)) or not hasattr(given, "__iter__"):
        raise BadArgument(f"{name} is {given!r}; give a list.")
    return list(given)


def square(name: str, given: Any, size: int) -> np.ndarray:
    """Return a square matrix of exact expressions."""
    rows = [rows_of(name, row) for row in rows_of(name, given)]
    if len(rows) != size or any(len(row) != size for row in rows):
        raise BadArgument(f"{name} is not a {size}×{size} matrix.")
    return np.array([[expression(scalar(name, x)) for x in row] for row in rows])


def placed(name: str, M: np.ndarray) -> dict[str, Any]:
    """Return xyz and rpy of a 4×4 pose; right angles are exact."""
    R = M[:3, :3]
    if any(free_symbols(x) for x in R.ravel()):
        raise BadArgument(
            f"The rotation of {name} holds symbols; give numbers. In a file, the rpy of [[screw]] "
            "may hold them."
        )
    R = R.astype(float)
    skewed = np.abs(R @ R.T - np.eye(3)).max() > NEARLY or np.linalg.det(R) < 0
    if skewed or list(M[3]) != [0, 0, 0, 1]:
        raise BadArgument(f"{name} is no pose: a rotation, a position, and the last row 0 0 0 1.")
    return {"xyz": list(triple(M[:3, 3])), "rpy": [right_angle(x) for x in to_rpy(R)]}


def right_angle(angle: float) -> Scalar:
    """Return an angle, exactly where it is a multiple of π/2."""
    turns = round(angle / (math.pi / 2))
    if abs(angle - turns * math.pi / 2) > 1e-12:
        return angle
    return turns * PI_EXPRESSION / 2 if turns else 0


def weight_of(name: str, given: Any) -> dict[str, Any]:
    """Return mass, com and inertia of a 6×6 spatial inertia [I, [h]×; −[h]×, m E], h = m c."""
    G = square(name, given, 6)
    m, h = G[3, 3], np.array([G[2, 1 + 3], G[0, 2 + 3], G[1, 0 + 3]])
    H = skew(h)
    expected = np.block([[G[:3, :3].T, H], [-H, m * np.eye(3, dtype=int)]])
    if any(not _near(x, y) for x, y in zip(G.ravel(), expected.ravel(), strict=True)):
        raise BadArgument(
            f"{name} is no spatial inertia: [I, 0; 0, m E] about the centre of mass, and about "
            "another point [I, [h]×; −[h]×, m E], h = m c, with I symmetric."
        )
    com, I = vector([0, 0, 0]), G[:3, :3]
    if any(h):
        _, com, I = Inertia(m, h, I).com_form()
    return {"mass": plain(m), "com": list(map(plain, com)), "inertia": list(map(plain, upper(I)))}


def _near(x: Expression, y: Expression) -> bool:
    difference = expression(x - y)
    if free_symbols(difference):
        return False
    return not difference or abs(float(difference)) <= ROUNDING * (1 + abs(float(x)))


# numbers


def exact_vector(values: Sequence[Scalar]) -> np.ndarray:
    """Return an array of exact expressions, in which 0.8 − 0.4 is 0.4."""
    return np.array([expression(x) for x in values])


def triple(values: Vec3) -> tuple[Scalar, Scalar, Scalar]:
    """Return three numbers as a model holds them."""
    x, y, z = (plain(value) for value in values)
    return x, y, z


def way(start: Vec3, end: Vec3) -> tuple[Scalar, Scalar, Scalar]:
    """Return from one point to another; what only rounding has left between them is zero."""

    def between(a: Expression, b: Expression) -> Scalar:
        difference = b - a
        numbers = not any(free_symbols(x) for x in (a, b, difference))
        residue = numbers and abs(float(difference)) <= 1e-15 * (abs(float(a)) + abs(float(b)))
        return 0 if residue else difference

    return triple([between(a, b) for a, b in zip(start, end, strict=True)])


def plain(x: Scalar) -> Scalar:
    """Return a scalar as somebody would write it: a decimal of many digits as a float."""
    x = simplest(expression(x))
    if isinstance(x, Expression) and set(x.terms) <= {()}:
        value = x.terms.get((), Fraction(0))
        if pow(10, value.denominator.bit_length(), value.denominator) == 0:
            return float(value)
    return x
