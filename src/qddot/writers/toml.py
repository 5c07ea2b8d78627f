"""Writing a model as a TOML file of the document schema."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from qddot.expressions import Expression
from qddot.model import Coupling, Frame, Inertial, Joint, Link, Model, Payload
from qddot.scalars import Scalar

ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def to_toml(model: Model) -> str:
    """Return the text of a TOML file from which the same model is read."""
    about = [
        assignment(key, getattr(model, key))
        for key in ("name", "description", "source", "licence")
        if key == "name" or getattr(model, key)
    ]
    parts = ["\n".join([*about, assignment("gravity", model.gravity)])]
    inertials = {link.name: link for link in model.links}
    parts.append(link_table(model.links[0]))
    for joint in model.joints:
        parts.append(joint_table(joint))
        parts.append(link_table(inertials[joint.child]))
    parts += [frame_table(frame) for frame in model.frames]
    parts += [coupling_table(coupling) for coupling in model.couplings]
    parts += [payload_table(payload) for payload in model.payloads]
    return "\n\n".join(parts) + "\n"


def link_table(link: Link) -> str:
    return table("link", {"name": link.name} | inertial_fields(link.inertial))


def joint_table(joint: Joint) -> str:
    values: dict[str, Any] = {
        "name": joint.name,
        "type": joint.kind,
        "parent": joint.parent,
        "child": joint.child,
        **differing_fields(joint.origin),
    }
    if joint.kind != "fixed" or joint.axis != (1, 0, 0):
        values["axis"] = joint.axis
    for key in ("limits", "friction", "motor", "spring", "mimic"):
        part = getattr(joint, key)
        if part is not None and (changed := differing_fields(part)):
            values[key] = changed
    for key in ("locked", "home"):
        if getattr(joint, key) is not None:
            values[key] = getattr(joint, key)
    return table("joint", values)


def frame_table(frame: Frame) -> str:
    values = {"name": frame.name, "link": frame.link} | differing_fields(frame.placement)
    return table("frame", values)


def payload_table(payload: Payload) -> str:
    return table("payload", {"frame": payload.frame} | inertial_fields(payload.inertial))


def coupling_table(coupling: Coupling) -> str:
    values = differing_fields(coupling)
    ends = [values.pop("first"), values.pop("second")]
    return table("coupling", {"joints": ends} | values)


def inertial_fields(inertial: Inertial) -> dict[str, Any]:
    values = differing_fields(inertial)
    if "rpy" in values:
        values["inertia_rpy"] = values.pop("rpy")
    return values


def differing_fields(thing: Any) -> dict[str, Any]:
    """Return the fields of a piece of model data that are not at their defaults."""
    return {
        item.name: getattr(thing, item.name)
        for item in fields(thing)
        if item.compare and getattr(thing, item.name) != item.default
    }


def table(name: str, values: dict[str, Any]) -> str:
    return "\n".join([f"[[{name}]]", *(assignment(key, value) for key, value in values.items())])


def assignment(key: str, value: Any) -> str:
    return f"{key} = {written(value)}"


def written(value: Any) -> str:
    """Return a value as TOML: numbers with every digit, formulas and names as quoted text."""
    if isinstance(value, str):
        return f'"{"".join(_escaped(ch) for ch in value)}"'
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(written(x) for x in value)}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(assignment(k, v) for k, v in value.items())} }}"
    return number(value)


def number(x: Scalar) -> str:
    if isinstance(x, Expression):
        return f'"{x}"'
    return repr(int(x)) if isinstance(x, int) else repr(float(x))


def _escaped(ch: str) -> str:
    if ch in ESCAPES:
        return ESCAPES[ch]
    return (
        ch if ch.isprintable() else f"\\u{ord(ch):04x}" if ord(ch) < 65536 else f"\\U{ord(ch):08x}"
    )
