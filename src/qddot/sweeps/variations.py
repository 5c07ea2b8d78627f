"""What runs differ in: the [vary] table of a plan, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from qddot.errors import did_you_mean, shorten
from qddot.readers import fields
from qddot.readers.document_table import MOST_TOLD, DocumentTable
from qddot.sweeps.quantities import SAMPLERS, Distribution, PlanQuantity

GRIDS = ("grid", "linspace", "geomspace")
KINDS = (*GRIDS, *SAMPLERS)
MODES = ("value", "factor", "offset")
KEYS = ("as", "clip", "shared")
NUMBERS = {
    "uniform": ("low", "high"),
    "normal": ("mean", "standard deviation"),
    "lognormal": ("median", "standard deviation of the logarithm"),
    "triangular": ("low", "peak", "high"),
    "linspace": ("first", "last", "how many"),
    "geomspace": ("first", "last", "how many"),
}
MOST_POINTS = 10_000_000  # along one axis of a grid


@dataclass(frozen=True, eq=False)
class Variation:
    """One line of [vary]: a quantity, or a part of it, on a grid or drawn."""

    key: str
    quantity: PlanQuantity
    part: int | None  # None: all of it
    mode: str  # what the numbers are: the value, a factor on the nominal one, an offset to it
    grid: np.ndarray | None = None  # (points, width)
    distribution: Distribution | None = None

    @property
    def width(self) -> int:
        return self.quantity.width if self.part is None else 1

    @property
    def kind(self) -> str:
        """How it varies: "grid", "uniform", ..."""
        return self.distribution.kind if self.distribution else "grid"

    @property
    def lowest(self) -> float:
        """The smallest number that may come."""
        return self.distribution.lowest if self.distribution else float(np.min(self.points))

    @property
    def middle(self) -> float:
        """A number in the middle of those that may come."""
        if self.distribution is None:
            return float(np.median(self.points))
        first, *_ = numbers = self.distribution.numbers
        if self.kind in ("normal", "lognormal"):
            return float(first[0])
        return float(np.median([np.median(x) for x in numbers]))

    @property
    def points(self) -> np.ndarray:
        """The points of its grid, (points, width)."""
        return np.asarray(self.grid)

    def applied(self, nominal: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return values from nominal ones and what was drawn, both of shape (runs, width)."""
        if self.mode == "factor":
            return nominal * numbers
        return nominal + numbers if self.mode == "offset" else numbers


def read_variations(
    table: DocumentTable | None,
    quantities: Mapping[str, PlanQuantity],
    places: Mapping[str, tuple[str, int | None]],
    aliases: Mapping[str, str],
) -> tuple[Variation, ...]:
    """Return the lines of [vary], wholes before parts, in the order of the plan.

    `places` has of every name that may be written the quantity and the part meant.
    """
    if table is None:
        return ()
    found: dict[str, Variation] = {}
    known = [*places, *aliases]
    for written, spec in by_key(table.data):
        if len(table.found) > MOST_TOLD:
            break
        key = aliases.get(written, written)
        if key not in places:
            near = did_you_mean(written, known).strip()
            table.problem(shorten(written, 60), "nothing of this name can vary", near or _advice())
            continue
        if key in found:
            table.problem(written, f"{key} varies already", "Keep one of the two.")
            continue
        name, part = places[key]
        one = _variation(table, key, spec, quantities[name], part)
        if one is not None:
            found[key] = one
    table.read.update(table.data)
    return tuple(sorted(found.values(), key=lambda each: each.part is not None))


def by_key(data: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Yield what varies and how; tables that unquoted dots have made are one key again."""
    return fields.flattened(data, lambda table: not table or _is_spec(table))


def _is_spec(value: Mapping[str, Any]) -> bool:
    """Return whether a table says how something varies, as well or as badly as it may."""
    return any(key in (*KINDS, *KEYS) or not isinstance(x, Mapping) for key, x in value.items())


def _variation(
    table: DocumentTable, key: str, spec: Any, quantity: PlanQuantity, part: int | None
) -> Variation | None:
    if not isinstance(spec, Mapping):
        table.problem(
            key,
            f"it is {fields.shown(spec)}",
            f"Say how it varies: {{ uniform = [low, high] }} or {{ grid = [...] }}; {_advice()}",
        )
        return None
    own = DocumentTable(spec, (*table.path, key), table.found, table.line_of, f"vary {key!r}")
    kinds = [kind for kind in KINDS if kind in spec]
    before = len(table.found)
    for extra in spec:
        if extra not in (*KINDS, *KEYS):
            near = did_you_mean(str(extra), (*KINDS, *KEYS)).strip()
            own.problem(shorten(str(extra), 40), "this means nothing here", near or _advice())
    if len(kinds) != 1 and len(table.found) == before:
        what = "it does not say how it varies" if not kinds else f"it says {' and '.join(kinds)}"
        own.problem("", what, f"Give one of: {', '.join(KINDS)}.")
    if len(table.found) > before:
        return None
    mode = fields.one_of(own, "as", MODES, "value")
    names = quantity.parts if part is None else ()
    kind = kinds[0]
    width = quantity.width if part is None else 1
    if kind in GRIDS:
        grid = _grid(own, kind, names, width)
        made = None if grid is None else Variation(key, quantity, part, mode, grid)
    else:
        distribution = _distribution(own, kind, names, width)
        made = (
            None
            if distribution is None
            else Variation(key, quantity, part, mode, None, distribution)
        )
    if made is not None:
        _check(own, made)
    return made if len(table.found) == before else None


def _grid(table: DocumentTable, kind: str, names: tuple[str, ...], width: int) -> np.ndarray | None:
    for key in ("clip", "shared"):
        if table.has(key):
            table.problem(key, f"a {kind} has none", "Remove it.")
    value = table.get(kind)
    if kind == "grid":
        if not isinstance(value, (list, tuple)) or not value:
            table.problem(kind, f"it is {fields.shown(value)}", "Give a list of values.")
            return None
        rows = [_row(table, kind, each, names, width) for each in value]
        return None if any(row is None for row in rows) else np.array(rows)
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        return _wrong(table, kind, value)
    ends = [_row(table, kind, each, names, width) for each in value[:2]]
    many = value[2]
    if not isinstance(many, int) or isinstance(many, bool) or not 1 <= many <= MOST_POINTS:
        table.problem(kind, f"it has {fields.shown(many)} points", "Give a whole number of them.")
        return None
    first, last = ends
    if first is None or last is None:
        return None
    if kind == "linspace":
        return np.linspace(first, last, many)
    if not ((first > 0) & (last > 0)).all():
        table.problem(kind, "its ends are not both above zero", "Take linspace, or other ends.")
        return None
    return np.geomspace(first, last, many)


def _distribution(
    table: DocumentTable, kind: str, names: tuple[str, ...], width: int
) -> Distribution | None:
    value = table.get(kind)
    shared = fields.flag(table, "shared", False)
    clip = table.get("clip")
    if clip is not None:
        clip = fields.values(table, "clip", clip, (2,))
        if clip is not None and not clip[0] < clip[1]:
            table.problem("clip", "its first number is not below its second", "Give [low, high].")
        clip = None if clip is None else (float(clip[0]), float(clip[1]))
    if not isinstance(value, (list, tuple)) or not value:
        return _wrong(table, kind, value)
    if kind == "choice":
        rows = [_row(table, kind, each, names, width) for each in value]
        if any(row is None for row in rows):
            return None
        plain = not any(isinstance(each, (list, tuple)) for each in value)
        options = np.array(rows)[:, :1] if plain else np.array(rows)
        return Distribution(kind, (options,), clip, shared)
    if len(value) != len(NUMBERS[kind]):
        return _wrong(table, kind, value)
    numbers = [_row(table, kind, each, names, width) for each in value]
    if any(row is None for row in numbers):
        return None
    first, *_, last = arrays = [np.asarray(row) for row in numbers]
    if kind in ("uniform", "triangular") and any((b < a).any() for a, b in pairwise(arrays)):
        table.problem(kind, f"its numbers do not rise ({', '.join(NUMBERS[kind])})", "Order them.")
    if kind in ("normal", "lognormal") and (last < 0).any():
        table.problem(kind, "its standard deviation is negative", "Give one that is not.")
    if kind == "lognormal" and (first <= 0).any():
        table.problem(kind, "its median is not above zero", "Give one that is.")
    if kind == "triangular" and (last <= first).any():
        table.problem(kind, "its ends are one", "Give [low, peak, high] with low below high.")
    return Distribution(kind, tuple(arrays), clip, shared)


def _row(
    table: DocumentTable, key: str, value: Any, names: tuple[str, ...], width: int
) -> np.ndarray | None:
    """Return one number per part."""
    if names:
        return fields.spread(table, key, value, names)
    found = fields.values(table, key, value, ())
    return None if found is None else np.full(width, found)


def _check(table: DocumentTable, made: Variation) -> None:
    """Note numbers that the quantity cannot have."""
    own, part = made.quantity, slice(None) if made.part is None else [made.part]
    nominal = own.nominal[:, part]
    lowest = made.lowest
    if made.mode != "value" and np.isnan(nominal).all():
        table.problem("as", f"{own.name} has no nominal value", "Give it one under [set].")
        return
    at_least = lowest + float(np.nanmin(nominal)) if made.mode == "offset" else lowest
    if at_least < own.least:
        why = "a normal draw can be" if np.isinf(lowest) else "it can be"
        table.problem(
            "",
            f"{why} below {own.least:g}, which {own.name} cannot",
            "Add clip = [low, high], or take uniform or lognormal.",
        )


def _wrong(table: DocumentTable, kind: str, value: Any) -> None:
    wanted = NUMBERS.get(kind, ("values",))
    table.problem(kind, f"it is {fields.shown(value)}", f"Give [{', '.join(wanted)}].")


def _advice() -> str:
    return "docs/sweeps.md lists what can vary, and how."
