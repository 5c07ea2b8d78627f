"""Fields of a description: numbers, counts, vectors, choices; each refused with words if wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from qddot import checks
from qddot.errors import BadExpression, WrongValue, plain_name, printable, shorten
from qddot.readers.document_table import DocumentTable, kind
from qddot.scalars.reader import read_formula

NUMERIC = "give a number or a formula, or a list of them"


def inner(table: DocumentTable, key: str) -> DocumentTable | None:
    """Return the table under a key, named by it in problems; None where there is none."""
    found = table.table(key)
    if found is not None:
        found.place = f"[{key}]" if table.place == "plan" else f"{table.place} {key}"
    return found


def flattened(
    data: Mapping[str, Any], is_value: Callable[[Mapping[str, Any]], bool], before: str = ""
) -> Iterator[tuple[str, Any]]:
    """Yield keys and values; tables that unquoted dots have made are one key again.

    `is_value` says of a table whether it is a value itself; `before` stands in front of the keys.
    """
    for key, value in data.items():
        if isinstance(value, Mapping) and not is_value(value):
            yield from flattened(value, is_value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def one_of(table: DocumentTable, key: str, known: Collection[str], default: str) -> str:
    """Return a name that is one of those known, however written: Rk4, pd-gravity."""

    def word(name: str, value: Any) -> str:
        by_name = {plain_name(each): each for each in known}
        found = by_name.get(plain_name(value), value) if isinstance(value, str) else value
        return checks.one_of(name, found, known)

    return table.take(key, default, word)


def count(table: DocumentTable, key: str, default: int, least: int) -> int:
    """Return a whole number, which may be written as a formula or as 1e3."""
    wanted = f"a whole number, {least} or more, below 2^63"

    def whole(name: str, value: Any) -> int:
        found = as_numbers(name, value)
        if isinstance(found, float) and found.is_integer() and abs(found) < 2**53:
            found = int(found)
        return checks.whole(name, found, least, 2**63 - 1, wanted)

    return table.take(key, default, whole)


def number(table: DocumentTable, key: str, default: float | None, least: float = -np.inf) -> Any:
    """Return a number, or the default where it is not given."""
    return table.take(
        key, default, lambda name, x: checks.number(name, as_numbers(name, x), least=least)
    )


def positive(table: DocumentTable, key: str, default: float | None, what: str) -> Any:
    """Return a number above zero; `what` says what it is."""
    wanted = f"{what}, a number above 0"
    return table.take(
        key, default, lambda name, x: checks.number(name, as_numbers(name, x), wanted, above=0.0)
    )


def flag(table: DocumentTable, key: str, default: bool) -> bool:
    """Return true or false."""
    return table.take(key, default, checks.flag)


def vector(
    table: DocumentTable, key: str, parts: Sequence[str], *, one_for_all: bool = True
) -> np.ndarray | None:
    """Return one number a part, as `spread` has them; None where it is not given."""
    value = table.get(key)
    if value is None:
        return None
    return spread(table, key, value, parts, one_for_all=one_for_all)


def spread(
    table: DocumentTable, key: str, value: Any, parts: Sequence[str], *, one_for_all: bool = True
) -> np.ndarray | None:
    """Return a value as one number a part; None, and a problem, where it cannot be.

    A single number stands for all joints. Of places and directions it means nothing, unless they
    have only one part.
    """

    def each(name: str, given: Any) -> np.ndarray:
        found = _numbers(name, given)
        one = one_for_all and found.shape == (1,)
        return checks.spread(name, found[0] if one else found, parts, one_for_all=one_for_all)

    return table.checked(key, value, each)


def formula(table: DocumentTable, key: str, text: str) -> Any:
    """Return the exact number that a text is; None, and a problem, where it is none."""
    return table.checked(key, text, lambda name, text: exact(text))


def values(table: DocumentTable, key: str, value: Any, shape: tuple[int, ...] | None) -> Any:
    """Return numbers, formulas among them, as an array; None, and a problem, where it is none."""

    def array(name: str, given: Any) -> np.ndarray:
        found = _numbers(name, given)
        if shape is not None and found.shape != shape:
            wanted = f"{shape[0]} numbers in brackets" if shape else "one number"
            raise WrongValue(name, f"is {shown(given)}", f"give {wanted}")
        return found

    return table.checked(key, value, array)


def shown(value: Any) -> str:
    """Return a value in a few words."""
    if isinstance(value, (bool, str)):
        return repr(shorten(printable(str(value)), 40))
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    if isinstance(value, Real):
        return f"{value}"
    return kind(value)


def exact(text: str) -> Any:
    """Return the exact number that a text is."""
    found = read_formula(text)
    try:
        float(found)
    except (ValueError, OverflowError):
        raise BadExpression(text, "write 0.5, 1e-3 or pi/2.") from None
    return found


def as_numbers(name: str, value: Any) -> Any:
    """Return numbers as they are, and formulas as numbers, alone or in lists."""
    if isinstance(value, (list, tuple)):
        return [as_numbers(name, x) for x in value]
    if isinstance(value, str):
        return float(exact(value))
    if isinstance(value, bool) or not isinstance(value, Real):
        raise WrongValue(name, f"is {shown(value)}", NUMERIC)
    return value


def _numbers(name: str, value: Any) -> np.ndarray:
    return checks.numbers(name, as_numbers(name, value), NUMERIC.removeprefix("give "))
