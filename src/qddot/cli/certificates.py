"""Verbs that prove: prove, certify."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

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
    echo_json,
    entry,
    number,
    read_model,
    read_robot,
    saves,
    tell,
)
from qddot.cli.words import numbers
from qddot.errors import BadArgument, QddotError, printable
from qddot.progress import write_line


def prove(source: Source, settings: Settings = None, as_json: AsJson = False) -> None:
    """Prove a robot's equations: each claim is an exact zero.

    All formulations agree, M is symmetric, Ṁ − 2C is skew, energy is conserved, and more: each is
    a polynomial that is shown to be zero. Of large robots the formulation that reads the model
    itself is compared in numbers, which is said and is no proof. The exit status is 1 if a claim
    that must hold does not.

    Examples:
      qddot prove two_link_symbolic
      qddot prove ur5 --json
    """
    from qddot.equations.deriving import exact_of
    from qddot.equations.proofs import Proof, claims, summary, table_text

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
    proof = Proof(robot.model.name, tuple(found))
    if as_json:
        made = [{k: x for k, x in asdict(c).items() if k != "digits" or x} for c in found]
        facts = {"robot": proof.robot, "finished": not interrupted, "summary": summary(proof)}
        echo_json({**facts, "table": proof.table, "claims": made})
    elif not interrupted:
        print(f"\n{table_text(proof)}\n\n{proof.robot}: {summary(proof)}")
    if proof.problems:
        raise typer.Exit(1)


def certify(
    source: Annotated[
        str | None, typer.Argument(metavar="[ROBOT]", help=ROBOT, autocompletion=completion.robots)
    ] = None,
    box: Annotated[
        OptionWords,
        entry(
            "The joint positions for which the bounds hold: circle (full turns), or a range "
            "per joint, j2=-60deg:1 [rad or m]; may be given several times. The default is the "
            "joint limits.",
            "BOX",
        ),
    ] = None,
    norm: Annotated[
        str | None,
        choice(
            "--norm",
            ("1", "2", "inf"),
            "Give the bounds in this norm only. The default is all norms",
        ),
    ] = None,
    gap: Annotated[
        float | None,
        number(
            "Stop when the two sides of a bound are this close, relative: 1e-3. The default is "
            "1e-6 to 0.2, by the number of joints."
        ),
    ] = None,
    seconds: Annotated[
        float, number("The time in all [s]. With more time the bounds are narrower.", "SECONDS")
    ] = 60.0,
    check: Annotated[
        File,
        entry(
            "Check a saved certificate (.json) instead of making one.",
            "FILE",
            autocompletion=completion.files(".json"),
        ),
    ] = None,
    settings: Settings = None,
    output: Annotated[
        File, saves("A certificate", (".json",), "Save the certificate with its proofs")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Certify a robot's dynamics: its properties and bounds.

    The bounds hold for every position in the box, rounding included. The exit status is 1 if a
    property fails or a saved certificate is wrong. After Ctrl-C the bounds found so far are kept.
    Of a robot with symbols the bounds are formulas, for every position unless --box says less.

    Examples:
      qddot certify two_link_symbolic
      qddot certify two_link --box j2=-pi/2:pi/2 --norm 1 -o two_link.json
      qddot certify --check two_link.json
    """
    if (source is None) == (check is None):
        raise BadArgument("Give a robot to certify, or a saved certificate: --check panda.json.")
    if check is not None:
        certificate, words = checked(check), [f"{check}: every bound follows from its proof.", ""]
    else:
        robot, words = read_robot(str(source), settings), []
        if robot.symbols:
            if output is not None:
                raise BadArgument("A certificate has numbers: give all symbols values with --set.")
            _tell_formulas(robot, box_of_words(box or []), norm, as_json)
            return
        certificate = qddot.certify(
            robot, box=box_of_words(box or []), norm=norm, gap=gap, seconds=seconds
        )
    if output is not None:
        certificate.save(output)
    facts = certificate.to_dict()
    for bound in facts["bounds"].values():
        del bound["proof"]  # long; a saved certificate has it
    del facts["model"]
    tell(as_json, facts | {"holds": certificate.holds}, [*words, str(certificate)], [output])
    if not certificate.holds:
        raise typer.Exit(1)


def _tell_formulas(robot: Any, box: Any, norm: str | None, as_json: bool) -> None:
    """Print the bounds of a robot with symbols, in one norm if one is named."""
    from qddot.certificate.certificate import of_norm
    from qddot.certificate.symbolic import symbolic_bounds

    found = symbolic_bounds(robot, box=None if box == "circle" else box)
    if norm is not None:
        found = found.only(of_norm(robot, list(found), norm))
    tell(as_json, found.to_dict(), [str(found)])


def checked(path: Path) -> Any:
    """Return a saved certificate, its bounds proved again; one that is not true is status 1."""
    from qddot.certificate.certificate import Certificate

    saved = Certificate.load(path)
    try:
        return saved.check()
    except QddotError as error:
        write_line(str(error))
        raise typer.Exit(1) from None


def box_of_words(given: list[str], option: str = "--box") -> Any:
    """Return the box of joint positions that options say."""
    if not given or given in (["circle"], ["limits"]):
        return given[0] if given == ["circle"] else None
    box = {}
    for text in given:
        joint, equals, span = text.rpartition("=")
        low, colon, high = span.partition(":")
        if not (equals and joint):
            raise BadArgument(
                f"{option} {printable(text)!r} is not of the form joint=low:high, like "
                "j2=-pi/2:pi/2, or joint=position."
            )
        ends = (low, high) if colon else (low, low)
        box[joint] = tuple(x for end in ends for x in numbers(f"{option} {joint}", end))
    return box
