"""Exporting: what users ask for is checked, and files are written as a whole or not at all."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument, RobotWarning, printable
from qddot.exporting.functions import ExportedFunction, functions, identifier
from qddot.exporting.targets import TARGETS, chosen_target
from qddot.plain_text import fitted
from qddot.results import Judged
from qddot.robot import Robot, robot_of
from qddot.robot_formats import loaded, written_endings
from qddot.saving import check_place, together, write_whole

Files = Mapping[str, str | bytes]
USUAL = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "gravity_torque")
NAMED = re.compile(r"[a-z][a-z0-9_]{0,30}")


@dataclass(frozen=True)
class Exported(Judged):
    """What was written."""

    files: tuple[Path, ...]
    functions: tuple[ExportedFunction, ...]
    lost: tuple[str, ...] = ()  # what a robot file could not hold

    @property
    def problems(self) -> tuple[str, ...]:
        """What was not written, or not as it is."""
        return self.lost

    @fitted
    def __str__(self) -> str:
        width = max((len(f.name) for f in self.functions), default=0)
        counts = [f"{f.name:<{width}}  {f.operations:>7,} operations" for f in self.functions]
        sizes = [f"{path}  {path.stat().st_size:,} bytes" for path in self.files]
        return "\n".join([*counts, *sizes])


def export(
    robot: Robot | str | Path,
    place: str | Path,
    *,
    target: str | None = None,
    functions: Iterable[Any] = USUAL,
    dtype: str = "float64",
    force: bool = False,
    name: str | None = None,
) -> Exported:
    """Write a robot to a file, or its quantities as source for other machines.

    Args:
        robot: The robot, or its built-in name or file.
        place: A robot file (.toml, .json, .urdf, .xml, .sdf); or, for source, the folder where the
            files go, which is made if it is not there; or one file, arm.fmu.
        target: "c": C99 with a check of itself and a CMake file; "cpp": the same as a C++17 header,
            for float, double and batches; "cuda": kernels; "matlab": a function per file, for
            MATLAB, Simulink and GNU Octave, of robots with symbols too; "fmu": the motion of the
            robot as FMUs of FMI 2.0 and 3.0, or of 2.0 where the place is one file; "fmu2" and
            "fmu3": of one of them. If not given, what the place ends in: a robot file, an FMU; for
            a folder "c".
        functions: Names of quantities ("inverse_dynamics", "jacobian:tool:local"), recorded
            programs, or control laws. A law is exported with its reference as inputs. If not
            given, inverse and forward dynamics, M, C and g; for MATLAB also the other terms,
            energies, pose and Jacobian of the tip, and `dir2dyn`, forward dynamics of one vector.
        dtype: "float64" or "float32".
        force: Overwrite source that is there; a robot file is replaced, as by `robot.save`.
        name: What functions, their files and the model are called, instead of the robot's name: in
            C arm_mass_matrix, for MATLAB arm_M; of an FMU or a robot file, its model.

    Example:
        qddot.export("panda", "panda.urdf")
        qddot.export("panda", "panda_c", functions=["inverse_dynamics"], name="arm")
        qddot.export("panda", "panda.fmu")
        qddot.export("two_link_symbolic", "two_link_matlab", target="matlab")
    """
    robot, place = robot_of(robot), Path(place)
    target = chosen_target(place, target)
    if target is None:
        check_place(place, "A robot", written_endings())
        if functions is not USUAL or dtype != "float64":
            raise BadArgument(
                f"functions and dtype are for source, and {printable(place.name)!r} is a robot "
                "file.\n  Leave them out, or name a target, such as target='c'."
            )
        return Exported((place,), (), tuple(renamed(robot, name).save(place)))
    if dtype not in ("float64", "float32"):
        raise BadArgument(f"dtype is {dtype!r}; it must be 'float64' or 'float32'.")
    prefix = "" if name is None else function_name(name)
    row, lost = TARGETS[target], ()
    if row.whole:
        wanted: list[ExportedFunction] = []
        named = () if functions is USUAL else functions
        files, lost = row.write(renamed(robot, name), named, dtype == "float32")
        for what in lost:
            warnings.warn(f"In the files of {robot.name!r}, {what}.", RobotWarning, stacklevel=3)
    else:
        asked = loaded(row.usual)(robot) if row.usual and functions is USUAL else functions
        wanted = chosen(robot, asked, row.with_symbols)
        if dtype == "float32" and (exact := [f.name for f in wanted if f.double_only]):
            raise BadArgument(
                f"{exact[0]} needs double precision: float32 cannot hold what it gives.\n"
                "  Leave it out, or leave out dtype='float32'."
            )
        files = row.write(robot, wanted, dtype == "float32", prefix)
    if place.suffix.lower() in row.endings and not os.path.isdir(place):
        place, files = place.parent, {place.name: next(iter(files.values()))}
    return Exported(tuple(write_files(place, files, force)), tuple(wanted), lost)


def renamed(robot: Robot, name: str | None) -> Robot:
    """Return the robot under another name, if one is given."""
    return robot if name is None else replace(robot, model=replace(robot.model, name=name))


def function_name(name: str) -> str:
    """Return a name that functions can begin with in every language; refuse any other."""
    plain = identifier(name)[:31]
    if not (NAMED.fullmatch(name) and identifier(name) == name):
        raise BadArgument(
            f"name is {printable(name)!r}: functions take small letters, digits and _, 31 at most, "
            f"a letter first.\n  For instance {plain!r}."
        )
    return name


def chosen(robot: Robot, wanted: Any, with_symbols: bool) -> list[ExportedFunction]:
    several = isinstance(wanted, Iterable) and not isinstance(wanted, str)
    return functions(robot, wanted if several else [wanted], with_symbols)


def write_files(folder: Path, files: Files, force: bool) -> list[Path]:
    """Write files into a folder, none of them over one that is there unless forced."""
    there = [name for name in files if os.path.lexists(folder / name)]
    if there and not force:
        raise BadArgument(
            f"{printable(str(folder / there[0]))} is there already, and nothing was written.\n"
            "  Choose another place, or overwrite it: force=True, --force."
        )
    try:
        new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # a ValueError of a name that no file system takes
        raise BadArgument(
            f"{printable(str(folder))} cannot be made: "
            f"{getattr(error, 'strerror', None) or error}.\n"
            "  Choose a folder that you may write to."
        ) from None
    try:
        with together():
            for name, content in files.items():
                write_whole(folder / name, content)
    except BaseException:
        if new:
            with suppress(OSError):
                folder.rmdir()
        raise
    return [folder / name for name in files]
