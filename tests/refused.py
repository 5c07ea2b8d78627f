"""What is refused and why, as data: the tables of the folder refusals, a row for each case."""

import tomllib
from pathlib import Path
from typing import Any


def refusals(name: str) -> dict[str, Any]:
    """Return the tables of refusals/NAME.toml."""
    path = Path(__file__).with_name("refusals") / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))
