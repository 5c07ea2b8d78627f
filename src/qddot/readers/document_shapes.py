"""What a link of a document weighs and looks like: mass and shapes, of a [[link]] or of a row."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from qddot.errors import did_you_mean, shorten
from qddot.model.geometry import SHAPE_KINDS, THREE, Colour, Geometry, Shape, why_wrong
from qddot.readers.document_table import DocumentTable
from qddot.readers.solids import inertial
from qddot.scalars.expressions import has_value

SCALE = (1, 1, 1)
MOST_SHAPES = 50_000  # of a link


def link_parts(table: DocumentTable) -> dict[str, Any]:
    """Return the fields of a `Link` that a [[link]], a [[dh]] and a [[screw]] table say alike."""
    return {
        "inertial": inertial(table),
        "line": table.line,
        "visuals": geometries(table, "visual"),
        "collisions": geometries(table, "collision"),
    }


def geometries(table: DocumentTable, key: str) -> tuple[Geometry, ...]:
    """Return the shapes under a key: one table, or a list of them."""
    if isinstance(table.get(key), dict):
        one = table.table(key)
        return tuple(geometry(each) for each in [one] if each is not None)
    return tuple(geometry(each) for each in table.tables(key, MOST_SHAPES))


def geometry(table: DocumentTable) -> Geometry:
    """Return { kind, its dimensions, xyz, rpy, colour, name }."""
    result = Geometry(shape(table), table.placement(), colour(table), table.text("name"))
    table.done()
    if why := why_wrong(result):
        table.problem("", why, "Correct it.")
    return result


def colour(table: DocumentTable) -> Colour | None:
    """Return colour = [red, green, blue] or [red, green, blue, opacity], from 0 to 1."""
    given = table.numbers("colour", (3, 4), None)
    if given is None or not all(has_value(x) for x in given):
        if given is not None:
            table.problem("colour", "it holds symbols", "Give numbers from 0 to 1.")
        return None
    r, g, b, a = (float(x) for x in (*given, 1)[:4])
    return r, g, b, a


def shape(table: DocumentTable) -> Shape:
    """Return the shape of a table; one that is as good as any other where it is none."""
    kind = table.text("kind")
    if kind not in SHAPE_KINDS:
        hint = did_you_mean(kind, SHAPE_KINDS)
        what = f"it is {shorten(kind, 40)!r}" if kind else "it is missing"
        table.problem("kind", what, f"Give one of {', '.join(SHAPE_KINDS)}.{hint}")
        kind = "sphere"
    if kind == "mesh":
        scale = table.get("scale")
        plain = isinstance(scale, (int, float, str))
        sizes = (table.number("scale", 1),) * 3 if plain else table.numbers("scale", (3,), SCALE)
        return table.places.mesh(_said(table, "file", table.text("file")), sizes)
    made = SHAPE_KINDS[kind]
    values = {
        item.name: _said(
            table,
            item.name,
            table.numbers(item.name, (3,), (0, 0, 0))
            if item.name in THREE
            else table.number(item.name, 0),
        )
        for item in fields(made)
    }
    return made(**values)


def _said(table: DocumentTable, key: str, value: Any) -> Any:
    """Return a value that must be given; a problem if it is not."""
    if not table.has(key) and table.has("kind"):
        table.problem(key, "it is missing", f"Add {key}.")
    return value
