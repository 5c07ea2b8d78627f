"""Mathematics on terminals that know few letters: τ is written tau, q̈ qdd, and nothing fails."""

from __future__ import annotations

import codecs
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, TypeVar

TextMethod = TypeVar("TextMethod", bound=Callable[..., str])

NAME = "qddot_plain"
ONE_DOT, TWO_DOTS = "\u0307", "\u0308"  # above a letter
RATES = re.compile(f"([qpxMCKPVτ])([{ONE_DOT}{TWO_DOTS}])")
RAISED = re.compile(r"(\^[-+\d])\^")  # ^-^1 is ^-1
WRITTEN = """
    τ tau  λ lambda  φ phi  σ sigma  ω omega  μ mu  π pi  β beta  α alpha  θ theta  κ kappa
    Γ Gamma  Λ Lambda  Δ Delta  Σ sum  ∫ int  ∂ d  √ sqrt  ∞ inf  ½ 1/2  ⪰ >=  ‖ ||
    ≤ <=  ≥ >=  ≠ !=  ≈ ~  ± +-  × x  · *  − -  ° deg  → ->  ⟳ o  ↻ o  ⥁ o  ↔ =  – -  — -  … ...
    “ "  ” "  ‘ '  ’ '  • *  ✓ ok  ✗ X  ◆ *  ⌇ ~  ─ -  ━ -  │ |  └ `  ├ |  ┘ +  ┐ +  ┌ +
    ┼ +  ⎡ [  ⎢ [  ⎣ [  ⎤ ]  ⎥ ]  ⎦ ]
"""
SPELLED = dict(re.findall(r"(\S+) (\S+)", WRITTEN))


def spelled(text: str) -> str:
    """Return a text in ASCII, as one would write it by hand."""
    apart = unicodedata.normalize("NFD", text)
    dotted = RATES.sub(lambda found: found[1] + "d" * (1 + (found[2] == TWO_DOTS)), apart)
    return RAISED.sub(r"\1", "".join(_letter(ch) for ch in dotted))


def fitting(text: str) -> str:
    """Return a text as stdout can hold it: in ASCII where its encoding lacks a letter."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return spelled(text)
    return text


def fitted(method: TextMethod) -> TextMethod:
    """Let a `__str__` or `__repr__` give what stdout can hold, so that print never fails."""

    @wraps(method)
    def fitting_method(self: Any) -> str:
        return fitting(method(self))

    return fitting_method  # type: ignore[return-value]  # it takes and gives the same


def width(text: str) -> int:
    """Return how many columns a text takes: the dots above letters take none."""
    return sum(not unicodedata.combining(letter) for letter in text)


def table_lines(rows: Sequence[Sequence[str]], left: int = 1, least: int = 0) -> list[str]:
    """Return the rows of a table as lines, the first cells to the left, others to the right.

    The rows include the head; `left` columns stand to the left, and none is narrower than `least`.
    """
    widths = [max(least, *map(width, column)) for column in zip(*rows, strict=True)]
    blanks = ([" " * (w - width(x)) for x, w in zip(row, widths, strict=True)] for row in rows)
    lines = (
        [x + b if k < left else b + x for k, (x, b) in enumerate(zip(row, padding, strict=True))]
        for row, padding in zip(rows, blanks, strict=True)
    )
    return ["  ".join(cells).rstrip() for cells in lines]


def _letter(ch: str) -> str:
    if ch.isascii():
        return ch
    if ch in SPELLED:
        return SPELLED[ch]
    apart = unicodedata.normalize("NFKD", ch)
    plain = "".join(_letter(part) for part in apart) if apart != ch else ""
    if plain and unicodedata.decomposition(ch).startswith("<super>"):
        return f"^{plain}"
    return plain or ("" if unicodedata.combining(ch) else "?")


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    before = error.object[error.start - 1 : error.start]  # the letter that a dot is above
    return spelled(before + error.object[error.start : error.end])[len(before) :], error.end


def prepare_streams() -> None:
    """Let stdout and stderr spell what their encoding cannot hold, instead of failing."""
    codecs.register_error(NAME, _replace)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError, OSError):  # closed, or not a text stream
            stream.reconfigure(errors=NAME)  # type: ignore[union-attr]
