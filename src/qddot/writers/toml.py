"""Writing a model as a TOML or JSON file of the document schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from qddot.model import Coupling, Frame, Inertial, Joint, Link, Model
from qddot.model.geometry import SHAPE_KINDS, Geometry
from qddot.scalars import Scalar
from qddot.scalars.expressions import Expression

ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def to_toml(model: Model) -> str:
    """Return the text of a TOML file from which the same model is read."""
    parts = ["\n".join(assignment(key, value) for key, value in about(model).items())]
    parts += [table(name, values) for name, values in tables(model)]
    return "\n\n".join(parts) + "\n"


def to_json(model: Model) -> str:
    """Return the text of a JSON file from which the same model is read; one line per field."""
    together: dict[str, list[str]] = {}
    for name, values in tables(model):
        lines = ",\n      ".join(f"{quoted(key)}: {in_json(x)}" for key, x in values.items())
        together.setdefault(name, []).append(f"{{\n      {lines}\n    }}")
    fields = [f"{quoted(key)}: {in_json(value)}" for key, value in about(model).items()]
    fields += [f"{quoted(name)}: [{', '.join(items)}]" for name, items in together.items()]
    return "{\n  " + ",\n  ".join(fields) + "\n}\n"


def about(model: Model) -> dict[str, Any]:
    """Return what a document says of the whole robot."""
    words = {key: getattr(model, key) for key in ("description", "source", "licence")}
    given = {key: text for key, text in words.items() if text}
    return {"name": model.name, **given, "gravity": model.gravity}


def tables(model: Model) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables of a document: of which kind, and what is in them."""
    inertials = {link.name: link for link in model.links}
    yield "link", link_values(model.links[0])
    for joint in model.joints:
        yield "joint", joint_values(joint)
        yield "link", link_values(inertials[joint.child])
    for frame in model.frames:
        yield "frame", frame_values(frame)
    for coupling in model.couplings:
        yield "coupling", coupling_values(coupling)
    for payload in model.payloads:
        yield "payload", {"frame": payload.frame} | inertial_fields(payload.inertial)


def link_values(link: Link) -> dict[str, Any]:
    values = {"name": link.name} | inertial_fields(link.inertial)
    for key, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        if shapes:
            values[key] = [geometry_values(each) for each in shapes]
    return values


def geometry_values(geometry: Geometry) -> dict[str, Any]:
    kinds = {made: kind for kind, made in SHAPE_KINDS.items()}
    values = {"kind": kinds[type(geometry.shape)], **differing_fields(geometry.shape)}
    more = {"name": geometry.name, "colour": geometry.colour}
    given = {key: value for key, value in more.items() if value}
    return values | differing_fields(geometry.place) | given


def joint_values(joint: Joint) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": joint.name,
        "type": joint.kind,
        "parent": joint.parent,
        "child": joint.child,
        **differing_fields(joint.origin),
    }
    if joint.kind != "fixed" or joint.axis != (1, 0, 0):
        values["axis"] = joint.axis
    if joint.pitch:
        values["pitch"] = joint.pitch
    for key in ("limits", "friction", "warming", "motor", "spring", "mimic", "start", "stops"):
        part = getattr(joint, key)
        if part is not None and (changed := differing_fields(part)):
            values[key] = changed
    for key, default in (("locked", None), ("home", None), ("actuated", True)):
        if getattr(joint, key) is not default:
            values[key] = getattr(joint, key)
    return values


def frame_values(frame: Frame) -> dict[str, Any]:
    return {"name": frame.name, "link": frame.link} | differing_fields(frame.placement)


def coupling_values(coupling: Coupling) -> dict[str, Any]:
    values = differing_fields(coupling)
    parts = {key: differing_fields(values[key]) for key in ("friction", "motor") if key in values}
    return values | parts


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


def in_json(value: Any) -> str:
    """Return a value as JSON: the same digits, formulas and names in quotes."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(in_json(x) for x in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{quoted(k)}: {in_json(v)}' for k, v in value.items())}}}"
    return number(value)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def number(x: Scalar) -> str:
    if isinstance(x, Expression):
        return f'"{x}"'
    if isinstance(x, bool):
        return str(x).lower()
    return repr(int(x)) if isinstance(x, int) else repr(float(x))


def _escaped(ch: str) -> str:
    if ch in ESCAPES:
        return ESCAPES[ch]
    return (
        ch if ch.isprintable() else f"\\u{ord(ch):04x}" if ord(ch) < 65536 else f"\\U{ord(ch):08x}"
    )
