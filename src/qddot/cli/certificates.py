"""Verbs about certificates: certify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import qddot
from qddot.cli import completion
from qddot.cli.terminal import (
    ROBOT,
    AsJson,
    File,
    Settings,
    Words,
    choice,
    number,
    read_numeric,
    saves,
    tell,
)
from qddot.cli.words import numbers
from qddot.errors import BadArgument, QddotError, printable
from qddot.progress import write_line


def certify(
    source: Annotated[
        str | None, typer.Argument(metavar="[ROBOT]", help=ROBOT, autocompletion=completion.robots)
    ] = None,
    box: Annotated[
        Words,
        typer.Option(
            metavar="BOX",
            help="Positions that the bounds hold for: circle (full turns), or j2=-1:1 per "
            "joint [rad or m], several times. The joint limits if not given.",
        ),
    ] = None,
    norm: Annotated[
        str | None,
        choice("--norm", ("1", "2", "inf"), "Bounds in this norm only; all norms if not given"),
    ] = None,
    gap: Annotated[
        float | None,
        number(
            "Stop when both sides of a bound are this close, relative: 1e-3. Sensible values "
            "if not given."
        ),
    ] = None,
    seconds: Annotated[
        float, number("How long to search for bounds in all; more gives tighter ones.", "SECONDS")
    ] = 60.0,
    check: Annotated[
        File,
        typer.Option(
            metavar="FILE",
            help="Check a saved certificate instead of making one.",
            autocompletion=completion.files(".json"),
        ),
    ] = None,
    settings: Settings = None,
    output: Annotated[File, saves("A certificate", (".json",), "Save it, with its proofs")] = None,
    as_json: AsJson = False,
) -> None:
    """Certify a robot's dynamics: properties and bounds that hold.

    Bounds hold for every position in the box, rounding included. The status is 1 if a property
    fails or a saved certificate is not true. Ctrl-C keeps the bounds that there are.

    Examples:
      qddot certify two_link --box j2=-pi/2:pi/2 --norm 1 -o two_link.json
      qddot certify --check two_link.json
    """
    if (source is None) == (check is None):
        raise BadArgument("Give a robot to certify, or a saved certificate: --check panda.json.")
    if check is not None:
        certificate, words = checked(check), [f"{check}: every bound follows from its proof.", ""]
    else:
        robot, words = read_numeric(str(source), settings), []
        certificate = qddot.certify(robot, box=_box(box or []), norm=norm, gap=gap, seconds=seconds)
    if output is not None:
        certificate.save(output)
    facts = certificate.to_dict()
    for bound in facts["bounds"].values():
        del bound["proof"]  # long; a saved certificate has it
    del facts["model"]
    tell(as_json, facts | {"holds": certificate.holds}, [*words, str(certificate)], [output])
    if not certificate.holds:
        raise typer.Exit(1)


def checked(path: Path) -> Any:
    """Return a saved certificate, its bounds proved again; one that is not true is status 1."""
    from qddot.certificate.certificate import Certificate

    saved = Certificate.load(path)
    try:
        return saved.check()
    except QddotError as error:
        write_line(str(error))
        raise typer.Exit(1) from None


def _box(given: list[str]) -> Any:
    """Return the box that options say."""
    if not given or given in (["circle"], ["limits"]):
        return given[0] if given == ["circle"] else None
    box = {}
    for text in given:
        joint, equals, span = text.rpartition("=")
        low, colon, high = span.partition(":")
        if not (equals and colon and joint):
            raise BadArgument(
                f"--box {printable(text)!r} is not of the form joint=low:high, like j2=-pi/2:pi/2."
            )
        box[joint] = (*numbers(f"--box {joint}", low), *numbers(f"--box {joint}", high))
    return box
