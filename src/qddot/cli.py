"""The command line: the same verbs as in Python, for people and, with --json, for machines."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import qddot
from qddot.errors import BadArgument, QddotError, printable

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Source = Annotated[str, typer.Argument(help="A built-in robot's name, or a robot file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the same facts for machines.")]


def main() -> None:
    """Run the command line: status 0 done, 2 the input is wrong, 1 the work itself failed."""
    try:
        app()  # which also ends quietly on Ctrl-C, with 130, and when nobody reads on
    except QddotError as error:
        sys.stderr.write(f"qddot: {error}\n")
        sys.exit(2)


@app.callback(invoke_without_command=True)
def about(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """The equations of motion of any robot arm.

    \b
    Try:  qddot show                       the built-in robots
          qddot show panda                 one of them
          qddot derive two_link_symbolic   its equations of motion
          qddot prove two_link_symbolic    that they are right
          qddot doctor arm.urdf            what is wrong with your own
    """
    if version:
        typer.echo(f"qddot {qddot.__version__}")
        raise typer.Exit


@app.command()
def show(
    source: Annotated[str | None, typer.Argument(help="A built-in name, or a file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print a robot as a table and a tree; without a name, the built-in robots."""
    from qddot.model.show import facts, print_robot

    if source is None:
        show_library(as_json)
        return
    model = read_model(source)
    if as_json:
        echo_json(facts(model))
    else:
        print_robot(model)


@app.command()
def doctor(source: Source, as_json: AsJson = False) -> None:
    """Print every problem of a robot file with a suggested fix, and compare it with other engines.

    The status is 2 if the robot cannot be used, else 0.
    """
    from qddot.doctor import examine, print_examination

    examination = examine(source)
    if as_json:
        echo_json(examination.to_dict())
    else:
        print_examination(examination)
    if examination.model is None:
        raise typer.Exit(2)


@app.command()
def export(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="A .toml or .urdf file.")],
) -> None:
    """Write a robot to a file of another format."""
    from qddot.writers import write

    for lost in write(read_model(source), output):
        warn(f"not in {output.name}: {lost}")
    typer.echo(f"{output}")


@app.command()
def derive(
    source: Source,
    formulation: Annotated[
        str, typer.Option(help="lagrange, explicit, trace, stacked or recursive.")
    ] = "lagrange",
    steps: Annotated[
        bool, typer.Option("--steps", help="Show the way, not only the result.")
    ] = False,
    format: Annotated[str, typer.Option(help="text, markdown, latex or html.")] = "text",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file.")] = None,
    structured: Annotated[
        bool, typer.Option("--structured", help="Print M with shared subexpressions instead.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Derive the equations of motion in closed form, and show how.

    Example:  qddot derive two_link_symbolic --formulation trace --steps --format html -o page.html
    """
    from qddot.equations.document import document
    from qddot.equations.pages import FORMATS, page

    if format not in FORMATS:
        raise BadArgument(f"There is no format {format!r}. There are: {', '.join(FORMATS)}.")
    model = read_model(source)
    if structured:
        typer.echo(str(qddot.Robot(model).program("mass_matrix")))
        return
    equations = qddot.derive(model, formulation)
    if as_json:
        names = ("M", "C", "c", "g", "tau")
        latex = {name: equations.latex(name) for name in names}
        echo_json({"robot": model.name, "formulation": formulation, "latex": latex})
        return
    text = page(document(equations, with_steps=steps), format)
    if output is None:
        typer.echo(text)
    else:
        write_text(output, text)


@app.command()
def prove(source: Source, as_json: AsJson = False) -> None:
    """Prove what is true of a robot's equations, each as an exact zero polynomial.

    The status is 1 if a claim that should hold does not.
    """
    from dataclasses import asdict

    from qddot.equations.derive import exact_of
    from qddot.equations.proofs import claims

    robot = exact_of(read_model(source))
    found = []
    for claim in claims(robot):
        found.append(claim)
        if not as_json:
            typer.echo(str(claim))
    if as_json:
        echo_json({"robot": robot.model.name, "claims": [asdict(claim) for claim in found]})
    if any(claim.holds != claim.expected for claim in found):
        raise typer.Exit(1)


def write_text(path: Path, text: str) -> None:
    """Write a file and say where it is."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadArgument(f"{path} cannot be written: {error.strerror}.") from None
    typer.echo(f"{path}")


def read_model(source: str) -> Any:
    """Return the model, its warnings told on stderr."""
    from qddot.readers.read import built_in_names, read

    model = read(source)
    if source in built_in_names():  # its description says what is doubtful about it
        return model
    warnings = [str(p) for p in model.warnings if p.severity == "warning"]
    for text in warnings[:4]:
        warn(text)
    if len(warnings) > 4:
        warn(f"... and {len(warnings) - 4} more; `qddot doctor` lists them all.")
    return model


def show_library(as_json: bool) -> None:
    """Print the names of the built-in robots and what they are."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from qddot.readers.read import library, read

    models = [read(name) for name in library()]
    if as_json:
        echo_json([{"name": m.name, "n": m.n, "description": m.description} for m in models])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("robot", "joints", "what it is"):
        table.add_column(heading)
    for model in models:
        table.add_row(model.name, str(model.n), Text(model.description))
    Console().print(table)
    typer.echo("\nTextbook robots also come with symbols: two_link_symbolic and so on.")


def echo_json(data: Any) -> None:
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2))


def warn(text: str) -> None:
    sys.stderr.write(f"qddot: warning: {printable(text)}\n")


if __name__ == "__main__":
    main()
