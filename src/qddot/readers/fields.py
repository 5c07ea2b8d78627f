"""Fields of a description: numbers, counts, vectors, choices; each refused with words if wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from qddot.errors import (
    BadExpression,
    did_you_mean,
    listing,
    printable,
    shorten,
)
from qddot.readers.document_table import DocumentTable, kind
from qddot.scalars.reader import read_formula


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

    Args:
        data: What a file or a person gives.
        is_value: Whether a table is a value itself.
        before: What stands in front of the keys.
    """
    for key, value in data.items():
        if isinstance(value, Mapping) and not is_value(value):
            yield from flattened(value, is_value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def one_of(table: DocumentTable, key: str, known: Collection[str], default: str) -> str:
    """Return a name that is one of those known, however written: Rk4, pd-gravity."""
    text = table.text(key, default)
    wanted = text.strip().lower().replace("-", "_")
    found = next((name for name in known if name.lower() == wanted), None)
    if found is None:
        near = did_you_mean(text, known).strip()
        table.problem(key, f"there is no {shorten(text)!r}", near or f"There are: {listing(known)}")
        return default
    return found


def count(table: DocumentTable, key: str, default: int, least: int) -> int:
    """Return a whole number."""
    value = table.get(key)
    if value is None:
        return default
    if isinstance(value, str):
        value = number(table, key, None)
        if value is None:
            return default
    whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value, whole = int(value), True
    if not whole or not least <= value < 2**63:
        table.problem(
            key, f"it is {shown(value)}", f"Give a whole number, {least} or more, below 2^63."
        )
        return default
    return int(value)


def number(table: DocumentTable, key: str, default: float | None, least: float = -np.inf) -> Any:
    """Return a number, or the default where it is not given."""
    value = table.get(key)
    if value is None:
        return default
    found = values(table, key, value, ())
    if found is None:
        return default
    if not float(found) >= least:
        table.problem(key, f"it is {shown(value)}", f"Give a number of at least {least:g}.")
        return default
    return float(found)


def positive(table: DocumentTable, key: str, default: float | None, what: str) -> Any:
    """Return a number above zero; `what` says what it is."""
    found = number(table, key, default)
    if found is not None and not found > 0:
        table.problem(key, f"it is {found:g}", f"Give {what}, a number above 0.")
        return default
    return found


def flag(table: DocumentTable, key: str, default: bool) -> bool:
    """Return true or false."""
    value = table.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        table.problem(key, f"it is {shown(value)}", "Write true or false.")
        return default
    return value


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
    one_for_all = one_for_all or len(parts) == 1
    found = values(table, key, value, None)
    if found is None:
        return None
    if found.shape != (len(parts),) and not (one_for_all and found.shape in ((), (1,))):
        count = found.size if found.ndim < 2 else "too many"
        table.problem(
            key,
            f"it has {count} number{'' if count == 1 else 's'}",
            f"Give {len(parts)}, in order: {listing(parts, 12)}"
            f"{'; or one for all' if one_for_all else ''}.",
        )
        return None
    return np.broadcast_to(found, (len(parts),)).copy()


def formula(table: DocumentTable, key: str, text: str) -> Any:
    """Return the exact number that a text is; None, and a problem, where it is none."""
    try:
        found = read_formula(text)
        float(found)
    except BadExpression as error:
        table.problem(key, str(error).rstrip("."), "")
        return None
    except (ValueError, OverflowError):
        table.problem(key, f"it is {shown(text)}", "Give a number: 0.5, 1e-3 or pi/2.")
        return None
    return found


def values(table: DocumentTable, key: str, value: Any, shape: tuple[int, ...] | None) -> Any:
    """Return numbers, formulas among them, as an array; None, and a problem, where it is none."""
    try:
        found = np.array(_plain(value), dtype=float)
    except BadExpression as error:
        table.problem(key, str(error).rstrip("."), "")
        return None
    except (TypeError, ValueError, OverflowError):
        table.problem(
            key, f"it is {shown(value)}", "Give a number or a formula, or a list of them."
        )
        return None
    if shape is not None and found.shape != shape:
        wanted = f"{shape[0]} numbers in brackets" if shape else "one number"
        table.problem(key, f"it is {shown(value)}", f"Give {wanted}.")
        return None
    if not np.isfinite(found).all():
        table.problem(key, f"it is {shown(value)}", "Every number must be finite.")
        return None
    return found


def shown(value: Any) -> str:
    """Return a value in a few words."""
    if isinstance(value, (bool, str)):
        return repr(shorten(printable(str(value)), 40))
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    if isinstance(value, Real):
        return f"{value}"
    return kind(value)


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(x) for x in value]
    if isinstance(value, str):
        found = read_formula(value)
        try:
            return float(found)
        except (ValueError, OverflowError):
            raise BadExpression(value, "write 0.5, 1e-3 or pi/2.") from None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError
    return float(value)
