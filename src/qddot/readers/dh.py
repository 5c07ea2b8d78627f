"""Denavit–Hartenberg rows, by the standard and by the modified convention.

The two conventions differ in where a link's frame sits, so a table means nothing without its
name, and none is assumed:

    standard  X = Rz(θ) Tz(d) Tx(a) Rx(α)      frame i at the far end of link i
    modified  X = Tx(a) Rx(α) Rz(θ) Tz(d)      frame i at joint i (Craig)

Centre of mass and inertia of row i are in DH frame i, by either convention.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from qddot.errors import BadArgument
from qddot.model import Frame, Joint, Link, Placement
from qddot.readers.document_table import DocumentTable
from qddot.scalars import Scalar

CONVENTIONS = ("standard", "modified")
TOOL = "tool"
Parts = tuple[list[Link], list[Joint], list[Frame]]


def dh_document(rows: Sequence[Any], convention: str, **more: Any) -> dict[str, Any]:
    """Return the document that says the same as `qddot.from_dh(rows, convention)`."""
    if convention not in CONVENTIONS:
        given = f"convention is {convention!r}" if convention else "No convention is given"
        raise BadArgument(
            f"{given}; it must be 'standard' or 'modified'.\n"
            "  The same rows describe different arms in the two; see docs/conventions.md."
        )
    for i, row in enumerate(rows):
        if not isinstance(row, dict):
            raise BadArgument(
                f"DH row {i} is {row!r}; the order of bare numbers differs from book to book.\n"
                "  Name them: {'theta': 0, 'd': 0, 'a': 1, 'alpha': 0, 'mass': 1, ...}."
            )
    return {"convention": convention, "dh": list(rows), **more}


def read_rows(
    top: DocumentTable,
    joint_parts: Callable[[DocumentTable, str], dict[str, Any]],
    link_parts: Callable[[DocumentTable], dict[str, Any]],
) -> Parts:
    """Return the links, joints and frames of a document's [[dh]] rows."""
    convention = top.text("convention")
    rows = top.tables("dh")
    if rows and convention not in CONVENTIONS:
        why = f"it is {convention!r}" if convention else "it is missing"
        remedy = 'Write convention = "standard" or convention = "modified"; none is assumed.'
        top.problem("convention", why, remedy)
    links, joints = [Link("base")] if rows else [], []
    parent = "base"
    for i, row in enumerate(rows, 1):
        parts = joint_parts(row, f"j{i}")
        name = row.text("link", f"link{i}")
        before, after = split_transform(convention, *dh_numbers(row, parts["kind"]))
        line = row.line
        joint = Joint(parent=parent, child=name, origin=before, axis=(0, 0, 1), line=line, **parts)
        more_links, more_joints = with_step(joint, Link(name, **link_parts(row)), after)
        links, joints = links + more_links, joints + more_joints
        row.done()
        parent = name
    return links, joints, [Frame(TOOL, parent)] if rows else []


def with_step(joint: Joint, link: Link, step: Placement) -> tuple[list[Link], list[Joint]]:
    """Return the links and joints of a link whose frame is a fixed step beyond the joint's."""
    if step == Placement():
        return [link], [joint]
    start = f"{link.name}_start"
    further = Joint(f"{link.name}_step", "fixed", start, link.name, step, line=link.line)
    return [Link(start, line=link.line, hidden=True), link], [replace(joint, child=start), further]


def dh_numbers(row: DocumentTable, kind: str) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Return θ, d, a, α of a row at q = 0; the joint variable is added to θ or to d."""
    theta, d = row.number("theta", 0), row.number("d", 0)
    a, alpha = row.number("a", 0), row.number("alpha", 0)
    variable = "d" if kind == "prismatic" else "theta"
    if row.has("offset"):
        offset = row.number("offset", 0)
        if row.has(variable):
            row.problem("offset", f"{variable} is given too", "They mean the same: keep one.")
        theta, d = (theta, offset) if variable == "d" else (offset, d)
    return theta, d, a, alpha


def split_transform(
    convention: str, theta: Scalar, d: Scalar, a: Scalar, alpha: Scalar
) -> tuple[Placement, Placement]:
    """Return where the joint is in the frame before, and the DH frame in the moved joint frame.

    A turn about z and a slide along z commute, so the joint's own motion comes first in
    Rz(θ) Tz(d) by one convention and last by the other, and no product is ever formed.
    """
    along_x, along_z = Placement((a, 0, 0), (alpha, 0, 0)), Placement((0, 0, d), (0, 0, theta))
    return (along_x, along_z) if convention == "modified" else (along_z, along_x)
