"""Every verb of the command line, in groups, and what `qddot` alone prints."""

from __future__ import annotations

from typing import Annotated

import typer

import qddot
from qddot.cli import (
    bench,
    certificates,
    control,
    equations,
    excitation,
    exporting,
    identification,
    report,
    robots,
    simulation,
    studio,
    sweep,
)
from qddot.cli.verbs import Verb, Verbs, parts, with_shared_options

VERBS = {
    "Look": (robots.show, robots.doctor, report.report, studio.studio),
    "Equations": (equations.derive, equations.prove, equations.exercise),
    "Motion": (simulation.simulate, control.control, sweep.sweep),
    "Guarantees": (certificates.certify,),
    "Identification": (identification.identifiable, excitation.excite, identification.identify),
    "Export and speed": (exporting.export, bench.bench),
}

TOUR = """\
qddot {version}: the equations of motion of robot arms.

Give it a robot: the name of a built-in one, or a .urdf, .xacro, .xml (MJCF) or
.toml file. Five commands to try, in this order:

  qddot show panda                  look at a robot; `qddot show` lists them
  qddot derive two_link_symbolic    its equations of motion, in closed form
  qddot prove two_link_symbolic     that they are right, as exact zeros
  qddot simulate two_link           how it falls, with its energy balance
  qddot report panda                everything about it on one page (30 s)

With a robot of your own, begin with
  qddot doctor arm.urdf             what is wrong with it, and how to fix it
  qddot studio arm.urdf             move it in a browser, watch its numbers

Read on
  qddot --help                      every verb
  qddot simulate --help             one of them, with examples
  qddot --install-completion        let the Tab key complete robots and options
  docs/quick_start.md               five minutes with a robot of your own"""

Verbs.groups = {group: tuple(v.__name__ for v in verbs) for group, verbs in VERBS.items()}
app = typer.Typer(
    cls=Verbs,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (verb for verbs in VERBS.values() for verb in verbs):
    words, examples = parts(verb.__doc__ or "")
    app.command(cls=Verb, help=words, epilog=examples)(with_shared_options(verb))


@app.callback(invoke_without_command=True)
def about(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """The equations of motion of robot arms with a fixed base.

    `qddot` alone shows where to begin, `qddot VERB --help` shows a verb with examples. Every
    verb takes --json and --quiet. The status is 0 if all is well, 1 if the work failed, 2 if the
    input is wrong, 130 after Ctrl-C.
    """
    if version:
        print(f"qddot {qddot.__version__}")
    elif ctx.invoked_subcommand is None:
        print(TOUR.format(version=qddot.__version__))
