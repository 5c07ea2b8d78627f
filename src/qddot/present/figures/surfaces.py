"""What a robot looks like: its surfaces as triangles, each carried by one of the moving bodies.

    surfaces = surfaces_of(robot)
    surfaces.parts[0].points      # in the axes of the body that carries it
    surfaces.packed()             # for a page: typed arrays as text

A robot whose file says what it looks like looks like that; any other gets shapes that show its
joints and links. Surfaces made of meshes are kept between runs, since reading and reducing takes
seconds: their name is made of the model and of the bytes of its mesh files, so that a changed
file is read again.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.backends import disk_cache
from qddot.errors import BadFile, MissingExtra, printable
from qddot.model.folding import geometry_on_bodies
from qddot.model.geometry import (
    BoxShape,
    CapsuleShape,
    Colour,
    CylinderShape,
    EllipsoidShape,
    Geometry,
    MeshShape,
    Shape,
    SphereShape,
)
from qddot.model.model import Model
from qddot.present.figures.made_shapes import made_shapes
from qddot.present.figures.shells import Shell, box, capsule, cylinder, from_triangles
from qddot.readers.files import read_bytes
from qddot.readers.meshes.triangles import LARGEST_FILE
from qddot.robot import Robot
from qddot.spatial.pose import Pose

if TYPE_CHECKING:
    from qddot.readers.meshes import MeshWorker, TriangleMesh

SIDES = (36, 28, 20, 14, 10, 7)  # pieces of a whole turn: as many as there is room for
MOST_TRIANGLES = 40_000  # of a robot, as far as coarser shapes can do it
MOST_SHAPES = 1000  # that are drawn
MOST_FINE = 300  # shapes of which the finer ones are tried first
MESH_LEAST = 300  # triangles of a mesh, however little room there is
PLAIN = "#c9ced6"  # what has no colour of its own
OPAQUE = (1.0, 1.0, 1.0, 1.0)
FAINTEST = 0.05  # opacity below which a shape is left out
SHORT = 32767  # what a direction of length one is written as
VERSION = "2"  # of how kept surfaces are made; another one makes them anew
OF_SEVERAL_FILES = (".gltf", ".obj")  # whose points or colours may be in a file beside them
READERS = {  # module: package, whose version decides what is read
    "collada": "pycollada",
    "trimesh": "trimesh",
    "fast_simplification": "fast-simplification",
}
ARRAYS = ("points", "normals", "triangles")


@dataclass(frozen=True)
class Surface:
    """One part of a robot."""

    body: int  # index of the moving body that carries it, -1 for the base
    points: np.ndarray  # (k, 3) [m], in that body's axes
    normals: np.ndarray  # (k, 3), outward
    triangles: np.ndarray  # (m, 3), numbers of points
    colour: str  # "#rrggbb"


@dataclass(frozen=True)
class Surfaces:
    """All parts of a robot, and what could not be shown."""

    parts: tuple[Surface, ...]
    missing: str = ""  # one sentence, or nothing

    def packed(self) -> list[dict[str, Any]]:
        """Return them for a page: float32, int16 and uint16 or uint32 arrays in base64."""
        return [
            {
                "body": part.body,
                "colour": part.colour,
                "points": _text(part.points.astype("<f4")),
                "normals": _text(np.round(SHORT * part.normals).astype("<i2")),
                "triangles": _text(part.triangles.astype("<u2" if few(part.points) else "<u4")),
            }
            for part in self.parts
        ]


def few(points: np.ndarray) -> bool:
    """Return whether two bytes count these points."""
    return len(points) <= 0xFFFF


def surfaces_of(robot: Robot, triangles: int = MOST_TRIANGLES) -> Surfaces:
    """Return what a robot looks like.

    Args:
        robot: Any robot whose parameters are numbers.
        triangles: At most so many, as far as coarser shapes can do it.
    """
    files = _mesh_files(robot.model)
    if files is None:
        return _surfaces_of(robot, triangles)
    readers = [version(READERS[each]) if find_spec(each) else "" for each in READERS]
    name = disk_cache.key("surfaces", VERSION, *readers, triangles, *files, repr(robot.model))
    data = disk_cache.load(name)
    if data is not None:
        return _unpacked(data)
    made = _surfaces_of(robot, triangles)
    if not made.missing:  # another time there may be another package
        disk_cache.store(name, _packed(made))
    return made


def _mesh_files(model: Model) -> list[str] | None:
    """Return digests of the meshes of a model that can be kept; None where there are none."""
    shapes = (x.shape for link in model.links for x in link.visuals)
    files = {x.path: None for x in shapes if isinstance(x, MeshShape) and x.path is not None}
    if not files or any(path.suffix.lower() in OF_SEVERAL_FILES for path in files):
        return None
    try:
        return [sha256(read_bytes(path, LARGEST_FILE)).hexdigest() for path in files]
    except BadFile:
        return None


def _packed(surfaces: Surfaces) -> bytes:
    parts = surfaces.parts
    arrays = {f"{name}{k}": getattr(x, name) for k, x in enumerate(parts) for name in ARRAYS}
    arrays |= {
        "bodies": np.array([part.body for part in parts]),
        "colours": np.array([part.colour for part in parts], dtype=str),
        "missing": np.array(surfaces.missing),
    }
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _unpacked(data: bytes) -> Surfaces:
    with np.load(io.BytesIO(data), allow_pickle=False) as found:
        kinds = zip(found["bodies"].tolist(), found["colours"].tolist(), strict=True)
        parts = tuple(
            Surface(body, **{name: found[f"{name}{k}"] for name in ARRAYS}, colour=colour)
            for k, (body, colour) in enumerate(kinds)
        )
        return Surfaces(parts, str(found["missing"]))


def _surfaces_of(robot: Robot, triangles: int) -> Surfaces:
    from qddot.readers.meshes import MeshWorker

    with MeshWorker() as worker:
        return _made_surfaces(robot, triangles, worker)


def _made_surfaces(robot: Robot, triangles: int, worker: MeshWorker) -> Surfaces:
    every = {_seen(*each): each for each in geometry_on_bodies(robot.model, robot.tree)}  # once
    shapes = [*every.values()][:MOST_SHAPES]
    meshes = {k: found for k, found in enumerate(shapes) if isinstance(found[2].shape, MeshShape)}
    read, problems = _read(meshes, worker)
    # what carries a mesh that is missing, and what has no shape at all, is shown as it is made
    bare = {shapes[k][0] for k in problems} if len(shapes) > len(problems) else None
    found: list[Surface] = []
    for sides in SIDES if len(shapes) < MOST_FINE else SIDES[-1:]:
        found = [*_drawn(shapes, sides), *_made(robot, bare, sides)]
        if _count(found) <= triangles / (2 if read else 1):
            break
    room = max(triangles - _count(found), MESH_LEAST)
    total = sum(len(mesh.triangles) for mesh in read.values()) or 1
    for k, mesh in read.items():
        share = max(int(room * len(mesh.triangles) / total), MESH_LEAST)
        found += _mesh_parts(shapes[k], mesh, share, worker)
    # shapes without size and what is see-through show nothing
    found = [x for x in found if len(x.triangles)] or [*_made(robot, None, SIDES[0])]
    missing = missing_sentence([*problems.values()])
    if len(every) > MOST_SHAPES:
        missing = f"Only {MOST_SHAPES} of {len(every)} shapes are shown. {missing}".strip()
    return Surfaces(tuple(found), missing)


def _seen(body: int, X_BG: Pose, geometry: Geometry) -> tuple:
    """Return what two shapes share that look alike in one place."""
    place = (np.asarray(x, float).tobytes() for x in (X_BG.R, X_BG.p))
    return (body, *place, geometry.shape, geometry.colour)


PlacedShape = tuple[int, Pose, Geometry]  # the body that carries a shape, where on it, the shape


def _read(
    meshes: dict[int, PlacedShape], worker: MeshWorker
) -> tuple[dict[int, TriangleMesh], dict[int, str]]:
    """Return the meshes that can be read, and why the others cannot, by their numbers."""
    if not meshes:
        return {}, {}
    from qddot.readers.meshes import read_mesh

    read: dict[int, TriangleMesh] = {}
    problems: dict[int, str] = {}
    known: dict[Path, TriangleMesh] = {}
    for k, (_, _, geometry) in meshes.items():
        shape = geometry.shape
        assert isinstance(shape, MeshShape)
        try:
            if shape.path is None:
                problems[k] = f"{shape.file}: {shape.why_missing or 'it was not found'}"
            else:
                known[shape.path] = known.get(shape.path) or read_mesh(shape.path, worker)
                read[k] = known[shape.path]
        except BadFile as problem:
            problems[k] = str(problem).splitlines()[0]
        except MissingExtra as problem:
            why, _, command = str(problem).partition(".\n  Install it with: ")
            problems[k] = f"{why}: {command}"
    return read, problems


def missing_sentence(problems: list[str]) -> str:
    """Return what could not be shown, as one sentence, or nothing."""
    if not problems:
        return ""
    count = len(problems)
    words = "A mesh is" if count == 1 else f"{count} meshes are"
    first = min(problems, key=lambda words: "pip install" not in words)  # what helps at once
    return printable(f"{words} not shown, simple shapes are in their place ({first}).")


def _drawn(shapes: list[PlacedShape], sides: int) -> Iterator[Surface]:
    """Yield the shapes of a file that are no meshes."""
    for body, X_BG, geometry in shapes:
        shell = _shell(geometry.shape, sides)
        if shell is not None and (geometry.colour or OPAQUE)[3] > FAINTEST:
            yield Surface(body, *shell.placed(X_BG.R, X_BG.p), _hex(geometry.colour))


def _shell(shape: Shape, sides: int) -> Shell | None:
    match shape:
        case BoxShape(size) if min(size) > 0:
            return box(size, arc=2 if sides < SIDES[0] else 3)
        case CylinderShape(radius, length) if min(radius, length) > 0:
            return cylinder(float(radius), float(length), sides)
        case SphereShape(radius) if radius > 0:
            return capsule(float(radius), 0.0, sides)
        case CapsuleShape(radius, length) if radius > 0:
            return capsule(float(radius), float(length), sides)
        case EllipsoidShape(radii) if min(radii) > 0:
            ball, half = capsule(1.0, 0.0, sides), np.array(radii, dtype=float)
            normals = ball.normals / half
            normals /= np.linalg.norm(normals, axis=1, keepdims=True)
            return Shell(ball.points * half, normals, ball.triangles)
    return None


def _made(robot: Robot, bare: set[int] | None, sides: int) -> Iterator[Surface]:
    """Yield shapes made from the skeleton: of all bodies (None), or of those that are named."""
    if bare == set():
        return
    travel = np.column_stack(robot.limits.span(most=1.0))
    for body, shell, colour in made_shapes(robot.tree, travel, sides):
        if bare is None or body in bare:
            yield Surface(body, *shell, colour)


def _mesh_parts(
    shown: PlacedShape, mesh: TriangleMesh, triangles: int, worker: MeshWorker
) -> Iterator[Surface]:
    """Yield a mesh, a surface for each of its colours."""
    from qddot.readers.meshes.reduction import reduced
    from qddot.readers.meshes.triangles import distinct

    body, X_BG, geometry = shown
    assert isinstance(geometry.shape, MeshShape)
    scale = np.array(geometry.shape.scale, dtype=float)
    small = reduced(distinct(mesh), triangles, worker)
    points = small.points * scale
    corners = small.triangles[:, :: -1 if np.prod(scale) < 0 else 1]
    colours = None if geometry.colour else small.colours
    kinds = np.zeros((len(corners), 1)) if colours is None else np.round(colours * 31)
    _, of = np.unique(kinds, axis=0, return_inverse=True)
    for k in range(int(of.max()) + 1):
        own = of.reshape(-1) == k
        shell = from_triangles(points, corners[own]).placed(X_BG.R, X_BG.p)
        colour = geometry.colour if colours is None else (*colours[own].mean(axis=0), 1.0)
        yield Surface(body, *shell, _hex(colour))


def _hex(colour: Colour | None) -> str:
    if colour is None:
        return PLAIN
    red, green, blue = (round(255 * min(max(float(x), 0.0), 1.0)) for x in colour[:3])
    return f"#{red:02x}{green:02x}{blue:02x}"


def _count(parts: list[Surface]) -> int:
    return sum(len(part.triangles) for part in parts)


def _text(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
