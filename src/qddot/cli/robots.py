"""Verbs about robots as they are described: show, doctor, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qddot.cli.terminal import AsJson, Source, echo_json, read_model, warn


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


def export(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="A .toml or .urdf file.")],
) -> None:
    """Write a robot to a file of another format."""
    from qddot.writers import write

    for lost in write(read_model(source), output):
        warn(f"not in {output.name}: {lost}")
    typer.echo(f"{output}")


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
