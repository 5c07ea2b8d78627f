"""The schema of a robot as plain tables: one meaning for TOML, JSON and Python.

See docs/file_formats.md for the schema with examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.errors import BadArgument, BadRobot, Problem, did_you_mean, shorten
from qddot.model import (
    Coupling,
    Frame,
    Friction,
    Inertial,
    Joint,
    Limits,
    Link,
    Mimic,
    Model,
    Motor,
    Payload,
    Spring,
    Start,
    Stops,
    Warming,
    build,
)
from qddot.model.folding import unit
from qddot.model.friction import PARAMETERS
from qddot.model.model import GRAVITY
from qddot.model.validation import checked
from qddot.readers.dh import read_rows
from qddot.readers.document_shapes import link_parts
from qddot.readers.document_table import MOST_TOLD, DocumentTable, LineOf
from qddot.readers.places import Places
from qddot.readers.screws import read_screws
from qddot.readers.solids import inertial
from qddot.scalars import Scalar
from qddot.spatial.inertia import upper
from qddot.spatial.rotation import IDENTITY
from qddot.spatial.vector import vector

KINDS = {"r": "revolute", "p": "prismatic"}
MOTOR = {"rotor_inertia": 0, "gear": 1}


def no_lines(path: tuple) -> None:
    """The line of a field in a document that has no lines."""


def read_document(
    data: Mapping[str, Any], name: str, line_of: LineOf = no_lines, places: Places | None = None
) -> Model:
    """Return the model that a document describes.

    `name` is the robot's where the document has none. Its meshes may be anywhere if no places are
    given, as by a Python program.

    Raises:
        BadRobot: With every problem of the document.
    """
    found: list[Problem] = []
    anywhere = Places(anywhere=True)
    top = DocumentTable(data, (), found, line_of, places=places or anywhere)
    links = [link(table) for table in top.tables("link")]
    joints = [joint(table) for table in top.tables("joint")]
    frames = [frame(table) for table in top.tables("frame")]
    rows = read_rows(top, joint_parts, link_parts)
    screws = read_screws(top, joint_parts, link_parts)
    if rows[0] and screws[0]:
        top.problem("screw", "there are [[dh]] rows as well", "Keep one of the two.")
    row_links, row_joints, row_frames = rows if rows[0] else screws
    known = {item.name for item in links}
    given = known | {item.name for item in (*frames, *row_links)}
    model_parts = {
        "frames": (*frames, *(item for item in row_frames if item.name not in given)),
        "couplings": tuple(c for table in top.tables("coupling") if (c := coupling(table))),
        "payloads": tuple(payload(table) for table in top.tables("payload")),
        "gravity": top.numbers("gravity", (3,), GRAVITY),
        "description": top.text("description"),
        "source": top.text("source"),
        "licence": top.text("licence"),
    }
    name = top.text("name", name)
    for item in row_links:
        if item.name in known and replace(item, name="") != Link(""):
            message = f"link {shorten(item.name)!r} has a mass or shapes in its row too"
            found.append(Problem("error", "link", message, "Keep one of the two.", item.line))
    links = [*(item for item in row_links if item.name not in known), *links]
    joints = [*row_joints, *joints]
    for rotor_link, rotor_joint in rotors(top, joints):
        links, joints = [*links, rotor_link], [*joints, rotor_joint]
    values = default_values(top)
    top.done()
    model = build(name, with_mentioned(links, joints), joints, found=found, **model_parts)
    return with_defaults(model, values, line_of) if values else model


def default_values(top: DocumentTable) -> dict[str, Scalar]:
    """Return the [values] that a document gives its own symbols."""
    table = top.table("values")
    if table is None:
        return {}
    values = {name: table.number(name) for name in table.data}
    table.done()
    return values


def with_defaults(model: Model, values: dict[str, Scalar], line_of: LineOf) -> Model:
    """Return the model with its own [values] put in."""
    found = []
    known = set(model.symbols)
    for name in values:
        if name not in known and len(found) < MOST_TOLD:
            message = f"{shorten(name)} is not a symbol of this robot"
            remedy = did_you_mean(name, model.symbols).strip() or "Remove it."
            found.append(Problem("error", "values", message, remedy, line_of(("values", name))))
    if found:
        raise BadRobot(model.name, found)
    try:
        return checked(model.with_values(values))
    except BadArgument as error:
        problem = Problem("error", "values", str(error).rstrip("."), "", line_of(("values",)))
        raise BadRobot(model.name, [problem]) from None


def with_mentioned(links: list[Link], joints: list[Joint]) -> list[Link]:
    """Return the links, and the massless base that only joints mention."""
    known = {item.name for item in links}
    children = {item.child for item in joints}
    if known - children - {""}:
        return links  # one of them is the base
    bases = dict.fromkeys(item.parent for item in joints)
    missing = [Link(name) for name in bases if name and name not in known | children]
    return [*missing[:1], *links]


def joint(table: DocumentTable) -> Joint:
    """Return the joint of one [[joint]] table."""
    parts = joint_parts(table)
    result = Joint(
        parent=table.text("parent"),
        child=table.text("child"),
        origin=table.placement(),
        axis=table.numbers("axis", (3,), (1, 0, 0)),
        line=table.line,
        **parts,
    )
    if not table.has("type"):
        table.problem("", "it has no type", "Add type.")
    table.done()
    return result


def joint_parts(table: DocumentTable, name: str = "") -> dict[str, Any]:
    """Return what a [[joint]] and a [[dh]] table say alike: name, type and what acts in it."""
    kind = table.text("type", "revolute")
    return {
        "name": table.text("name", name),
        "kind": KINDS.get(kind.lower(), kind),
        "limits": limits(table.table("limits")),
        "friction": friction(table.table("friction")),
        "motor": motor(table.table("motor")),
        "spring": spring(table.table("spring")),
        "mimic": mimic(table.table("mimic")),
        "locked": table.number("locked", None),
        "home": table.number("home", None),
        "start": start(table.table("start")),
        "stops": stops(table.table("stops")),
        "warming": warming(table.table("warming")),
        "pitch": table.number("pitch", 0),
        "actuated": table.flag("actuated", True),
    }


def limits(table: DocumentTable | None) -> Limits:
    """Return limits = { lower, upper, velocity, effort }."""
    return Limits(**fields(table, dict.fromkeys(("lower", "upper", "velocity", "effort"))))


def friction(table: DocumentTable | None) -> Friction:
    """Return friction = { viscous, coulomb, static, stribeck_velocity, offset }."""
    return Friction(**fields(table, {p.name: p.default for p in PARAMETERS}))


def motor(table: DocumentTable | None) -> Motor:
    """Return motor = { rotor_inertia, gear }; nothing for one with a rotor on a link."""
    if table is not None and table.has("on"):
        return Motor()
    return Motor(**fields(table, MOTOR))


def spring(table: DocumentTable | None) -> Spring:
    """Return spring = { stiffness, rest, harmonics = [[m, a, b], ...] }."""
    if table is None:
        return Spring()
    harmonics = table.rows("harmonics", 3)
    return Spring(**fields(table, {"stiffness": 0, "rest": 0}), harmonics=harmonics)


def start(table: DocumentTable | None) -> Start:
    """Return start = { q, qd }; stops, which it once had, are refused with where they belong."""
    old = [key for key in ("lower", "upper") if table is not None and table.has(key)]
    if table is not None and old:
        ends = ", ".join(f"{key} = {table.get(key)!r}" for key in old)
        remedy = f"Write stops = {{ {ends} }} beside it, which holds from every start."
        table.problem("", "stops are the joint's, not its start's", remedy)
    return Start(**fields(table, {"q": 0, "qd": 0}))


def stops(table: DocumentTable | None) -> Stops:
    """Return stops = { lower, upper, restitution }."""
    return Stops(**fields(table, {"lower": None, "upper": None, "restitution": 0}))


def warming(table: DocumentTable | None) -> Warming:
    """Return warming = { reference, viscous, coulomb }."""
    return Warming(**fields(table, {"reference": 20, "viscous": 0, "coulomb": 0}))


def fields(table: DocumentTable | None, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a small table, and refuse whatever else it holds."""
    if table is None:
        return {}
    values = {key: table.number(key, default) for key, default in defaults.items()}
    table.done()
    return values


def mimic(table: DocumentTable | None) -> Mimic | None:
    """Return mimic = { joint, multiplier, offset }."""
    if table is None:
        return None
    result = Mimic(table.text("joint"), table.number("multiplier", 1), table.number("offset", 0))
    table.done()
    if not table.has("joint"):
        table.problem("mimic", "it does not say which joint", "Add joint.")
        return None
    return result


def link(table: DocumentTable) -> Link:
    """Return the link of one [[link]] table."""
    result = Link(table.text("name"), **link_parts(table))
    table.done()
    return result


def frame(table: DocumentTable) -> Frame:
    """Return the frame of one [[frame]] table."""
    result = Frame(table.text("name"), table.text("link"), table.placement(), table.line)
    table.done()
    return result


def payload(table: DocumentTable) -> Payload:
    """Return the payload of one [[payload]] table."""
    result = Payload(table.text("frame"), inertial(table), table.line)
    table.done()
    return result


def coupling(table: DocumentTable) -> Coupling | None:
    """Return the coupling of one [[coupling]] table, or None where it does not say of what."""
    names = table.get("joints")
    numbers = {key: table.number(key, 0) for key in ("stiffness", "damping", "rest")}
    rubs = friction(table.table("friction"))
    turns = Motor(**fields(table.table("motor"), MOTOR))
    named = isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
    count = len(names) if named else 0
    ratios = table.numbers("ratios", (count,), (1, -1) if count == 2 else (1,) * count)
    table.done()
    if count < 2:
        table.problem("joints", "it does not name two joints", 'Write joints = ["j1", "j2"].')
        return None
    if count > 2 and not table.has("ratios"):
        message = f"it joins {count} joints and does not say by which ratios"
        table.problem("ratios", message, f"Give {count} numbers in brackets.")
    parts = {"ratios": ratios, "friction": rubs, "motor": turns, "line": table.line}
    return Coupling(tuple(names), **numbers, **parts)


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
