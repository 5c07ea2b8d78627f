"""Every verb of the command line, in groups, and what all of them share.

They share help to read with examples that run, and --quiet.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

import qddot
from qddot import progress
from qddot.cli import (
    certificates,
    control,
    equations,
    excitation,
    exporting,
    identification,
    kinematics,
    logs,
    robots,
    simulation,
)
from qddot.cli.terminal import PackagePaths, ReadingArguments, set_reading
from qddot.cli.words import with_lists
from qddot.errors import did_you_mean, printable, shorten
from qddot.plain_text import fitting

EXAMPLES = re.compile(r"\n\s*Examples?:\s*")
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Print no warnings and no progress; errors are still printed."
    ),
]
Traceback = Annotated[
    bool, typer.Option("--traceback", help="Show where an error comes from.", hidden=True)
]
SHARED: dict[str, Any] = {"quiet": Quiet, "traceback": Traceback}
# of verbs that read a robot
READ: dict[str, Any] = {"arg": ReadingArguments, "package_path": PackagePaths}


def parts(docstring: str) -> tuple[str, str]:
    """Return a docstring's words, and its examples."""
    words, *rest = EXAMPLES.split(inspect.cleandoc(docstring), maxsplit=1)
    return words.strip(), inspect.cleandoc(rest[0]).strip() if rest else ""


class Verb(TyperCommand):
    """A verb, whose help ends with examples that run as they stand."""

    def get_help(self, ctx: Any) -> str:
        """Return the help, in letters that the terminal has."""
        for each in (self, *self.get_params(ctx)):
            each.help = with_lists(getattr(each, "help", None) or "")  # type: ignore[union-attr]
        return fitting(super().get_help(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the verb: what it is about, then how."""
        return [*(name for name, _ in arguments(self, ctx)), "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and the options."""
        if found := arguments(self, ctx):
            with formatter.section("Arguments"):
                formatter.write_dl(found)
        write_options(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, line by line as they are."""
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"  {line}\n")


class Verbs(TyperGroup):
    """All verbs, in groups."""

    groups: Mapping[str, tuple[str, ...]] = {}

    def get_help(self, ctx: Any) -> str:
        """Return the help, in letters that the terminal has."""
        return fitting(super().get_help(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the program's name."""
        return ["VERB", "[ROBOT]", "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs first, group by group, then the options."""
        width = max(map(len, self.commands))
        for group, names in self.groups.items():
            with formatter.section(group):
                formatter.write_dl([(f"{n:<{width}}", summary(self.commands[n])) for n in names])
        write_options(self, ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the verb meant, or say which may have been."""
        name, *rest = args
        if name == "help" and not rest:
            print(ctx.get_help())
            ctx.exit()
        if name == "help":  # `qddot help simulate`, as people are used to
            name, args = rest[0], [rest[0], "--help"]
        if name in self.commands or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from qddot.readers.read import built_in_names

        shown = shorten(printable(name))
        if name in built_in_names():
            ctx.fail(f"{shown!r} is a robot, not a verb. Did you mean 'qddot show {shown}'?")
        ctx.fail(f"There is no verb {shown!r}.{did_you_mean(name, self.commands)}")


def summary(command: Any) -> str:
    """Return the first line of a verb's help."""
    return (command.help or "").strip().partition("\n")[0]


def arguments(command: Any, ctx: Any) -> list[tuple[str, str]]:
    """Return a verb's arguments and what they are."""
    every = command.get_params(ctx)
    found = [p for p in every if p.param_type_name == "argument" and not p.hidden]
    return [(p.metavar or str(p.name).upper(), p.help or "") for p in found]


def write_options(command: Any, ctx: Any, formatter: Any) -> None:
    """Write the options and what they do."""
    found = [p for p in command.get_params(ctx) if p.param_type_name == "option"]
    with formatter.section("Options"):
        formatter.write_dl([record for p in found if (record := p.get_help_record(ctx))])


def with_shared_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb that takes the shared options too."""

    @wraps(verb)
    def shared(**given: Any) -> None:
        progress.set_quiet(given.pop("quiet"))
        given.pop("traceback")  # which is looked for where errors are told
        set_reading(*(given.pop(name, None) for name in READ))
        verb(**given)

    hints = get_type_hints(verb, include_extras=True)
    own = [p.replace(annotation=hints[n]) for n, p in inspect.signature(verb).parameters.items()]
    added = (READ if "source" in hints else {}) | SHARED
    more = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if name in SHARED else None,
            annotation=hint,
        )
        for name, hint in added.items()
    ]
    shared.__signature__ = inspect.Signature([*own, *more])  # type: ignore[attr-defined]
    shared.__annotations__ = hints | added
    return shared


VERBS = {
    "Look": (robots.show, robots.draw, robots.doctor, robots.report, robots.studio),
    "Equations": (equations.derive, certificates.prove, equations.check, equations.exercise),
    "Motion": (
        *(simulation.simulate, control.control, simulation.sweep),
        *(kinematics.ik, kinematics.workspace),
    ),
    "Guarantees": (certificates.certify,),
    "Identification": (
        *(identification.identifiable, excitation.excite, logs.log),
        *(identification.identify, logs.contact),
    ),
    "Export and speed": (exporting.export, exporting.bench),
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
