"""What a link weighs: numbers, a simple shape, or a mesh in a file, by mass or by density."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadArgument, MissingExtra, QddotError, did_you_mean, shorten
from qddot.model.arguments import scalar, scalars
from qddot.model.link import NOWHERE, Inertial, Placement
from qddot.model.shapes import (
    SHAPES,
    Moment,
    inertial_of,
    of_box,
    of_cylinder,
    of_sphere,
    of_triangles,
)
from qddot.readers.document_table import DocumentTable
from qddot.scalars import Scalar

# the moments of the shapes that have a volume, of their dimensions
SOLIDS: dict[str, Callable[..., Moment]] = {
    "box": lambda size, axis="x": of_box(size),
    "cylinder": lambda radius, length, axis="x": of_cylinder(radius, 0, length, axis),
    "hollow_cylinder": lambda outer, inner, length, axis="x": of_cylinder(
        outer, inner, length, axis
    ),
    "sphere": of_sphere,
}


def inertia_of(density: Any, solid: str | Path, **dimensions: Any) -> Inertial:
    """Return mass, centre of mass and inertia of a solid, by integrating its density.

    The integrals are exact:

        m = ∫ρ dV        c = (1/m) ∫ρ r dV        I = ∫ρ (rᵀr E − r rᵀ) dV, about c

    Args:
        density: ρ [kg/m³]: a number, or a polynomial in the position x, y, z in the link's frame,
            as a formula like "2700*(1 + x/2)" or of SymPy. It may have symbols.
        solid: "box", "cylinder", "hollow_cylinder" or "sphere", or the path of a mesh: .stl,
            .obj, .dae, .gltf or .glb.
        dimensions: Those of the shape (`qddot.model.shapes`): `size`; `radius`, `length`; `outer`,
            `inner`, `length`; and `axis`, `frame`. Of a file: `scale`, 0.001 where it is in
            millimetres, and `xyz`, `rpy`, where it is in the link's frame.

    Raises:
        MissingExtra: If the file is COLLADA or glTF, and the package that reads it is not
            installed.

    Example:
        >>> inertia_of(1000, "box", size=[1, 2, 3]).mass
        6000.0
    """
    rho = scalar("density", density)
    if str(solid) in SHAPES:
        return of_shape(rho, str(solid), dimensions)
    from qddot.readers.meshes import ENDINGS  # few robots need them

    if Path(solid).suffix.lower() not in ENDINGS:
        hint = did_you_mean(str(solid), SOLIDS)
        raise BadArgument(
            f"solid is {str(solid)!r}; it must be {', '.join(SOLIDS)} or a mesh in a file "
            f"({', '.join(ENDINGS)}).{hint}"
        )
    unknown = set(dimensions) - {"scale", "xyz", "rpy"}
    if unknown:
        raise BadArgument(
            f"{sorted(unknown)[0]} means nothing of a file; there are scale, xyz, rpy."
        )
    xyz, rpy = (scalars(key, dimensions.get(key, NOWHERE), 3) for key in ("xyz", "rpy"))
    return of_mesh(rho, Path(solid), float(dimensions.get("scale", 1)), Placement(xyz, rpy))


def of_shape(density: Scalar, kind: str, dimensions: dict[str, Any]) -> Inertial:
    """Return the inertia of a simple shape of a density."""
    if kind not in SOLIDS:
        raise BadArgument(f"A {kind} has no volume; give its mass, or use {', '.join(SOLIDS)}.")
    known: dict[str, Any] = {
        key: scalars(key, x, 3)
        if key == "size"
        else x
        if key in ("axis", "frame")
        else scalar(key, x)
        for key, x in dimensions.items()
    }
    try:
        centre = SHAPES[kind](1, **known).com
    except TypeError as error:  # a dimension too few or too many
        raise BadArgument(f"{kind}: {str(error).partition('() ')[2]}.") from None
    moment = SOLIDS[kind](**{key: x for key, x in known.items() if key != "frame"})
    return inertial_of(density, moment, centre)


def of_mesh(density: Scalar, path: Path, scale: float, place: Placement) -> Inertial:
    """Return the inertia of what a mesh encloses, placed in the link's frame."""
    from qddot.readers.meshes import read_mesh
    from qddot.readers.meshes.closed import closed

    if not 0 < scale < np.inf:
        raise BadArgument(f"scale is {scale:g}; give a number above 0, 0.001 for millimetres.")
    X = place.pose()
    R, p = (np.array(part, dtype=float) for part in (X.R, X.p))
    corners = closed(path, read_mesh(path).corners) * scale @ R.T
    middle = corners.reshape(-1, 3).mean(axis=0)  # near it, so that little cancels
    return inertial_of(density, of_triangles(corners - middle), tuple((middle + p).tolist()))


# in documents


def inertial(table: DocumentTable) -> Inertial:
    """Return mass with com and inertia (3, 6 or 3×3 numbers) and their rpy, a shape or a mesh."""
    mass, density = table.number("mass", 0), table.number("density", None)
    com, inertia = table.numbers("com", (3,), (0, 0, 0)), table.moments("inertia")
    rpy = table.numbers("inertia_rpy", (3,), (0, 0, 0))
    shape, solids = table.table("shape"), [key for key in ("shape", "mesh") if table.has(key)]
    if density is not None and (table.has("mass") or not solids):
        why = "there is a mass as well" if table.has("mass") else "there is no shape and no mesh"
        table.problem("density", why, "Give a mass, or a density with a shape or a mesh.")
        density = None
    if not solids:
        return Inertial(mass, com, inertia, rpy)
    for key in ("com", "inertia", "inertia_rpy", *solids[1:]):
        if table.has(key):
            remedy = f"Remove {key}, or the {solids[0]}."
            table.problem(key, f"the {solids[0]} says it already", remedy)
    try:
        if shape is not None:
            return shaped(mass, density, shape)
        return meshed(mass, density, table)
    except MissingExtra:
        raise
    except QddotError as error:
        table.problem(solids[0], str(error).rstrip("."), "")
        return Inertial(mass)


def shaped(mass: Scalar, density: Scalar | None, shape: DocumentTable) -> Inertial:
    """Return the inertia of shape = { kind, its dimensions, axis, frame }."""
    kind = shape.text("kind")
    if kind not in SHAPES:
        shape.problem("shape", f"unknown kind {kind!r}", f"Kinds: {', '.join(SHAPES)}.")
        return Inertial(mass)
    arguments = signature(SHAPES[kind]).parameters
    dimensions = [key for key, each in arguments.items() if each.default is each.empty]
    values: dict[str, Any] = {}
    for key in dimensions[1:]:  # after the mass
        values[key] = shape.numbers(key, (3,), None) if key == "size" else shape.number(key, None)
        if not shape.has(key):
            shape.problem("shape", f"the {kind} has no {key}", f"Add {key}.")
    if None in values.values():
        return Inertial(mass)
    if "at" in arguments:
        values["at"] = shape.numbers("at", (3,), (0, 0, 0))
    if "axis" in arguments:
        values["axis"] = shape.text("axis", "x")
        values["frame"] = shape.text("frame", "centre")
    shape.done()
    return SHAPES[kind](mass, **values) if density is None else of_shape(density, kind, values)


def meshed(mass: Scalar, density: Scalar | None, table: DocumentTable) -> Inertial:
    """Return the inertia of mesh = "link.stl", or { file, scale, xyz, rpy }."""
    name, scale, place = table.get("mesh"), 1.0, Placement()
    mesh = None if isinstance(name, str) else table.table("mesh")
    if mesh is not None:
        name, scale, place = mesh.text("file"), float(mesh.number("scale", 1)), mesh.placement()
        mesh.done()
    if not name:
        table.problem("mesh", "it has no file", 'Write mesh = { file = "link.stl" }.')
        return Inertial(mass)
    path, why = table.places.find(name)
    if path is None:
        table.problem("mesh", f"{shorten(name)!r} {why}", "")
        return Inertial(mass)
    if density is None and not table.has("mass"):
        table.problem("mesh", "there is no mass and no density", "Add mass or density.")
        return Inertial(mass)
    found = of_mesh(1 if density is None else density, path, scale, place)
    if density is not None:
        return found
    share = mass / found.mass
    return Inertial(mass, found.com, tuple(share * x for x in found.inertia))
