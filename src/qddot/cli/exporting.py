"""Verbs about a robot and machines: export, for another one, and bench, its speed on this one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from qddot.cli import completion
from qddot.cli.terminal import (
    ENDINGS_OF_ROBOTS,
    AsJson,
    OptionWords,
    Settings,
    Source,
    choice,
    entry,
    number,
    read_numeric,
    read_robot,
    tell,
    warn_each,
)
from qddot.errors import BadArgument, one_of
from qddot.exporting.targets import TARGETS, chosen_target
from qddot.progress import percent_done
from qddot.saving import check_place, write_whole


def export(
    source: Source,
    output: Annotated[
        Path,
        entry(
            f"The robot file to write, {one_of(ENDINGS_OF_ROBOTS)}, an FMU, .fmu, or a folder for "
            "source.",
            "PLACE",
            "--output",
            "-o",
            autocompletion=completion.files(*ENDINGS_OF_ROBOTS, ".fmu"),
        ),
    ],
    target: Annotated[
        str | None,
        entry(
            "Write source code or an FMU. The default is what PLACE ends in; for a folder c: "
            f"{', '.join(TARGETS)}.",
            "NAME",
            "--target",
            autocompletion=completion.among(tuple(TARGETS)),
        ),
    ] = None,
    functions: Annotated[
        str | None,
        entry(
            "The functions to export: inverse_dynamics,jacobian:tool:local,... The default is "
            "inverse and forward dynamics, M, C and g; for matlab also energies, pose and Jacobian "
            "of the tip, and dir2dyn.",
            "A,B,...",
        ),
    ] = None,
    law: Annotated[
        OptionWords,
        entry("Export a control law too: computed_torque. May be given several times.", "NAME"),
    ] = None,
    dtype: Annotated[
        str, choice("--dtype", ("float64", "float32"), "The type of the numbers in source code")
    ] = "float64",
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite existing files; only with --target.")
    ] = False,
    name: Annotated[
        str | None,
        entry("What the functions and the model are called: arm.", "NAME", show_default="ROBOT"),
    ] = None,
    inertia: Annotated[
        str | None,
        choice(
            "--inertia",
            ("refuse", "nearest"),
            "What to do with an inertia that no body can have. The default is refuse",
        ),
    ] = None,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Write a robot to a file, or its functions as C, MATLAB, FMU.

    Examples:
      qddot export panda -o panda.urdf
      qddot export panda --set payload.tool=2 -o loaded.toml
      qddot export panda.urdf --inertia nearest -o start.toml
      qddot export ur5 --target c --functions inverse_dynamics,mass_matrix -o ur5_c
      qddot export two_link --law computed_torque --dtype float32 -o two_link_c
      qddot export two_link_symbolic --target matlab -o two_link
      qddot export ur5 --name arm -o arm.fmu
    """
    import qddot
    from qddot.control.spec import named_law
    from qddot.exporting.exported import USUAL, renamed

    target = chosen_target(output, target)
    if target is None:
        _refuse_without_target(functions=functions, law=law, dtype=dtype != "float64", force=force)
        check_place(output, "A robot", ENDINGS_OF_ROBOTS)
        from qddot.writers import as_file

        robot = renamed(read_robot(source, settings, inertia=inertia or "refuse"), name)
        text, notes = as_file(robot.model, output)
        warn_each([f"in {output.name}, {what}" for what in notes], "the file's first comment")
        write_whole(output, text)
        tell(as_json, {"lost": notes}, [], [output])
        return
    robot = (read_robot if TARGETS[target].with_symbols else read_numeric)(source, settings)
    names = [each.strip() for each in functions.split(",") if each.strip()] if functions else []
    wanted: Any = [*names, *(named_law(x, robot) for x in law or [])] or USUAL
    options = {"target": target, "functions": wanted, "dtype": dtype, "force": force}
    done = qddot.export(robot, output, **options, name=name)
    counts = {f.name: f.operations for f in done.functions}
    sizes = {str(path): path.stat().st_size for path in done.files}
    facts = {"operations": counts, "bytes": sizes, "files": list(sizes), "lost": list(done.lost)}
    tell(as_json, facts, str(done).splitlines())


def _refuse_without_target(**options: Any) -> None:
    for name, value in options.items():
        if value:
            raise BadArgument(
                f"--{name} is for source, and no target is named.\n"
                f"  Name one: --target {', --target '.join(TARGETS)}."
            )


def bench(
    source: Source,
    seconds: Annotated[float, number("Length of all measurements together.", "SECONDS")] = 2.0,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Measure how fast a robot's dynamics are on this machine.

    Prints the median processor time per state on one thread, for one call from Python and for a
    batch of 8192 states; and that of Pinocchio in the same run, if it is installed and gives the
    same results. Friction and springs are left out.

    Examples:
      qddot bench panda
      qddot bench ur5 --seconds 1 --json
    """
    from qddot.present.terminal.results import speed_lines
    from qddot.speed import INPUTS, measuring

    robot = read_numeric(source, settings)
    rows = []
    with percent_done(f"measuring {robot.name}", 2 * len(INPUTS)) as advance:
        try:
            for row in measuring(robot, seconds=seconds):
                rows.append(row)
                advance()
        except KeyboardInterrupt:
            if not rows:
                raise
    measured = [row.to_dict() for row in rows]
    tell(as_json, {"robot": robot.name, "seconds": seconds, "rows": measured}, speed_lines(rows))
