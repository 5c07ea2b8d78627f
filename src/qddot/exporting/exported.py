"""Exporting: what users ask for is checked, and files are written as a whole or not at all."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument, RobotWarning, did_you_mean, printable
from qddot.exporting.c_files import c_files, cuda_files
from qddot.exporting.cpp_files import cpp_files
from qddot.exporting.fmu_files import fmu_files
from qddot.exporting.functions import ExportedFunction, functions
from qddot.exporting.matlab_files import matlab_files, usual
from qddot.plain_text import fitted
from qddot.results import Judged
from qddot.robot import Robot, robot_of
from qddot.robot_formats import written_endings
from qddot.saving import check_place, together, write_whole

Files = Mapping[str, str | bytes]
TARGETS: dict[str, Callable[[Robot, Sequence[ExportedFunction], bool], Files]] = {
    "c": c_files,
    "cpp": cpp_files,
    "cuda": cuda_files,
    "matlab": matlab_files,
}
# targets that take a whole robot, and say what they cannot hold
WHOLE = {"fmu": fmu_files}
WITH_SYMBOLS = ("matlab",)  # targets that take robots whose parameters have no value yet
USUAL = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "gravity_torque")


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
) -> Exported:
    """Write a robot to a file, or its quantities as source for other machines.

    Args:
        robot: The robot, or its built-in name or file.
        place: A robot file (.toml, .json, .urdf, .xml, .sdf); or, for source, the folder where the
            files go, which is made if it is not there.
        target: "c": C99 with a check of itself and a CMake file; "cpp": the same as a C++17 header,
            for float, double and batches; "cuda": kernels; "matlab": a function per file, for
            MATLAB, Simulink and GNU Octave, of robots with symbols too; "fmu": the motion of the
            robot as FMUs of FMI 2.0 and 3.0. If not given, a robot file where the place has the
            ending of one, else "c".
        functions: Names of quantities ("inverse_dynamics", "jacobian:tool:local"), recorded
            programs, or control laws. A law is exported with its reference as inputs. If not
            given, inverse and forward dynamics, M, C and g; for MATLAB also the other terms,
            energies, pose and Jacobian of the tip, and `dir2dyn`, forward dynamics of one vector.
        dtype: "float64" or "float32".
        force: Overwrite source that is there; a robot file is replaced, as by `robot.save`.

    Example:
        qddot.export("panda", "panda.urdf")
        qddot.export("panda", "panda_c", functions=["inverse_dynamics"])
        qddot.export("two_link_symbolic", "two_link_matlab", target="matlab")
    """
    robot, place = robot_of(robot), Path(place)
    if target is None and place.suffix.strip(".") and not place.is_dir():
        check_place(place, "A robot", written_endings())
        if functions is not USUAL or dtype != "float64":
            raise BadArgument(
                f"functions and dtype are for source, and {printable(place.name)!r} is a robot "
                "file.\n  Leave them out, or name a target, such as target='c'."
            )
        return Exported((place,), (), tuple(robot.save(place)))
    target = "c" if target is None else target
    if target not in (known := (*TARGETS, *WHOLE)):
        raise BadArgument(
            f"There is no target {printable(str(target))!r}.{did_you_mean(str(target), known)} "
            f"There are: {', '.join(known)}."
        )
    if dtype not in ("float64", "float32"):
        raise BadArgument(f"dtype is {dtype!r}; it must be 'float64' or 'float32'.")
    if target in WHOLE:
        named = () if functions is USUAL else functions
        whole, lost, inside = WHOLE[target](robot, named, dtype == "float32")
        for what in lost:
            warnings.warn(f"In the files of {robot.name!r}, {what}.", RobotWarning, stacklevel=3)
        return Exported(tuple(write_files(place, whole, force)), inside, lost)
    if target == "matlab" and functions is USUAL:
        functions = usual(robot)
    wanted = chosen(robot, functions, target in WITH_SYMBOLS)
    if dtype == "float32" and (exact := [f.name for f in wanted if f.double_only]):
        raise BadArgument(
            f"{exact[0]} needs double precision: float32 cannot hold what it gives.\n"
            "  Leave it out, or leave out dtype='float32'."
        )
    files = TARGETS[target](robot, wanted, dtype == "float32")
    return Exported(tuple(write_files(place, files, force)), tuple(wanted))


def chosen(robot: Robot, wanted: Any, with_symbols: bool) -> list[ExportedFunction]:
    several = isinstance(wanted, Iterable) and not isinstance(wanted, str)
    return functions(robot, wanted if several else [wanted], with_symbols)


def write_files(folder: Path, files: Files, force: bool) -> list[Path]:
    """Write files into a folder, none of them over one that is there unless forced."""
    there = [name for name in files if os.path.lexists(folder / name)]
    if there and not force:
        raise BadArgument(
            f"{printable(str(folder / there[0]))} is there already, and nothing was written.\n"
            "  Choose another folder, or overwrite it: force=True, --force."
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
