"""Verbs about certificates: certify."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import qddot
from qddot.cli.settings import changed, numbers
from qddot.cli.terminal import AsJson, echo_json, read_model
from qddot.errors import BadArgument, QddotError, printable
from qddot.saving import check_place


def certify(
    source: Annotated[
        str | None, typer.Argument(help="A built-in robot's name, or a robot file.")
    ] = None,
    box: Annotated[
        list[str] | None,
        typer.Option(help="circle, or joint=low:high (several times); else the joint limits."),
    ] = None,
    norm: Annotated[str | None, typer.Option(help="1, 2 or inf; all of them if not given.")] = None,
    gap: Annotated[float | None, typer.Option(help="How close both sides shall be.")] = None,
    seconds: Annotated[float, typer.Option(help="How long to search in all.")] = 60.0,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="friction.viscous=30, payload.tool=2, ...")
    ] = None,
    check: Annotated[
        Path | None, typer.Option(help="Check a saved certificate instead of making one.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Save it, with its proofs: .json.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Certify the dynamics of a robot: properties and bounds, each with how it is known.

    Bounds hold for every position in the box, rounding included. The status is 1 if a property
    fails or a saved certificate is not true.

    Example:  qddot certify two_link --box j2=-pi/2:pi/2 --norm 1 -o two_link.json
    """
    from qddot.certificate.certificate import Certificate
    from qddot.certificate.certificate_file import to_dict

    if (source is None) == (check is None):
        raise BadArgument("Give a robot to certify, or a saved certificate: --check panda.json.")
    if check is not None:
        saved = Certificate.load(check)
        try:
            certificate = saved.check()
        except QddotError as error:
            sys.stderr.write(f"qddot: {error}\n")
            raise typer.Exit(1) from None
        if not as_json:
            typer.echo(f"{check}: every bound follows from its proof.\n")
    else:
        if output is not None:
            check_place(output, "A certificate", (".json",))
        robot = changed(qddot.Robot(read_model(str(source))), settings or [])
        certificate = qddot.certify(robot, box=_box(box or []), norm=norm, gap=gap, seconds=seconds)
    if output is not None:
        certificate.save(output)
    if as_json:
        facts = to_dict(certificate)
        for bound in facts["bounds"].values():
            del bound["proof"]  # long; a saved certificate has it
        del facts["model"]
        echo_json(facts | {"holds": certificate.holds})
    else:
        typer.echo(str(certificate))
        if output is not None:
            typer.echo(f"{output}")
    if not certificate.holds:
        raise typer.Exit(1)


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
