"""A program as statements of MATLAB, which GNU Octave runs too: one line per operation.

What MATLAB means otherwise than a program does (roots and logarithms of negative numbers, which
become complex, smallest and largest of NaN, choices) is a function of ours at the end of a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from textwrap import wrap

import numpy as np

from qddot.backends.source import Dialect, decimal
from qddot.errors import printable

FUNCTIONS = {
    **{name: f"{name}({{0}})" for name in ("sin", "cos", "exp", "tanh", "floor", "abs", "sign")},
    **{name: f"qddot_{name}({{0}})" for name in ("sqrt", "log")},
    **{name: f"qddot_{name}({{0}}, {{1}})" for name in ("min", "max")},
    "atan2": "atan2({0}, {1})",
    "less": "double({0} < {1})",
    "less_equal": "double({0} <= {1})",
    "select": "qddot_select({0}, {1}, {2})",
}
LINE = 96  # letters


number = partial(decimal, infinity="Inf")
DIALECT = Dialect("", number, FUNCTIONS)


def stored(name: str, entries: Sequence[str], shape: tuple[int, ...]) -> list[str]:
    """Return the statement that stores the entries of a result, in the order of Python's rows.

    A vector becomes a column.
    """
    if not shape:
        return [f"{name} = {entries[0]};"]
    if len(shape) > 2:
        columns = np.array(entries, dtype=object).reshape(shape).reshape(-1, order="F")
        return broken(f"{name} = reshape([", columns, f"], [{' '.join(map(str, shape))}]);")
    table = np.array(entries, dtype=object).reshape(*shape, *([1] if len(shape) == 1 else []))
    if table.shape[1] == 1:
        return broken(f"{name} = [", table[:, 0], "];", ";")
    rows = [
        broken("    ", row, "; ..." if k < len(table) else "];") for k, row in enumerate(table, 1)
    ]
    return [f"{name} = [ ...", *(line for row in rows for line in row)]


def broken(before: str, entries: Iterable[str], after: str, between: str = ",") -> list[str]:
    """Return a list of entries as lines that are not too long."""
    *lines, last = folded(f"{between} ".join(entries), before)
    return [*lines, last + after]


def folded(text: str, before: str = "") -> list[str]:
    """Return a statement as lines that are not too long, broken where it has spaces."""
    lines = wrap(
        text,
        LINE,
        initial_indent=before,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    ) or [before]
    return [*(f"{line} ..." for line in lines[:-1]), lines[-1]]


def comment(text: str, before: str) -> list[str]:
    """Return a text as comments; nothing in it can end one."""
    plain = printable(text).encode("ascii", "replace").decode()
    room = 88 - len(before)
    return [f"{before}{line}" for line in wrap(plain, room, subsequent_indent="    ")]


def helpers(text: str) -> list[str]:
    """Return the functions of ours that a text calls, and no other."""
    called = dict.fromkeys(re.findall(r"\bqddot_(\w+)\(", text))
    return [line for name in HELPERS if name in called for line in ("", *HELPERS[name])]


def _choice(signature: str, condition: str, first: str, second: str) -> list[str]:
    return [
        f"function y = {signature}",
        f"if {condition}",
        f"    y = {first};",
        "else",
        f"    y = {second};",
        "end",
        "end",
    ]


# NaN of a negative number, and where an argument is NaN
HELPERS = {
    "sqrt": _choice("qddot_sqrt(x)", "x >= 0", "sqrt(x)", "NaN"),
    "log": _choice("qddot_log(x)", "x >= 0", "log(x)", "NaN"),
    "min": _choice("qddot_min(a, b)", "a < b || a ~= a", "a", "b"),
    "max": _choice("qddot_max(a, b)", "a > b || a ~= a", "a", "b"),
    "select": _choice("qddot_select(c, a, b)", "c ~= 0", "a", "b"),
}
