"""A program of its own: expand one xacro file and write the URDF to standard output.

    python -P xacro_expansion.py FILE

A xacro file holds Python expressions, and xacro evaluates them: they may run without end, take
all memory, or mean harm. So they are evaluated in this process, which has little of either and
may neither write files nor start programs, and not in the one that asked.

On failure it writes one line of JSON instead, with `kind`, `message` and `file`, and exits with
FAILED. It imports nothing of qddot, because it is run as a file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import CodeType
from typing import Any

FAILED = 3
MEMORY = 2 * 10**9  # [bytes]
SECONDS = 30  # of computing
LARGEST = 32_000_000  # characters of URDF


def main(path: Path) -> int:
    """Expand a file; return the exit status."""
    from xacrodoc.xacrodoc import packages, substitution_args, xacro

    answer, sys.stdout = sys.stdout, sys.stderr  # xacro prints
    limit_resources()

    def find(package: str) -> str:
        return str(nearby(path, package) or packages.get_path(package))

    substitution_args._eval_find = find  # the way xacrodoc itself replaces it
    evaluate = xacro.safe_eval

    def strictly(expression: str, *symbols: Any) -> Any:
        refuse_insides(compile(expression.strip(), "<expression>", "eval"))
        return evaluate(expression, *symbols)

    xacro.safe_eval = strictly
    try:
        document: Any = xacro.process_file(str(path))
        text = document.toprettyxml(indent="  ")
        if len(text) > LARGEST:
            raise MemoryError
    except BaseException as error:  # whatever a file can raise, this is where it ends
        json.dump(failure(error, [name for name in xacro.filestack if name]), answer)
        return FAILED
    answer.write(text)
    return 0


def refuse_insides(code: CodeType) -> None:
    """Refuse the names that lead to Python's insides; xacro does, but not within a lambda."""
    for name in code.co_names:
        if name.startswith("__"):
            raise ValueError(f"the name {name} is not allowed in an expression")
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            refuse_insides(inner)


def limit_resources() -> None:
    """Take from this process what expanding a file does not need."""
    try:
        import resource
    except ImportError:  # not on every system
        return
    for what, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
    ):
        try:
            resource.setrlimit(what, (most, most))
        except (OSError, ValueError):  # where the limit is lower already
            continue


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


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
