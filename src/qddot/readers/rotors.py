"""Motors whose rotor is a body of its own, on the link that carries it.

    motor = { rotor_inertia = "Im2", gear = "kr2", on = "link1", mass = "mm2" }

The rotor spins about its axis z by `gear` times the velocity of the joint that it drives, and is
carried along by its link (B. Siciliano et al., *Robotics: Modelling, Planning and Control*, 2009,
section 7.1.1):

    ω_m = ω_link + k_r q̇ z

So the gear is in the mass matrix twice: k_r² I_m at the joint itself, as without `on`, and k_r I_m
between this joint and those that turn the link.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from qddot.model import Inertial, Joint, Link, Mimic
from qddot.model.folding import unit
from qddot.readers.document_table import DocumentTable
from qddot.spatial.inertia import upper
from qddot.spatial.rotation import IDENTITY
from qddot.spatial.vector import vector

ROWS = ("joint", "dh", "screw")  # where motors are


def rotors(top: DocumentTable, joints: Sequence[Joint]) -> Iterator[tuple[Link, Joint]]:
    """Yield the rotors that a document's motors have on links: a link and its joint."""
    by_name = {joint.name: joint for joint in joints}
    for key in ROWS:
        for i, row in enumerate(top.tables(key), 1):
            table = row.table("motor")
            if table is None or not table.has("on"):
                continue
            driven = by_name.get(row.text("name", "" if key == "joint" else f"j{i}"))
            if driven is not None:
                yield rotor(table, driven, joints)


def rotor(table: DocumentTable, driven: Joint, joints: Sequence[Joint]) -> tuple[Link, Joint]:
    """Return the link of a rotor and the joint by which it follows the joint that it drives.

    It is where that joint is, and along its axis, unless the table places it on its link. A rotor
    with a mass is a thin disc where its moment across the axis is not given, half of that about it;
    one without adds nothing but its spin.
    """
    carrier, name = table.text("on"), f"{driven.name}_rotor"
    about, mass = table.number("rotor_inertia", 0), table.number("mass", 0)
    across = table.number("across", about / 2 if mass else 0)
    gear = table.number("gear", 1)
    origin, axis = table.placement(), table.numbers("axis", (3,), (0, 0, 1))
    table.done()
    if not any(table.has(key) for key in ("xyz", "rpy", "quaternion", "axis")):
        if rigid_body(carrier, joints) == rigid_body(driven.parent, joints):
            carrier, origin, axis = driven.parent, driven.origin, driven.axis
        else:
            why = f"its rotor is not on {driven.parent!r}, before its joint"
            table.problem("motor", why, f"Give its axis, and xyz, in the frame of {carrier!r}.")
    elif not table.has("axis"):
        why = "it does not say which way its rotor lies"
        table.problem("motor", why, f"Add axis, in the frame of {carrier!r}.")
    if not table.has("rotor_inertia"):
        table.problem("motor", "its rotor has no inertia", "Add rotor_inertia.")
    z = vector(list(unit(axis) if any(axis) else axis))
    Z = np.outer(z, z)
    inertia = tuple(upper(about * Z + across * (IDENTITY - Z)))
    link = Link(name, Inertial(mass, (0, 0, 0), inertia), table.line)
    follow = Mimic(driven.name, gear)
    return link, Joint(name, "rotor", carrier, name, origin, axis, mimic=follow, line=table.line)


def rigid_body(link: str, joints: Sequence[Joint]) -> str:
    """Return the first of the links that are fixed to one another, of which this is one."""
    holding = {joint.child: joint.parent for joint in joints if joint.kind == "fixed"}
    for _ in joints:  # no more steps than these, whatever a file says
        link = holding.get(link, link)
    return link
