"""The targets of `export`, a row each: Python and the command line both ask this table.

A writer takes the robot, the functions, whether numbers are float32, and, where it writes
functions, the name that they and files begin with, "" for the robot's own; it returns the contents
of files by their names. It is named as "module:function" and imported on first use.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument, did_you_mean, plain_name, printable
from qddot.robot_formats import loaded, written_endings


@dataclass(frozen=True)
class Target:
    """A language, or a kind of file, that robots are exported as."""

    writer: str
    endings: tuple[str, ...]  # of its files
    whole: bool = False  # a robot, no functions; says what is lost; the place may be one file
    with_symbols: bool = False  # also of robots whose parameters have no value yet
    usual: str = ""  # which functions of a robot, if none are named and not the usual ones

    @property
    def write(self) -> Callable[..., Any]:
        """The writer."""
        return loaded(self.writer)


TARGETS = {
    "c": Target("qddot.exporting.c_files:c_files", (".c", ".h")),
    "cpp": Target("qddot.exporting.cpp_files:cpp_files", (".cpp", ".hpp", ".cc", ".cxx")),
    "cuda": Target("qddot.exporting.c_files:cuda_files", (".cu",)),
    "matlab": Target(
        "qddot.exporting.matlab_files:matlab_files",
        (".m",),
        with_symbols=True,
        usual="qddot.exporting.matlab_files:usual",
    ),
    "fmu": Target("qddot.exporting.fmu_files:fmu_files", (".fmu",), whole=True),
    "fmu2": Target("qddot.exporting.fmu_files:fmu2_files", (".fmu",), whole=True),
    "fmu3": Target("qddot.exporting.fmu_files:fmu3_files", (".fmu",), whole=True),
}
MEANT = {  # other words for targets, as `plain_name` writes them
    **dict.fromkeys(("simulink", "slx", "mdl"), "fmu (a block to import) or matlab (functions)"),
    "octave": "matlab",
    **dict.fromkeys(("fmi", "modelica", "dymola", "openmodelica"), "fmu"),
    **dict.fromkeys(("c++", "ros", "ros2"), "cpp"),
    "gpu": "cuda",
}


def chosen_target(place: Path, target: str | None) -> str | None:
    """Return the target that a place and a name mean, or refuse them; None for a robot file."""
    ending = "" if os.path.isdir(place) else place.suffix.lower().rstrip(".")
    written = written_endings()
    if target is None:
        of_ending = [name for name, row in TARGETS.items() if ending in row.endings]
        meant = [ending] if ending[1:] in MEANT else of_ending
        if ending and not meant:
            return None
        target = meant[0] if ending else "c"
    plain = plain_name(str(target)).removeprefix(".")
    target = plain if plain in TARGETS else str(target)
    if target not in TARGETS:
        near = f" Did you mean {MEANT[plain]}?" if plain in MEANT else did_you_mean(target, TARGETS)
        if f".{plain}" in written:
            near = f" A robot file is written without a target, to a place such as arm.{plain}."
        raise BadArgument(
            f"There is no target {printable(target)!r}.{near}\n  There are: {', '.join(TARGETS)}."
        )
    row, files = TARGETS[target], {each for row in TARGETS.values() for each in row.endings}
    if ending in {*files, *written} and not (row.whole and ending in row.endings):
        folder = printable(f"{place.stem}_{target}")
        raise BadArgument(
            f"{printable(place.name)!r} is one file, and target {target!r} writes several.\n"
            f"  Give a folder, such as {folder}, and target {target!r} (--target {target})."
        )
    return target
