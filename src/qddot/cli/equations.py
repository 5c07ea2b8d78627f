"""Verbs about equations: derive, check, exercise."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

import qddot
from qddot.cli import completion
from qddot.cli.terminal import (
    ROBOT,
    AsJson,
    File,
    OptionWords,
    Settings,
    Source,
    choice,
    entry,
    read_model,
    read_shape,
    saves,
    tell,
)
from qddot.errors import BadArgument, NotInClosedForm, TooLarge, printable
from qddot.formulations import FORMULATIONS
from qddot.progress import inform, message_if_slow
from qddot.saving import write_whole

if TYPE_CHECKING:
    from qddot.equations import Equations, GradedSheet, Verdict

# by the ending of a file, short or spelt out; a terminal gets text
FORMATS = {".txt": "text", ".md": "markdown", ".tex": "latex", ".html": "html"}
FORMATS |= {f".{format}": format for format in FORMATS.values()}
MATRICES = ("M", "C", "c", "g", "tau")


def derive(
    source: Source,
    robot_of_ik: Annotated[str | None, typer.Argument(hidden=True)] = None,
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
            (*dict.fromkeys(FORMATS.values()), "slides"),
            "The format of the output. If not given, the ending of -o decides, or it is text; "
            "slides are LaTeX (beamer)",
        ),
    ] = None,
    notation: Annotated[
        str | None,
        entry(
            "The letters: craig, siciliano, spong, lynch_park, deck_s0 to deck_s4, or a TOML "
            "file of your own. If not given, q, M, c, C, g.",
            "NAME|FILE",
        ),
    ] = None,
    frames: Annotated[
        str | None,
        entry(
            "One frame for each link that moves, separated by commas, in which the steps are "
            "written. If not given, the frames of the robot's file: DH frames, links.",
            "NAMES",
        ),
    ] = None,
    quantity: Annotated[
        str | None,
        entry("Print one quantity alone: M, gamma, Y, jacobian, qdd, effective_mass, ...", "NAME"),
    ] = None,
    frame: Annotated[
        str | None,
        entry(
            "The frame of a quantity that is of one, such as jacobian. If not given, the tip.",
            "NAME",
        ),
    ] = None,
    breakdown: Annotated[
        bool,
        typer.Option(
            "--breakdown",
            help="Print the equation as labelled terms, D11, D112, D1 and so on, one to a line.",
        ),
    ] = False,
    structured: Annotated[
        bool,
        typer.Option(
            "--structured",
            help="Print a program for M(q) with shared subexpressions, instead of the closed form. "
            "It is short for any robot.",
        ),
    ] = False,
    ik: Annotated[
        bool,
        typer.Option(
            "--ik",
            help="Print the steps of inverse kinematics in closed form instead, of --frame or the "
            "tip.",
        ),
    ] = False,
    free: Annotated[
        OptionWords,
        entry(
            "A joint that --ik takes as given, one of seven; may be given several times.", "JOINT"
        ),
    ] = None,
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
      qddot derive two_link_symbolic --quantity jacobian --frame tool
      qddot derive double_pendulum_symbolic --breakdown
      qddot derive panda --structured
      qddot derive ur5 --ik
      qddot derive ik ur5
      qddot derive ik panda --free panda_joint7
    """
    from qddot.equations.document import document
    from qddot.equations.formulas import sum_of_terms
    from qddot.equations.latex import as_latex
    from qddot.equations.printing import page
    from qddot.model.validation import gravity_notes

    if robot_of_ik is not None:
        if source != "ik":
            words = f"{printable(source)!r} and {printable(robot_of_ik)!r}"
            raise BadArgument(f"derive takes one robot; it was given {words}.")
        source, ik = robot_of_ik, True
    if free and not ik:
        raise BadArgument("--free is of inverse kinematics: name --ik too.")
    model = read_shape(source, settings).model if ik else read_model(source, settings)
    if structured:
        text = str(qddot.Robot(model).program("mass_matrix"))
        facts = {"structured": text.splitlines()}
    elif ik:
        robot = qddot.Robot(model)
        try:
            found = robot.inverse_kinematics_steps(frame or robot.tip, free=free or ())
        except NotInClosedForm as error:
            from qddot.cli.kinematics import options_of

            verb = f"qddot ik {printable(source)}"
            given = " ".join(f"--free {quote(joint)}" for joint in error.free)
            if not error.closed:
                given = f"{verb} --pose x,y,z,roll,pitch,yaw --all {options_of(error.free)}"
            raise BadArgument(error.told(lambda _: given, verb)) from None
        text = page(found.document, _kind(format, output))
        facts = {"frame": found.frame, "branches": found.branches, "latex": found.latex()}
    else:
        try:
            with message_if_slow(f"deriving the equations of {model.name}"):
                names = [name.strip() for name in frames.split(",")] if frames else None
                equations = qddot.derive(model, formulation, notation=notation, frames=names)
        except TooLarge as error:
            raise BadArgument(
                f"{str(error).splitlines()[0]}\n"
                "  Its structured form, with shared subexpressions, is short: --structured.\n"
                "  Or give symbols values: --set m1=1.0"
            ) from None
        kind = _kind(format, output)
        for note in gravity_notes(model) if quantity or breakdown or as_json else ():
            inform(f"note: {note}")  # a page says it itself
        if quantity is not None:
            text, facts = one_quantity(equations, quantity, frame, kind, qddot.Robot(model).tip)
        elif breakdown:
            if kind != "text":
                raise BadArgument(
                    f"--breakdown is printed as text or with --json, not as {kind}.\n"
                    "  Leave out --format, or end the file in .txt."
                )
            found = equations.breakdown()
            rotors = any(equations.robot.tree.rotor_inertia)
            head = f"{sum_of_terms(equations.notation, rotors)}, and friction and springs"
            text = "\n".join([head, "", *map(str, found)])
            terms = [(x.symbol, x.label, as_latex(x.value, notation=x.notation)) for x in found]
            facts = {"terms": terms}
        else:
            text = "" if as_json and output is None else page(document(equations, steps), kind)
            wanted = MATRICES if as_json else ()  # the whole of them takes long for a long robot
            facts = {"latex": {name: equations.latex(name) for name in wanted}}
    if output is not None:
        write_whole(output, text if text.endswith("\n") else f"{text}\n")
    facts = {"robot": model.name, "formulation": formulation} | facts
    tell(as_json, facts, [text] if output is None else [], [output])


def _kind(format: str | None, output: File) -> str:
    """Return as what a page is written: what is asked for, or what the ending of its file says."""
    ending = FORMATS[output.suffix.lower()] if output else "latex"
    kind = format or (ending if output else "text")
    if kind == "slides" and output and ending != "latex":
        raise BadArgument(f"Slides are LaTeX (beamer), a .tex file, not {output.suffix}.")
    return kind


def one_quantity(
    equations: Equations, name: str, frame: str | None, kind: str, tip: str
) -> tuple[str, dict[str, dict[str, str]]]:
    """Return a quantity as text of a kind, and what --json has of it."""
    entry = equations.quantities.get(name)
    choices: dict[str, Any] = {"frame": frame or tip} if entry and "frame" in entry.choices else {}
    latex = equations.latex(name, **choices)
    write = {"text": equations.text, "markdown": equations.markdown, "latex": equations.latex}
    if kind not in write:
        raise BadArgument(f"--quantity is written as {', '.join(write)}, not as {kind}.")
    if frame is not None and not choices:
        raise BadArgument(f"--frame is for quantities of a frame; {name} is of the whole robot.")
    return write[kind](name, **choices), {"latex": {name: latex}}


def check(
    source: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT",
            help=f"{ROBOT} Or, alone, a sheet of answers (.toml).",
            autocompletion=completion.robots,
        ),
    ],
    answer: Annotated[
        str | None,
        typer.Argument(
            metavar="[ANSWER]",
            help="The answer, as text or LaTeX. Put a blank before one that begins with -.",
        ),
    ] = None,
    quantity: Annotated[
        str,
        entry(
            "What the answer is of: M, C, c, g, tau, K, P, gamma, ..., or one entry, M[1,2].",
            "NAME",
        ),
    ] = "M",
    file: Annotated[
        File,
        entry(
            "Read the answer from a file, .txt or .tex.",
            "FILE",
            autocompletion=completion.files(".txt", ".tex"),
        ),
    ] = None,
    key: Annotated[
        File,
        entry(
            "The questions of a sheet (.toml): their robots, quantities and points.",
            "FILE",
            autocompletion=completion.files(".toml"),
        ),
    ] = None,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Check whether an answer is right, or grade a sheet of them.

    Formulas are compared exactly. If one is wrong, you see in which entry, by how much, and which
    mistake gives exactly this answer. The exit status is 1 if an answer is not right.

    Examples:
      qddot check answers.toml --key key.toml
      qddot check two_link_point_symbolic --quantity "M[2,2]" "m2 L2^2"
      qddot check rp_symbolic --quantity g "[(m1 l1 + m2 d2) g c1, m2 g s1]"
    """
    from qddot.equations.answers.sheet import grade
    from qddot.readers.files import read_text

    if answer is not None and file is not None:
        raise BadArgument("Give the answer or --file, not both.")
    found: GradedSheet | Verdict
    if answer is None and file is None:
        if not source.lower().endswith(".toml"):
            read_model(source)  # which says if there is none
            raise BadArgument(
                "There is no answer: give it behind the robot, or by --file answer.tex.\n"
                "  A sheet of answers ends in .toml: qddot check answers.toml"
            )
        found = grade(source, key)
    else:
        if key is not None:
            raise BadArgument("--key is for a sheet of answers: qddot check answers.toml --key ...")
        text = read_text(file) if file is not None else str(answer)
        model = read_model(source, settings)
        with message_if_slow(f"deriving the equations of {model.name}"):
            equations = qddot.derive(model)
        found = equations.check(quantity, text)
    tell(as_json, found.to_dict(), [str(found)])
    if not found.ok:
        raise typer.Exit(1)


def exercise(
    seed: Annotated[
        int, typer.Option("--seed", help="Which exercise. The same seed gives the same sheet.")
    ] = 1,
    level: Annotated[
        int,
        typer.Option(
            "--level", help="How hard: 1 has point masses, 2 links with inertia, 3 three joints."
        ),
    ] = 1,
    output: Annotated[
        Path | None, entry("The folder to write. Made if not there.", "FOLDER", "--output", "-o")
    ] = None,
    format: Annotated[
        str, choice("--format", ("latex", "html", "markdown", "text"), "The format of the sheets")
    ] = "latex",
    notation: Annotated[
        str | None, entry("The letters, as in derive.", "NAME|FILE", "--notation")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make an exercise with its solution and a key that grades.

    Writes a sheet about a made arm, the solution with all steps, the arm as a robot file,
    answers.toml to fill in, and key.toml.
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
    facts = dict[str, Any](seed=seed, level=level, arm=task.arm.words, points=task.points)
    facts["questions"] = [question.quantity for question in task.questions]
    tell(as_json, facts, [] if files else [page(task.sheet(), "text")], files)
