"""Long sums of a page by names, with the definitions of the names before them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.equations.forms import Collected
from qddot.equations.formulas import Definitions, Equation, Words
from qddot.equations.named_terms import NamedTerms
from qddot.equations.nodes import Name
from qddot.equations.quotient import entrywise
from qddot.equations.readable import entry_name
from qddot.formulations.notation import Notation

if TYPE_CHECKING:
    from qddot.equations.document import DocumentSection, Item

TOGETHER = 12  # definitions in one display
SIMPLE = re.compile(r"\\?[A-Za-z]+")
NAMED = re.compile(rf"{SIMPLE.pattern}(_\{{[\d,]+\}})?")  # a symbol that may stand in a formula


def with_definitions(
    sections: Sequence[DocumentSection], names: NamedTerms, notation: Notation
) -> list[DocumentSection]:
    """Return sections in which long sums are written by names that are defined before them.

    What is printed with a symbol of its own, such as an entry of the mass matrix, is a name too.
    """
    values: dict[str, list[Any]] = {}
    for item in (item for section in sections for item in section.items):
        if isinstance(item, Equation) and NAMED.fullmatch(item.symbol):
            values.setdefault(item.symbol, []).append(np.asarray(item.value, dtype=object))
    # a symbol of several results, such as those of two runs of a recursion, is no name
    clear = {symbol for symbol, found in values.items() if all(same(x, found[0]) for x in found)}
    found = []
    for section in sections:
        items: list[Item] = []
        for item in section.items:
            if isinstance(item, Equation) and item.value is not None:
                before = len(names.definitions)
                written = replace(item, value=entrywise(item.value, names.written))
                new = names.definitions[before:]
                last = items[-1] if items else None
                announced = isinstance(last, Words) and last.words.endswith(":")
                place = len(items) - announced  # words stay with the formula that they announce
                items[place:place] = definitions(new, notation)
                if item.symbol in clear:
                    for symbol, value in named_entries(item):
                        names.learn(symbol, value)
                item = written
            items.append(item)
        found.append(replace(section, items=tuple(items)))
    return found


def definitions(new: Sequence[tuple[Name, Collected]], notation: Notation) -> list[Item]:
    """Return what names stand for, some at a time."""
    lines = [Equation(name.label, "", (), value, notation) for name, value in new]
    groups = [lines[k : k + TOGETHER] for k in range(0, len(lines), TOGETHER)]
    words = [Words("Terms that are used from here on:")] if new else []
    return [*words, *(Definitions("", equations=tuple(group)) for group in groups)]


def named_entries(item: Equation) -> list[tuple[str, Any]]:
    """Return the entries of a matrix, or a single formula, each with its name."""
    value = np.asarray(item.value, dtype=object)
    if not value.ndim:
        return [(item.symbol, value.item())]
    if not SIMPLE.fullmatch(item.symbol):
        return []
    size = max(value.shape)
    return [
        (entry_name(item.symbol, place, size, item.notation), value[place])
        for place in np.ndindex(value.shape)
    ]


def same(x: np.ndarray, y: np.ndarray) -> bool:
    """Return whether two values, of one ring, are the same."""
    pairs = zip(x.reshape(-1), y.reshape(-1), strict=False)
    return x.shape == y.shape and all(
        a is b or getattr(a, "value", a) == getattr(b, "value", b) for a, b in pairs
    )
