"""Verbs about equations: derive, prove."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import qddot
from qddot.cli.terminal import AsJson, Source, echo_json, read_model, write_text
from qddot.errors import BadArgument


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
