"""Numbers and comments in XML files of robots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import quoteattr

from qddot.model import Placement
from qddot.scalars import Scalar


def digits(x: Scalar) -> str:
    """Return a number with every digit."""
    return repr(float(x))


def spaced(values: Iterable[Scalar]) -> str:
    """Return numbers with spaces between them."""
    return " ".join(digits(x) for x in values)


def attributes(words: Mapping[str, str]) -> str:
    """Return the attributes of an element."""
    return " ".join(f"{key}={quoteattr(value)}" for key, value in words.items())


def placed(place: Placement) -> str:
    """Return where something is, as attributes of MJCF."""
    words = {"pos": place.xyz, "euler": place.rpy}
    return "".join(f' {key}="{spaced(x)}"' for key, x in words.items() if any(x))


def comment_on(format_name: str, notes: list[str]) -> list[str]:
    """Return the comment at the top of a file that says what it adds and leaves out."""
    if not notes:
        return []
    # two dashes would end the comment
    safe = (re.sub("-(?=-)", "- ", line) for line in notes)
    head = f"<!-- What this file adds for {format_name}, and what {format_name} cannot say, so"
    return [f"{head} that it leaves it out:", *(f"  {x}" for x in safe), "-->"]
