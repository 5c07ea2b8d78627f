"""Verbs about equations: derive, prove."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

import qddot
from qddot.cli.terminal import (
    AsJson,
    File,
    Settings,
    Source,
    choice,
    echo_json,
    read_model,
    saves,
    tell,
)
from qddot.errors import BadArgument, TooLarge
from qddot.progress import message_if_slow
from qddot.saving import write_whole

if TYPE_CHECKING:
    from qddot.equations import Equations

FORMULATIONS = ("lagrange", "explicit", "trace", "stacked", "recursive")
# by the ending of a file, short or spelt out; a terminal gets text
FORMATS = {".txt": "text", ".md": "markdown", ".tex": "latex", ".html": "html"}
FORMATS |= {f".{format}": format for format in FORMATS.values()}
MATRICES = ("M", "C", "c", "g", "tau")


def derive(
    source: Source,
    formulation: Annotated[
        str, choice("--formulation", FORMULATIONS, "The formulation that derives the equations")
    ] = "lagrange",
    steps: Annotated[
        bool,
        typer.Option("--steps", help="Show every step of the derivation, not only the result."),
    ] = False,
    format: Annotated[
        str | None,
        choice(
            "--format",
            tuple(dict.fromkeys(FORMATS.values())),
            "The format of the output. If not given, the ending of -o decides, or it is text",
        ),
    ] = None,
    quantity: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Print one quantity alone: M, gamma, Y, jacobian, qdd, effective_mass, ...",
        ),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The frame of a quantity that is of one, such as jacobian. If not given, the tip.",
        ),
    ] = None,
    structured: Annotated[
        bool,
        typer.Option(
            "--structured",
            help="Print a program for M(q) with shared subexpressions, instead of the closed form. "
            "It is short for any robot.",
        ),
    ] = False,
    settings: Settings = None,
    output: Annotated[
        File, saves("A derivation", tuple(FORMATS), "Write the equations to a file")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Derive the equations of motion in closed form.

    Examples:
      qddot derive two_link_symbolic
      qddot derive two_link_symbolic --formulation trace --steps -o trace.html
      qddot derive two_link_symbolic --set a1=1 --set a2=1/2 --json
      qddot derive two_link_symbolic --quantity jacobian --frame tool
      qddot derive panda --structured
    """
    from qddot.equations.document import document, page

    model = read_model(source, settings)
    if structured:
        text = str(qddot.Robot(model).program("mass_matrix"))
        facts = {"structured": text.splitlines()}
    else:
        try:
            with message_if_slow(f"deriving the equations of {model.name}"):
                equations = qddot.derive(model, formulation)
        except TooLarge as error:
            raise BadArgument(
                f"{str(error).partition(chr(10))[0]}\n"
                "  Its structured form, with shared subexpressions, is short: --structured.\n"
                "  Or give symbols values: --set m1=1.0"
            ) from None
        kind = format or (FORMATS[output.suffix.lower()] if output else "text")
        if quantity is not None:
            text, facts = one_quantity(equations, quantity, frame, kind, qddot.Robot(model).tip)
        else:
            text = "" if as_json and output is None else page(document(equations, steps), kind)
            facts = {"latex": {name: equations.latex(name) for name in MATRICES}}
    if output is not None:
        write_whole(output, text if text.endswith("\n") else f"{text}\n")
    about = {"robot": model.name, "formulation": formulation}
    tell(as_json, about | facts, [text] if output is None else [], [output])


def one_quantity(
    equations: Equations, name: str, frame: str | None, kind: str, tip: str
) -> tuple[str, dict[str, dict[str, str]]]:
    """Return a quantity as text of a kind, and what --json has of it."""
    entry = equations.quantities.get(name)
    of_frame = entry is not None and "frame" in entry.choices
    choices: dict[str, Any] = {"frame": frame or tip} if of_frame else {}
    latex = equations.latex(name, **choices)
    write = {"text": equations.text, "markdown": equations.markdown, "latex": equations.latex}
    if kind not in write:
        raise BadArgument(f"--quantity is written as {', '.join(write)}, not as {kind}.")
    if frame is not None and not choices:
        raise BadArgument(f"--frame is for quantities of a frame; {name} is of the whole robot.")
    return write[kind](name, **choices), {"latex": {name: latex}}


def prove(source: Source, settings: Settings = None, as_json: AsJson = False) -> None:
    """Prove a robot's equations: each claim is an exact zero.

    All formulations agree, M is symmetric, Ṁ − 2C is skew, energy is conserved, and more: each is
    a polynomial that is shown to be zero. The exit status is 1 if a claim that must hold does not.

    Examples:
      qddot prove two_link_symbolic
      qddot prove ur5 --json
    """
    from qddot.equations.deriving import exact_of
    from qddot.equations.proofs import claims

    robot = exact_of(read_model(source, settings))
    found = []
    interrupted = False
    try:
        for claim in claims(robot):
            found.append(claim)
            if not as_json:
                print(claim, flush=True)
    except KeyboardInterrupt:  # what is proved stays proved
        interrupted = True
    if as_json:
        claims_made = [asdict(claim) for claim in found]
        echo_json({"robot": robot.model.name, "finished": not interrupted, "claims": claims_made})
    if any(claim.holds != claim.expected for claim in found):
        raise typer.Exit(1)
