"""Which meshes of a model are needed: those whose volume is the mass of a body, and no others.

Meshes that only show or collide are taken out before MuJoCo compiles the model, so that they are
neither opened nor missed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any

from qddot.errors import Problem, shorten
from qddot.model.structure import place
from qddot.readers.mjcf.source import MjcfSource, is_file


def without_needless_meshes(spec: Any, source: MjcfSource, mujoco: ModuleType) -> list[Problem]:
    """Take meshes and height fields out of a spec; return which bodies miss one they need."""
    assets = {mesh.name: mesh for mesh in spec.meshes}
    kept: set[str] = set()
    problems = []
    for body, moves in walk(spec.worldbody):
        missing: dict[str, str] = {}  # from the name of a mesh to why it cannot be had
        for geom in list(body.geoms):
            name = geom.meshname
            if not name and geom.type != mujoco.mjtGeom.mjGEOM_HFIELD:
                continue
            needed = name and body.name != "world" and weighs(geom, body, spec, mujoco)
            why = why_unreadable(assets.get(name), spec, source) if needed else None
            if needed and why is None:
                kept.add(name)
                continue
            if why is not None:
                missing[name] = why
            spec.delete(geom)
        if missing:
            problems.append(mesh_problem(body, missing, moves, spec, source))
    for asset in [*(mesh for name, mesh in assets.items() if name not in kept), *spec.hfields]:
        spec.delete(asset)
    return problems


def walk(world: Any) -> Iterator[tuple[Any, bool]]:
    """Yield every body, each with whether it can move."""
    waiting = [(world, False)]
    while waiting:
        body, moves = waiting.pop()
        yield body, moves
        waiting += [(child, moves or bool(child.joints)) for child in reversed(body.bodies)]


def weighs(geom: Any, body: Any, spec: Any, mujoco: ModuleType) -> bool:
    """Return whether the mass of a body depends on one of its geoms."""
    rules, rule = compiler(body, spec), mujoco.mjtInertiaFromGeom
    if rules.inertiafromgeom == rule.mjINERTIAFROMGEOM_FALSE:
        return False
    if rules.inertiafromgeom == rule.mjINERTIAFROMGEOM_AUTO and body.explicitinertial:
        return False
    low, high = rules.inertiagrouprange
    amount = geom.density if math.isnan(geom.mass) else geom.mass
    return low <= geom.group <= high and amount != 0


def why_unreadable(mesh: Any, spec: Any, source: MjcfSource) -> str | None:
    """Return why a mesh cannot be had, or None if it can."""
    if mesh is None:
        return "is not among the assets"
    if not mesh.file:
        return None  # its points are in the model
    file = PurePosixPath(mesh.file).name if spec.strippath else mesh.file
    folder = getattr(compiler(mesh, spec), "meshdir", spec.meshdir)
    if source.absolute & {mesh.file, folder}:
        return "is named by an absolute path and not opened"
    # a path that MuJoCo has made absolute itself, in an included file, starts nowhere else
    if any(is_file(start / folder / file) for start in source.folders):
        return None
    return f"({shorten(str(PurePosixPath(folder, file)))}) does not exist"


def compiler(element: Any, spec: Any) -> Any:
    """Return the <compiler> that counts for an element; a submodel keeps its own."""
    return getattr(element, "compiler", spec.compiler)


def mesh_problem(
    body: Any, missing: dict[str, str], moves: bool, spec: Any, source: MjcfSource
) -> Problem:
    """Return what to say about a body whose mass is in meshes that cannot be had."""
    file, line = source.line("body", body.name, body.info)
    where = place("body", body.name) if body.name else "a body without a name"
    mesh, why = next(iter(missing.items()))
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    what = f"mesh {shorten(mesh)!r}, which {why}{more}"
    # where all masses are scaled to a total, each one counts
    if moves or getattr(spec.compiler, "settotalmass", 0) > 0:
        remedy = "Give the body an <inertial>, or put the mesh there."
        return Problem("error", where, f"its mass is that of {what}", remedy, line, file)
    remedy = "It does not move, so no torque depends on it."
    return Problem("note", where, f"its mass leaves out {what}", remedy, line, file)
