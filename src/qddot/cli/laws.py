"""Gains from the command line: kp=100,kd=20."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qddot.cli.settings import numbers
from qddot.control.ready_laws import LAWS
from qddot.errors import BadArgument, did_you_mean, printable


def gains_of(name: str, texts: Sequence[str]) -> dict[str, Any]:
    """Return gains from "kp=100,200,kd=20": numbers go to the last name before them."""
    found: dict[str, list[float]] = {}
    for text in texts:
        key = ""
        for word in text.replace(";", ",").split(","):
            before, equals, value = word.partition("=")
            if equals:
                key, word = before.strip(), value
                found[key] = []
            if not key or not word.strip():
                raise BadArgument(
                    f"--gains {printable(text)!r} is not of the form kp=100,kd=20 or "
                    "kp=100,50,kd=20,10."
                )
            found[key] += numbers(f"--gains {printable(key)}", word)
    for key in found:
        if key not in LAWS[name]:
            raise BadArgument(
                f"The law {name} has no gain {printable(key)!r}.{did_you_mean(key, LAWS[name])}\n"
                f"  It has: {', '.join(LAWS[name])}."
            )
    return {key: values[0] if len(values) == 1 else values for key, values in found.items()}
