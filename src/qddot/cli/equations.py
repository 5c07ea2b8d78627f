"""Verbs about equations: derive, prove, exercise."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

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

FORMULATIONS = (
    *("lagrange", "explicit", "trace", "stacked", "recursive", "newton_euler", "hamilton"),
)
SLIDES = "slides"
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
            (*dict.fromkeys(FORMATS.values()), SLIDES),
            "The format of the output. If not given, the ending of -o decides, or it is text; "
            "slides are LaTeX (beamer), or one page if -o ends in .html",
        ),
    ] = None,
    notation: Annotated[
        str | None,
        typer.Option(
            "--notation",
            metavar="NAME|FILE",
            help="The letters: craig, siciliano, spong, lynch_park, deck_s0 to deck_s4, or a TOML "
            "file of your own. If not given, q, M, c, C, g.",
        ),
    ] = None,
    frames: Annotated[
        str | None,
        typer.Option(
            "--frames",
            metavar="NAMES",
            help="One frame for each link that moves, separated by commas, in which the steps are "
            "written. If not given, the frames of the robot's file: DH frames, links.",
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
      qddot derive rp_symbolic --notation craig --steps -o rp.tex
      qddot derive two_link_symbolic --steps --format slides -o slides.tex
      qddot derive two_link_symbolic --set a1=1 --set a2=1/2 --json
      qddot derive panda --structured
    """
    from qddot.equations.document import document
    from qddot.equations.printing import page

    model = read_model(source, settings)
    if structured:
        text = str(qddot.Robot(model).program("mass_matrix"))
        facts = {"structured": text.splitlines()}
    else:
        try:
            with message_if_slow(f"deriving the equations of {model.name}"):
                names = [name.strip() for name in frames.split(",")] if frames else None
                equations = qddot.derive(model, formulation, notation=notation, frames=names)
        except TooLarge as error:
            raise BadArgument(
                f"{str(error).partition(chr(10))[0]}\n"
                "  Its structured form, with shared subexpressions, is short: --structured.\n"
                "  Or give symbols values: --set m1=1.0"
            ) from None
        kind = format or (FORMATS[output.suffix.lower()] if output else "text")
        if kind == SLIDES and output and FORMATS[output.suffix.lower()] == "html":
            kind = "html_slides"
        text = "" if as_json and output is None else page(document(equations, steps), kind)
        facts = {"latex": {name: equations.latex(name) for name in MATRICES}}
    if output is not None:
        write_whole(output, text if text.endswith("\n") else f"{text}\n")
    about = {"robot": model.name, "formulation": formulation}
    tell(as_json, about | facts, [text] if output is None else [], [output])


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


def exercise(
    seed: Annotated[
        int, typer.Option("--seed", help="Which exercise. The same seed gives the same sheet.")
    ] = 1,
    level: Annotated[
        int,
        typer.Option("--level", help="1: point masses. 2: links with inertia. 3: three joints."),
    ] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="The folder to write. Made if not there."
        ),
    ] = None,
    format: Annotated[
        str, choice("--format", ("latex", "html", "markdown", "text"), "The format of the sheets")
    ] = "latex",
    notation: Annotated[
        str | None,
        typer.Option("--notation", metavar="NAME|FILE", help="The letters, as in derive."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make an exercise: an arm, questions, a solution with all steps, and a key that grades.

    Writes sheet and solution, the arm as a robot file, answers.toml to fill in, and key.toml.
    `qddot check answers.toml --key key.toml` grades the answers.

    Examples:
      qddot exercise --seed 7 --level 2 -o exercise7
      qddot exercise --seed 3 --level 3 --format html --notation craig -o craig3
      qddot exercise --seed 7 --level 2 --json
    """
    from qddot.equations.printing import page
    from qddot.exercises import exercise as made

    task = made(seed, level, notation=notation)
    files = [] if output is None else task.write(output, format)
    facts = {
        "seed": seed,
        "level": level,
        "arm": task.arm.words,
        "points": task.points,
        "questions": [question.quantity for question in task.questions],
    }
    tell(as_json, facts, [] if files else [page(task.sheet(), "text")], files)
