"""Expand one xacro file to URDF. Runs in a worker.

A xacro file holds Python expressions, and xacro evaluates them: they may run without end, take
all memory, or mean harm. So they are evaluated in a process that has little of either and may
neither write files nor start programs, and not in the one that asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

from xacrodoc.xacrodoc import packages, substitution_args, xacro

from qddot.readers.places import Places, is_absolute, is_plain, ros_prefixes

LARGEST = 32_000_000  # characters of URDF


class GivenArguments(dict[str, str]):
    """The arguments of a file by name, which knows the names that the file has asked for."""

    def __init__(self, given: dict[str, str]):
        super().__init__(given)
        self.given, self.asked = tuple(given), set[str]()

    def __contains__(self, name: Any) -> bool:
        self.asked.add(name)
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return super().__getitem__(name)


def expand(name: str, package_paths: list[str], given: dict[str, str]) -> dict[str, str]:
    """Return the URDF of a file as `text`, or else `kind`, `message` and `file` of a failure."""
    path, arguments = Path(name), GivenArguments(given)
    places = Places(path.parent, tuple(Path(each) for each in package_paths))

    folders = [path.parent, *places.own_packages, *places.package_paths, *ros_prefixes()]
    folders += [Path(value) for value in given.values() if is_absolute(value)]

    def find(package: str) -> str:
        named = next(iter(places.packages(package)), None) if is_plain(package) else None
        folders.append(Path(named or nearby(path, package) or packages.get_path(package)))
        return str(folders[-1])

    substitution_args._eval_find = find  # the way xacrodoc itself replaces it
    evaluate = xacro.safe_eval

    def strictly(expression: str, *symbols: Any) -> Any:
        refuse_insides(compile(expression.strip(), "<expression>", "eval"))
        return evaluate(expression, *symbols)

    xacro.safe_eval = strictly
    xacro.load_yaml = partial(tables_in, xacro.load_yaml, folders)
    xacro._global_symbols = xacro.create_global_symbols()  # which have load_yaml
    try:
        document: Any = xacro.process_file(name, mappings=arguments)
        if stray := [each for each in arguments.given if each not in arguments.asked]:
            known = ", ".join(sorted(arguments.asked))
            return {"kind": "stray argument", "message": f"{stray[0]}\n{known}", "file": ""}
        text = document.toprettyxml(indent="  ")
        if len(text) > LARGEST:
            raise MemoryError
    except BaseException as error:  # whatever a file can raise, this is where it ends
        return failure(error, [each for each in xacro.filestack if each])
    return {"text": text}


def tables_in(load: Callable[[str], Any], folders: list[Path], name: str) -> Any:
    """Return what `load` makes of a YAML file in one of some folders; a message shows none of it.

    A file of plain words is text in YAML: it is refused, and so is what is no file of the robot.
    """
    path = Path(os.path.abspath(xacro.abs_filename_spec(name)))
    inside = [path.is_relative_to(os.path.abspath(each)) for each in folders]
    if path.exists() and not any(inside):
        raise ValueError(f"load_yaml reads nothing outside of the robot's packages ({path})")
    try:
        found = load(name)
    except OSError:
        raise
    except Exception:  # of a file that is no YAML: with a part of it
        found = None
    if not isinstance(found, (dict, list)):
        raise ValueError(f"load_yaml finds no table in {path}")
    return found


def refuse_insides(code: CodeType) -> None:
    """Refuse the names that lead to Python's insides; xacro does, but not within a lambda."""
    for name in code.co_names:
        if name.startswith("__"):
            raise ValueError(f"the name {name} is not allowed in an expression")
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            refuse_insides(inner)


def nearby(path: Path, package: str) -> Path | None:
    """Return the folder of a package that lies around a file, as in a clone of its repository."""
    if not package or Path(package).name != package:
        return None
    for folder in path.parents:
        if folder.name == package:
            return folder
        if (folder / package).is_dir():
            return folder / package
    return None


def failure(error: BaseException, files: list[str]) -> dict[str, str]:
    """Return what went wrong as data; the innermost cause says it best."""
    chain = [error]
    while cause := getattr(chain[-1], "exc", None) or chain[-1].__cause__:
        chain.append(cause)
    kinds = {type(link).__name__: link for link in chain if isinstance(link, BaseException)}
    kind, message = "other", str(error) or type(error).__name__
    if "PackageNotFoundError" in kinds:
        cause: Any = kinds["PackageNotFoundError"]
        kind, message = "package", " ".join(str(part) for part in cause.args)
    elif "FileNotFoundError" in kinds:
        cause = kinds["FileNotFoundError"]
        kind, message = "file", str(cause.filename)
    elif "ArgException" in kinds:
        kind, message = "argument", str(kinds["ArgException"])
    elif "MemoryError" in kinds or "RecursionError" in kinds:
        kind = "size"
    return {"kind": kind, "message": message, "file": files[-1] if files else ""}
