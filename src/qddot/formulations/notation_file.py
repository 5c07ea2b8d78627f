"""Notations by name and from files: TOML with letters in LaTeX, and nothing that LaTeX obeys.

`notations/` holds the ones that have names.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from qddot.errors import BadArgument, did_you_mean, listing, shorten
from qddot.formulations.notation import DIFFERENT, LETTERS, NOTATION, Notation, bare, bound
from qddot.formulations.plain_formula import plain

HERE = Path(__file__).parent / "notations"
MOST_BYTES = 20_000
MOST_LETTERS = 80
NO_LETTERS = re.compile(r"[=<>+\n\r]|\\(?:left|right|[bB]igl|[bB]igr|limits|displaystyle)")
# what a book may have no letter for
OPTIONAL = ("coriolis_matrix", "christoffel_matrix")
# what may stand in a pattern, and must
INDICES = {
    **dict.fromkeys(("velocity", "acceleration"), "x"),
    **dict.fromkeys(("mass_slope", "christoffel", "unsymmetric"), "ijk"),
    "christoffel_matrix": "k",
    **dict.fromkeys(("transform", "rotation", "mass_entry"), "ij"),
    **dict.fromkeys(("centre", "linear_jacobian", "angular_jacobian", "inertia"), "i"),
    **dict.fromkeys(("pseudo_inertia", "rotor_inertia"), "i"),
}


@cache
def notation_names() -> tuple[str, ...]:
    """Return the names of the notations that are built in."""
    return ("qddot", *sorted(path.stem for path in HERE.glob("*.toml")))


def notation(given: str | Path | Notation | None) -> Notation:
    """Return a notation: by its name, from a TOML file, or as it is; the usual one for None.

    It raises BadArgument if there is none of this name, or the file has letters that are not
    letters.
    """
    if isinstance(given, Notation):
        return given
    if given is None or given == NOTATION.name:
        return NOTATION
    if str(given) in notation_names():
        return read_notation(HERE / f"{given}.toml")
    if not isinstance(given, (str, Path)):
        raise BadArgument(f"notation is {shorten(repr(given))}; it must be a name or a TOML file.")
    if Path(given).suffix.lower() != ".toml":
        raise BadArgument(
            f"There is no notation {shorten(str(given))!r}."
            f"{did_you_mean(str(given), notation_names())}\n"
            f"  There are {listing(notation_names())}; or give a TOML file with letters."
        )
    return read_notation(Path(given))


def read_notation(path: Path) -> Notation:
    """Return the notation that a TOML file describes; what it leaves out is as usual."""
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise BadArgument(f"Notation {shorten(str(path))!r}: {why}.") from None
    if len(raw) > MOST_BYTES:
        raise BadArgument(f"Notation {shorten(str(path))!r} has more than {MOST_BYTES:,} bytes.")
    try:
        found = tomllib.loads(raw.decode())
    except (ValueError, RecursionError) as error:  # one of them is for what is no TOML
        raise BadArgument(f"Notation {shorten(str(path))!r} is not TOML: {error}.") from None
    problems = [problem for key, value in found.items() if (problem := _problem(key, value))]
    letters = {key: x if key in INDICES else bound(x) for key, x in found.items() if not problems}
    given: dict[str, Any] = {"name": path.stem} | letters
    made = NOTATION if problems else Notation(**given)
    if problems := problems or _shared_letters(made):
        lines = "".join(f"\n  {problem}" for problem in problems)
        raise BadArgument(f"Notation {shorten(str(path))!r}:{lines}")
    return made


def _problem(key: str, value: object) -> str:
    if key not in (*LETTERS, "name", "source"):
        return f"{shorten(key)!r} is unknown.{did_you_mean(key, LETTERS)} There are: " + (
            f"{', '.join(LETTERS)}."
        )
    if not isinstance(value, str) or len(value) > (MOST_LETTERS if key in LETTERS else 500):
        return f"{key} must be a short text."
    if key not in LETTERS:
        return ""
    if not value and key in OPTIONAL:
        return ""
    wanted = INDICES.get(key, "")
    found = re.findall(r"\$(\w*)", value)
    if set(found) != set(wanted) and not (key in ("inertia", "angular_jacobian") and found):
        names = " and ".join(f"${letter}" for letter in wanted)
        return f"{key} = {value!r} must have {names or 'no $'} in it."
    if NO_LETTERS.search(value) or not value:
        return f"{key} = {value!r} must be a letter with indices, such as '\\\\tau' or 'P_{{C}}'."
    try:
        plain(Template(value).substitute(dict.fromkeys("ijk", "1"), x="q"))
    except BadArgument as error:
        return f"{key}: {error}"
    except (ValueError, KeyError):
        return f"{key} = {value!r}: a $ must have {' or '.join(wanted) or 'nothing'} behind it."
    return ""


def _shared_letters(made: Notation) -> list[str]:
    """Return a sentence for every letter that would stand for two things; none is "" ."""
    places: dict[str, list[str]] = {}
    for key in DIFFERENT:
        if letter := bare(getattr(made, key)):
            places.setdefault(letter, []).append(key)
    return [
        f"{' and '.join(keys)} have the same letter, {letter}: one letter, one meaning."
        for letter, keys in places.items()
        if len(keys) > 1
    ]
