"""What a shell may complete: robots, files, choices, frames.

Where nothing is returned the shell completes file names itself, and that is left to it wherever a
folder could be meant: it knows how to go into folders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import typer

Completer = Callable[[str], list[str]]


def among(known: Iterable[str] | Callable[[], Iterable[str]]) -> Completer:
    """Return a completer of one of several names, or of those that a function knows."""

    def complete(incomplete: str) -> list[str]:
        names = known() if callable(known) else known
        return [name for name in names if name.startswith(incomplete)]

    return complete


def several(known: Iterable[str]) -> Completer:
    """Return a completer of names with commas between them."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in known if name.startswith(last)]

    return complete


def files(*endings: str) -> Completer:
    """Return a completer of files with these endings."""

    def complete(incomplete: str) -> list[str]:
        folder, slash, start = incomplete.rpartition("/")
        try:
            beside = sorted(Path(folder + slash or ".").iterdir())
            found = [path for path in beside if path.name.startswith(start)]
            if any(path.is_dir() and (start or path.name[0] != ".") for path in found):
                return []
        except OSError:
            return []
        return [folder + slash + path.name for path in found if path.suffix.lower() in endings]

    return complete


def robots(incomplete: str) -> list[str]:
    """Complete the name of a built-in robot, or a robot file."""
    from qddot.readers.read import built_in_names
    from qddot.robot_formats import read_endings

    names = [name for name in built_in_names() if name.startswith(incomplete)]
    return [*names, *files(*read_endings())(incomplete)]


def frames(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete a frame of the robot that the command line names."""
    from qddot.errors import QddotError
    from qddot.readers.read import read

    # where an option still lacks its value, what was read before it is left among the rest
    named = ctx.params.get("source") or next(iter(ctx.args), "")
    try:
        names = read(named).frame_names
    except QddotError:
        return []
    return [name for name in names if name.startswith(incomplete)]
