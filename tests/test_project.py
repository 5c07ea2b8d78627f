"""Contracts of the project itself: exports, files, layers, imports, built-in robots."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import qddot
from qddot.model.joints import MOTIONS

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src" / "qddot"
MODULES = sorted(SRC.rglob("*.py"))

MAX_LINES = 400

# lowest first; the modules of the first layer share one room
GROUND = (
    *("scalars", "errors", "checks"),
    *("blas_threads", "on_demand", "plain_text", "progress", "results"),
    *("robot_formats", "runge_kutta", "saving", "vendored", "worker_process", "workers"),
)
LAYERS = (
    GROUND,
    ("spatial",),
    ("model",),
    ("readers", "writers", "dynamics", "formulations"),
    ("program",),
    ("backends",),
    ("equations",),
    ("kinematics",),
    ("robot",),
    ("motions",),
    ("timeseries",),
    ("simulation", "certificate", "doctor", "speed"),
    ("identification", "control", "workspace"),
    ("exporting", "sweeps", "exercises"),
    ("present",),  # how results look; they reach it through `results`
    ("plot",),
    ("studio",),
    ("cli", "__main__", "__init__"),
)
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}

NUMERICS = {
    "numpy",
    "llvmlite",
    "sympy",
    "scipy",
    "pandas",
    "cvxpy",
    "jax",
    "torch",
    "mujoco",
    "pinocchio",
}
LOADED_ON_FIRST_USE = NUMERICS | {"flint", "matplotlib", "rich", "typer", "websockets"}


def test_every_exported_name_exists():
    missing = [name for name in qddot.__all__ if not hasattr(qddot, name)]
    assert not missing, f"qddot.__all__ lists names that do not exist: {missing}"
    assert len(set(qddot.__all__)) == len(qddot.__all__)


def test_no_module_is_empty():
    """A package's __init__ may be its docstring alone; any other module holds code."""
    empty = [relative(path) for path in MODULES if is_empty(path)]
    assert not empty, f"empty modules: {empty}"


def test_no_file_is_too_long():
    lengths = {relative(path): len(source(path).splitlines()) for path in MODULES}
    long = {path: n for path, n in lengths.items() if n > MAX_LINES}
    assert not long, f"more than {MAX_LINES} lines, so more than one idea: {long}"


def test_every_room_has_a_layer():
    unplaced = {room_of(path) for path in MODULES} - LEVEL.keys()
    assert not unplaced, f"give these rooms a place in LAYERS: {sorted(unplaced)}"


def test_every_room_is_told_of_in_contributing():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = page.partition("```text\n")[2].partition("```")[0]
    named = set(re.findall(r"\w+", re.sub(r"  +.*", "", listed, flags=re.MULTILINE)))
    assert LEVEL.keys() - named <= {"__main__", "__init__"}


def test_layers_point_one_way():
    """A module imports from its own room and from lower layers; lazy imports count too."""
    upward = [
        f"{relative(path)}:{line} imports {target}"
        for path in MODULES
        for line, target in imported_rooms(path)
        if not may_import(room_of(path), target)
    ]
    assert not upward, "imports against the layers:\n  " + "\n  ".join(upward)


def test_the_name_of_a_type_means_one_thing():
    """Two modules may not define classes or aliases of one name; private ones may repeat."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in parsed(path).body:
            match node:
                case ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                    if re.match("[A-Z].*[a-z]", name):
                        places.setdefault(name, []).append(f"{relative(path)}:{node.lineno}")
    # entries of a matrix, products of powers, shapes of arrays: the same in both places
    alike = {"Entries", "Monomial", "Shape"}
    repeated = {k: found for k, found in places.items() if len(found) > 1 and k not in alike}
    assert not repeated, f"give all but one of each another name: {repeated}"


def test_no_kind_of_joint_is_named_outside_its_file():
    """To others a joint is its S, roles and units; files and drawings know kinds by name."""
    known = ("model/joints/", "readers/", "writers/", "present/terminal/robots.py", "speed.py")
    known += ("exercises/made_arms.py",)  # writes rows of a robot file
    # a second opinion on how they move, which must not ask the classes
    known += ("formulations/virtual_work.py",)
    classes = {kind.__name__ for kind in MOTIONS.values()}
    names = {*MOTIONS, *classes}
    named = [
        f"{relative(path)}:{node.lineno} names {word!r}"
        for path in MODULES
        if not path.relative_to(SRC).as_posix().startswith(known)
        if any(name in source(path) for name in names)
        for node in ast.walk(parsed(path))
        for word, words in ((getattr(node, "id", ""), classes), (getattr(node, "value", ""), names))
        if isinstance(word, str) and word in words
    ]
    assert not named, named


def test_import_is_light():
    """`import qddot` loads no package that is slow to import or optional, and hardly any of ours.

    Counted and not timed: what is not loaded costs nothing on any machine.
    """
    code = "import sys, qddot; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    modules = run.stdout.split()
    loaded = LOADED_ON_FIRST_USE.intersection(name.partition(".")[0] for name in modules)
    assert not loaded, f"import qddot loads {sorted(loaded)}"
    own = {name for name in modules if name.partition(".")[0] == "qddot"}
    assert own == {"qddot", "qddot.on_demand"}


def test_every_built_in_robot_names_its_source_and_licence():
    missing = [
        f"{path.name}: {key}"
        for path in sorted((SRC / "readers" / "library").glob("*.toml"))
        for key in ("source", "licence")
        if not has_text(tomllib.loads(source(path)), key)
    ]
    assert not missing, f"built-in robots without: {missing}"


def may_import(importer: str, target: str) -> bool:
    own = importer == target or {importer, target} <= set(GROUND)
    # rooms without a layer are the business of test_every_room_has_a_layer
    placed = importer in LEVEL and target in LEVEL
    top = importer in LAYERS[-1]
    return own or top or not placed or LEVEL[target] < LEVEL[importer]


def imported_rooms(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the room of each import of qddot's own modules, nested ones included."""
    package = ["qddot", *path.relative_to(SRC).parts[:-1]]
    for node in ast.walk(parsed(path)):
        match node:
            case ast.Import(names=names):
                targets = [alias.name.split(".") for alias in names]
            case ast.ImportFrom(module=module, names=names, level=level):
                # one leading dot is the module's own package, each further dot its parent
                start = package[: len(package) - level + 1] if level else []
                stem = [*start, *(module.split(".") if module else [])]
                targets = [[*stem, alias.name] for alias in names]
            case _:
                continue
        for first, *rest in targets:
            if first == "qddot":
                yield node.lineno, room_named(rest)


def room_named(parts: list[str]) -> str:
    """Return the room of qddot.<parts>; a public name such as qddot.load belongs to __init__."""
    if parts and ((SRC / parts[0]).is_dir() or (SRC / f"{parts[0]}.py").is_file()):
        return parts[0]
    return "__init__"


def room_of(path: Path) -> str:
    """Return the folder or the module directly under src/qddot that holds the file."""
    return path.relative_to(SRC).parts[0].removesuffix(".py")


def is_empty(path: Path) -> bool:
    tree = parsed(path)
    documented = ast.get_docstring(tree) is not None
    if path.name == "__init__.py":
        return not documented
    return len(tree.body) == int(documented)


def has_text(document: dict, key: str) -> bool:
    """Return whether the key stands, with words in it, at the top or in one of the tables."""
    tables = [document, *(value for value in document.values() if isinstance(value, dict))]
    return any(isinstance(table.get(key), str) and table[key].strip() for table in tables)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(source(path))


def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
