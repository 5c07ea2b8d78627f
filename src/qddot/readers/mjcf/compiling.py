"""Compiling a file with MuJoCo, without what neither moves nor has mass; its errors as ours.

Meshes that only show or collide are taken out before, so that they are neither opened nor missed:
needed are those whose volume is the mass of a body, and no others.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

from qddot.errors import BadFile, BadRobot, MissingExtra, Problem, QddotError, Severity, shorten
from qddot.model.structure import place
from qddot.readers.mjcf.geoms import MeshAsset, compiler, geoms_of, mesh_folder, stand_in
from qddot.readers.mjcf.numbers import impossible_inertias, typed_matrix
from qddot.readers.mjcf.source import MjcfSource, is_file
from qddot.workers import ResourceLimits, Worker

# arrays that a file may ask for in any size, and that are not wanted
SIZES = ("nuserdata", "nkey")
MEMORY = 2**28  # [bytes] of address space for MuJoCo's own trial run; a file may ask for any
AUTOMATIC_SIZES = (
    *("nuser_body", "nuser_jnt", "nuser_geom", "nuser_site", "nuser_cam"),
    *("nuser_tendon", "nuser_actuator", "nuser_sensor"),
)
SECONDS = 60  # for reading a file
LIMITS = ResourceLimits(memory=4 * 10**9)
MOST_DELETED = 10_000_000  # times the elements: each deletion looks at all of them
# nothing in these changes how a robot moves on its own
UNWANTED = (
    *("keys", "sensors", "pairs", "excludes", "numerics", "tuples", "texts"),
    *("skins", "textures", "lights", "cameras"),
)
# what a spec calls the elements of each kind, and where the file has them
KINDS = {
    "body": ("bodies", "body"),
    "joint": ("joints", "joint"),
    "site": ("sites", "site"),
    "constraint": ("equalities", "equality"),
    "tendon": ("tendons", "tendon"),
    "actuator": ("actuators", "actuator"),
}
NEED_A_NAME = ("body", "joint")


@dataclass(frozen=True)
class MujocoModel:
    """A file as MuJoCo has understood it."""

    mujoco: ModuleType
    spec: Any  # mujoco.MjSpec
    model: Any  # mujoco.MjModel
    names: Names
    problems: tuple[Problem, ...]
    name: str
    typed: dict[int, tuple[float, ...]]  # the inertia matrices as the file has them
    source: MjcfSource
    geoms: list[tuple[Any, str]]  # of the spec, each with the name of its mesh
    meshes: dict[str, MeshAsset]  # by name
    home: tuple[float, ...] = ()  # qpos of its keyframe "home"

    def disabled(self, *kinds: str) -> bool:
        """Return whether the file switches off one of these kinds of forces."""
        bits = self.mujoco.mjtDisableBit
        flags = [getattr(bits, f"mjDSBL_{kind}", 0) for kind in kinds]  # not in every release
        return any(int(self.model.opt.disableflags) & int(flag) for flag in flags)


def mujoco_module() -> ModuleType:
    """Return the mujoco package, loaded on first use."""
    try:
        mujoco: Any = import_module("mujoco")
    except ImportError:
        raise MissingExtra("Reading MJCF", "mujoco", "mjcf") from None
    if not hasattr(mujoco.MjSpec, "delete"):
        raise MissingExtra("Reading MJCF", "mujoco 3.4 or later", "mjcf")
    return mujoco


def compile_source(source: MjcfSource) -> MujocoModel:
    """Return what MuJoCo makes of a file.

    Raises:
        MissingExtra: If MuJoCo is not installed.
        BadFile: If it does not accept the file.
        BadRobot: If a body's mass is in a mesh that is missing.
    """
    mujoco = mujoco_module()
    if source.submodels:
        survive(source.path)
    path, failures = source.path, (ValueError, RuntimeError, MemoryError, mujoco.FatalError)
    with quiet(mujoco):
        try:
            spec = mujoco.MjSpec.from_file(str(path))
        except failures as error:
            raise refused(path, error) from None
        name = path.stem if spec.modelname in ("", "MuJoCo Model") else spec.modelname
        homes = [tuple(float(x) for x in key.qpos) for key in spec.keys if key.name == "home"]
        strip(spec, source)
        bodies = [body for body, _ in walk(spec.worldbody)]
        geoms = [each for body in bodies for each in geoms_of(body, mujoco)]
        meshes = {mesh.name: MeshAsset.of(mesh, spec) for mesh in spec.meshes}
        problems = without_needless_meshes(spec, source, mujoco)
        if any(problem.severity == "error" for problem in problems):
            raise BadRobot(name, problems)
        typed = [(body, typed_matrix(body)) for body in spec.bodies]  # compiling may forget them
        try:
            model = spec.compile()
        except failures as error:
            # MuJoCo names only the first one, without a reason
            wrong = list(impossible_inertias(spec, source)) if "inertia" in str(error) else []
            raise (BadRobot(name, wrong) if wrong else refused(path, error)) from None
    matrices = {body.id: matrix for body, matrix in typed}
    names = names_of(spec, source)
    home = homes[0] if homes else ()
    shapes = source, geoms, meshes
    return MujocoModel(mujoco, spec, model, names, tuple(problems), name, matrices, *shapes, home)


@contextmanager
def quiet(mujoco: ModuleType) -> Iterator[None]:
    """Keep MuJoCo from printing warnings and from leaving MUJOCO_LOG.TXT behind."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        mujoco.set_mju_user_warning(before)


def refused(path: Path, error: Exception) -> BadFile:
    """Return MuJoCo's complaint as ours, with its line."""
    text = str(error)
    memory = "unknown exception" in text or "allocate memory" in text
    if memory or isinstance(error, MemoryError):
        return BadFile(path, "MuJoCo ran out of memory over it", "Is it the right file?")
    line = re.search(r"\bline (\d+)", text, re.IGNORECASE)
    element = re.search(r"Element (?:name )?'([^'\n]+)'", text)
    why = re.sub(r"^(?:(?:XML )?Error: |Schema violation: )+", "", text.split("\nElement")[0])
    why = " ".join(why.split()).rstrip(".")
    at = f" ({shorten(element[1])!r})" if element else ""
    number = int(line[1]) if line and int(line[1]) else None
    return BadFile(
        path, f"MuJoCo does not accept it: {shorten(why, 200)}{at}", "Correct it.", number
    )


def read_once(path: str) -> None:
    """Read a file with MuJoCo and forget it; runs in a worker."""
    mujoco_module().MjSpec.from_file(path)


def survive(path: Path) -> None:
    """Raise BadFile if MuJoCo crashes over a file, which it may where one model is in another."""
    with Worker(limits=LIMITS) as worker:
        worker.ask("qddot.readers.mjcf.compiling:read_once", str(path.absolute()))
        try:
            worker.result(SECONDS)
        except (TimeoutError, EOFError):
            raise BadFile(path, "MuJoCo crashes over it", "Does a model hold itself?") from None
        except QddotError:  # of MuJoCo, which says it again here
            return


def strip(spec: Any, source: MjcfSource) -> None:
    """Take out of a spec what does not move and does not weigh."""
    count = sum(len(getattr(spec, name)) for name in (*UNWANTED, "meshes"))
    if count * source.elements > MOST_DELETED:
        why = f"it has {count} meshes, sensors and other parts that do not move in all its elements"
        raise BadFile(source.path, f"{why}, which are too many", "Leave out what is not needed.")
    spec.compiler.fusestatic = False  # it would lose the names of bodies
    spec.compiler.usethread = False
    for name in SIZES:
        setattr(spec, name, 0)
    for name in AUTOMATIC_SIZES:
        setattr(spec, name, -1)
    spec.memory = MEMORY
    for actuator in spec.actuators:
        actuator.actdim = min(actuator.actdim, 1)
        actuator.userdata = []
    for material in spec.materials:
        material.textures = ["" for _ in material.textures]
    for name in UNWANTED:
        for element in list(getattr(spec, name)):
            spec.delete(element)


@dataclass
class Names:
    """What each element is called and where it stands, by its kind and MuJoCo's number of it."""

    names: dict[tuple[str, int], str]
    places: dict[tuple[str, int], tuple[str, int | None]]  # the file, if an included one; the line
    taken: set[str]

    def body(self, i: int) -> str:
        """Return the name of a body."""
        return self.names["body", i]

    def joint(self, i: int) -> str:
        """Return the name of a joint."""
        return self.names["joint", i]

    def line(self, kind: str, i: int) -> int | None:
        """Return the line of an element, if it is in the file itself."""
        file, line = self.places.get((kind, i), ("", None))
        return None if file else line

    def problem(self, severity: Severity, kind: str, i: int, message: str, remedy: str) -> Problem:
        """Return a problem of an element."""
        file, line = self.places.get((kind, i), ("", None))
        name = self.names.get((kind, i))
        where = f"{kind} {shorten(name)!r}" if name else f"{kind} number {i + 1}"
        return Problem(severity, where, message, remedy, line, file)

    def new(self, wanted: str) -> str:
        """Return a name that nothing has yet: the wanted one, or one like it."""
        while wanted in self.taken:
            wanted += "_"
        self.taken.add(wanted)
        return wanted


def names_of(spec: Any, source: MjcfSource) -> Names:
    """Return the names of a compiled spec's elements; bodies and joints without one get one."""
    names, places = {}, {}
    for kind, (group, section) in KINDS.items():
        for element in getattr(spec, group):
            names[kind, element.id] = element.name
            places[kind, element.id] = source.line(section, element.name, element.info)
    result = Names(names, places, set(names.values()))
    for kind, i in names:
        if kind in NEED_A_NAME and not names[kind, i]:
            names[kind, i] = result.new(f"{kind}{i}")
    return result


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
            if name:
                stand_in(geom, mujoco)
            else:
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
    folder = mesh_folder(mesh, spec)
    if source.absolute & {mesh.file, folder}:
        return "is named by an absolute path and not opened"
    # a path that MuJoCo has made absolute itself, in an included file, starts nowhere else
    if any(is_file(start / folder / file) for start in source.folders):
        return None
    return f"({shorten(str(PurePosixPath(folder, file)))}) does not exist"


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
