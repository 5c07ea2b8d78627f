"""What every verb reads and prints: robots in; facts out, for people or for machines."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from qddot.errors import printable
from qddot.saving import write_whole

Source = Annotated[str, typer.Argument(help="A built-in robot's name, or a robot file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the same facts for machines.")]


def write_text(path: Path, text: str) -> None:
    """Write a file and say where it is."""
    write_whole(path, lambda beside: _write(beside, text))
    typer.echo(f"{path}")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


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


def echo_json(data: Any) -> None:
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2))


def warn(text: str) -> None:
    sys.stderr.write(f"qddot: warning: {printable(text)}\n")
