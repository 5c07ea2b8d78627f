"""COLLADA and glTF files, which `trimesh` reads in a process with little time and memory.

That process is given bytes and opens no file. `read_xml` refuses the entities of COLLADA, pictures
are taken out, and the buffers of a glTF file are put into its text; those outside the file must be
in its folder. `up_axis` of COLLADA turns nothing: rviz and Pinocchio take the numbers as they are.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote

import numpy as np

from qddot.errors import BadArgument, BadFile, Defect, MissingExtra, QddotError, shorten
from qddot.readers.files import read_bytes
from qddot.readers.meshes.triangles import (
    EXPORT,
    LARGEST_FILE,
    PLAIN,
    MeshPart,
    check_text,
    numbers_in,
)
from qddot.readers.places import inside
from qddot.readers.xml import Element, read_xml
from qddot.workers import ResourceLimits, Worker

SECONDS = 60  # for one surface; the largest that we know of take five
LIMITS = ResourceLimits(memory=4 * 10**9, file=0, processes=0)
SCHEMA = "http://www.collada.org/2005/11/COLLADASchema"
SKIPPED = {
    *("library_animations", "library_lights", "library_cameras", "extra"),
    *("library_controllers", "instance_controller", "instance_light", "instance_camera"),
    *("lines", "linestrips", "lookat", "skew", "emission", "bump"),
}
NUMBERS = {"float_array", "matrix", "rotate", "scale", "translate"}
POLYGONS = {"triangles", "polylist", "polygons", "tristrips", "trifans"}
KEPT = ("scene", "scenes", "meshes", "accessors", "bufferViews")  # of a glTF file
NODE = ("mesh", "children", "matrix", "translation", "rotation", "scale")
EXTENSIONS = ("KHR_mesh_quantization", "KHR_materials_unlit")  # that change no surface
MODES = range(6)  # points, lines, triangles and strips: not fans
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942


class MeshWorker:
    """A process that reads and reduces the surfaces of a robot; one that ends is replaced."""

    def __init__(self) -> None:
        self.worker: Worker | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self.end()

    def end(self) -> None:
        """End the process, if there is one."""
        if self.worker is not None:
            self.worker.end()
        self.worker = None

    def parts(self, path: Path, data: bytes) -> list[MeshPart]:
        """Return the pieces of a COLLADA or glTF file, in metres.

        Raises:
            BadFile: If it cannot be read.
            MissingExtra: If a package that reads it is not installed.
        """
        is_collada = path.suffix.lower() == ".dae"
        text, metre = collada(path, data) if is_collada else (gltf(path, data), 1.0)
        for package, module in (("trimesh", "trimesh"), ("pycollada", "collada"))[: 1 + is_collada]:
            if find_spec(module) is None:
                raise MissingExtra(f"Reading {path.name}", package, "meshes")
        kind = "dae" if is_collada else "gltf"
        found = self.ask("read", kind, text)
        if found is None:
            why = "reading it takes too much time or memory"
            raise BadFile(path, why, "Export it with fewer triangles.")
        if isinstance(found, str):
            raise BadFile(path, f"it is no valid .{kind} file ({shorten(found, 160)})", EXPORT)
        return [
            MeshPart(metre * rows(points, float), rows(triangles, np.int64), colour)
            for points, triangles, colour in found
        ]

    def simplified(self, part: MeshPart, most: int, keep_rims: bool) -> MeshPart | None:
        """Return a piece with about so many triangles; None if that fails."""
        points, triangles = part.points.astype(float), part.triangles.astype(np.int64)
        try:
            found = self.ask("simplified", points.tobytes(), triangles.tobytes(), most, keep_rims)
        except Defect:  # of the other package
            return None
        return found and MeshPart(rows(found[0], float), rows(found[1], np.int64))

    def ask(self, job: str, *arguments: Any) -> Any:
        """Return what a function of `jobs` returns; None if it takes too much time or memory."""
        if self.worker is None:
            self.worker = Worker(limits=LIMITS, private=True, one_thread=True)
        self.worker.ask(f"qddot.readers.meshes.jobs:{job}", *arguments)
        try:
            return self.worker.result(SECONDS)
        except BadArgument:  # there was not enough memory
            return None
        except (TimeoutError, EOFError):
            self.end()
            return None


def rows(data: bytes, kind: type) -> np.ndarray:
    """Return rows of three numbers."""
    return np.frombuffer(data, kind).reshape(-1, 3)


def collada(path: Path, data: bytes) -> tuple[bytes, float]:
    """Return a COLLADA file with what is read of it, and its unit in metres.

    Numbers that `pycollada` takes for others without a word are refused or written anew.
    """
    check_text(path, data)
    root = read_xml(data, str(path), SKIPPED.__contains__, longest_text=len(data))
    if root.tag != "COLLADA":
        raise BadFile(path, f"it begins with <{shorten(root.tag, 40)}>", EXPORT, root.line)
    metre = 1.0
    for element in every(root):
        where, words = element.line, element.attributes
        if element.tag == "unit":
            found = numbers_in(path, words.get("meter", "1"), float, where)
            metre = float(found[0]) if len(found) == 1 else 0.0
            if not 0 < metre < 1e6:
                raise BadFile(path, f"its unit is {metre:g} m", EXPORT, where)
        elif element.tag in NUMBERS:
            found = numbers_in(path, element.text, float, where)
            if not np.isfinite(found).all() or np.abs(found).max(initial=0) > 1e30:
                raise BadFile(path, f"<{element.tag}> has what is no number", EXPORT, where)
            if element.tag == "rotate":  # of an axis of any length
                axis = found[:3] / (np.linalg.norm(found[:3]) or 1.0)
                element.words = [" ".join(map(repr, [*axis.tolist(), *found[3:].tolist()]))]
        elif element.tag == "accessor":  # it may leave its axes out
            axes = element.children or [Element("param", {"name": x}, where) for x in "XYZ"]
            if words.get("stride", "1") != str(len(axes)) or words.get("offset", "0") != "0":
                raise BadFile(path, "points are not one after the other", EXPORT, where)
            element.children = axes
        elif element.tag == "diffuse" and any(x.tag == "texture" for x in element.children):
            plain = " ".join(map(str, [*PLAIN, 1.0]))  # pictures are not read
            element.children = [Element("color", {}, where, words=[plain])]
        elif element.tag == "ph":  # of a polygon with holes, what is around them
            element.tag, element.words = "p", element.children[0].words if element.children else []
            element.children = []
        elif element.tag == "mesh":
            check_polygons(path, element)
    root.attributes = {"xmlns": SCHEMA, "version": "1.4.1"}
    if all(child.tag != "scene" for child in root.children):
        root.children += scene_of(root)
    return root.written().encode(), metre


def scene_of(root: Element) -> list[Element]:
    """Return what shows the first scene of a file that names none; without one, every geometry."""

    def made(tag: str, *children: Element, **attributes: str) -> Element:
        return Element(tag, attributes, root.line, list(children))

    every_id = {tag: [] for tag in ("visual_scene", "geometry")}
    for element in every(root):
        if element.tag in every_id:
            every_id[element.tag].insert(
                0, element.attributes.get("id", "")
            )  # the last comes first
    if scenes := every_id["visual_scene"]:
        return [made("scene", made("instance_visual_scene", url=f"#{scenes[0]}"))]
    shown = [made("instance_geometry", url=f"#{name}") for name in every_id["geometry"]]
    library = made("library_visual_scenes", made("visual_scene", made("node", *shown), id="all"))
    return [library, made("scene", made("instance_visual_scene", url="#all"))]


def check_polygons(path: Path, mesh: Element) -> None:
    """Raise BadFile for indices that are none; leave points alone of what corners have."""
    points = [x for x in every(mesh) if x.attributes.get("semantic") == "POSITION"]
    for polygons in mesh.children:
        used = [x for x in polygons.children if x.tag == "input"]
        if polygons.tag not in POLYGONS or not points or not used:
            continue
        offsets = [x.attributes.get("offset", "0") for x in used]
        indices = [x.text.split() for x in every(polygons) if x.tag == "p"]
        counts = [x.text.split() for x in polygons.children if x.tag == "vcount"]
        if not all(map(is_index, [*offsets, *chain(*indices, *counts)])):
            raise BadFile(path, "a polygon has a point that is not there", EXPORT, polygons.line)
        if counts:
            corners = sum(map(len, indices)) // (1 + max(map(int, offsets)))
            if sum(map(int, chain(*counts))) != corners:
                why = "its polygons have other counts of corners than it says"
                raise BadFile(path, why, EXPORT, polygons.line)
        for each in used:
            if each.attributes.get("semantic") != "VERTEX":
                source = points[0].attributes.get("source", "")
                each.attributes |= {"semantic": "BINORMAL", "source": source}


def is_index(word: str) -> bool:
    """Return whether a word is a whole number from 0 on that 32 bits hold."""
    return word.isascii() and word.isdigit() and len(word) < 9


def every(root: Element) -> Iterator[Element]:
    """Yield an element and all in it."""
    waiting = [root]
    while waiting:
        yield (element := waiting.pop())
        waiting += element.children


def gltf(path: Path, data: bytes) -> bytes:
    """Return a glTF file with its buffers, and without pictures and what else is not read."""
    text, binary = (data, b"") if data[:4] != b"glTF" else chunks(path, data)
    check_text(path, text)
    try:
        document = json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError):
        raise BadFile(path, "it is not JSON, so it is no glTF file", EXPORT) from None
    if not isinstance(document, dict) or "asset" not in document:
        raise BadFile(path, "it has no asset, so it is no glTF file", EXPORT)
    try:
        for name in document.get("extensionsRequired", []):
            if name not in EXTENSIONS:
                why = f"it needs the extension {shorten(str(name), 60)}, which is not read"
                raise BadFile(path, why, "Export it without compression.")
        for accessor in document.get("accessors", []):
            if "sparse" in accessor or accessor.get("normalized"):
                why = "it has sparse or normalized numbers, which are not read"
                raise BadFile(path, why, EXPORT)
        for mesh in document.get("meshes", []):
            if any(each.get("mode", 4) not in MODES for each in mesh["primitives"]):
                raise BadFile(path, "it has fans of triangles, which are not read", EXPORT)
        room, buffers = [LARGEST_FILE], []
        for buffer in document.get("buffers", []):
            numbers = buffer_of(path, buffer.get("uri"), binary, room)
            coded = base64.b64encode(numbers).decode()
            buffers.append({"uri": "data:application/octet-stream;base64," + coded})
        nodes = [
            {key: each[key] for key in NODE if key in each} for each in document.get("nodes", [])
        ]
        colours = [
            each.get("pbrMetallicRoughness", {}).get("baseColorFactor")
            for each in document.get("materials", [])
        ]
    except (LookupError, TypeError, AttributeError) as error:
        why = f"it is no valid glTF file ({shorten(f'{type(error).__name__}: {error}', 80)})"
        raise BadFile(path, why, EXPORT) from None
    kept: dict[str, Any] = {key: document[key] for key in KEPT if key in document}
    kept |= {"asset": {"version": "2.0"}, "buffers": buffers, "nodes": nodes}
    kept["materials"] = [
        {"pbrMetallicRoughness": {"baseColorFactor": x} if x else {}} for x in colours
    ]
    return json.dumps(kept).encode()


def no_number(word: str) -> None:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{word} is no number")


def buffer_of(path: Path, uri: Any, binary: bytes, room: list[int]) -> bytes:
    """Return the bytes of a buffer: in the file, in its text, or in a file of its folder."""
    if uri is None:
        return binary
    head, _, coded = str(uri).partition(",")
    if head.startswith("data:"):
        try:
            return base64.b64decode(coded, validate=True)
        except ValueError:
            raise BadFile(path, "a buffer is no base64", EXPORT) from None
    try:
        file, why = inside(path.parent, path.parent / unquote(str(uri)))
    except (OSError, ValueError):
        file, why = None, "is no name of a file"
    if file is None:
        raise BadFile(path, f"its buffer {shorten(str(uri), 60)!r} {why}", "Put it beside it.")
    try:
        data = read_bytes(file, room[0])
    except QddotError as error:
        raise BadFile(path, f"its buffer: {error}", "") from None
    room[0] -= len(data)
    return data


def chunks(path: Path, data: bytes) -> tuple[bytes, bytes]:
    """Return the JSON and the numbers of a .glb file."""
    found, at = {}, 12
    while at + 8 <= len(data):
        size, kind = (int.from_bytes(data[at + k : at + k + 4], "little") for k in (0, 4))
        if at + 8 + size > len(data):
            raise BadFile(path, "it is cut off", EXPORT)
        found.setdefault(kind, data[at + 8 : at + 8 + size])
        at += 8 + size
    if JSON_CHUNK not in found:
        raise BadFile(path, "it has no JSON chunk, so it is no .glb file", EXPORT)
    return found[JSON_CHUNK], found.get(BINARY_CHUNK, b"")
