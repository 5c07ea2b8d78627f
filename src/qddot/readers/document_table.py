"""Reading typed fields out of plain tables (TOML, JSON, Python dicts), collecting every problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

from qddot.errors import (
    BadExpression,
    Problem,
    ProblemList,
    QddotError,
    WrongValue,
    did_you_mean,
    shorten,
)
from qddot.model.arguments import from_sympy, is_sympy
from qddot.model.friction import LINEAR
from qddot.model.link import Placement
from qddot.readers.places import Places
from qddot.scalars import Scalar
from qddot.scalars.expressions import Expression, expression, free_symbols
from qddot.scalars.reader import read_formula
from qddot.spatial.rotation import from_quaternion, to_rpy

# what people write for some keys, which does not look like them
MEANT = {"m": "mass", "i": "inertia", "r": "com", "c": "com", "cog": "com", "kind": "type"}
MEANT |= {"min": "lower", "max": "upper"} | {p.column: p.name for p in LINEAR}

MOST_TABLES = 10_000  # of one kind in one place: five times the joints that are read
MOST_TOLD = 20  # keys without a meaning; looking for the nearest one takes its time

LineOf = Callable[[tuple], int | None]  # from a path of keys and indices to a line


class DocumentTable:
    """One table of a document, read field by field; what is wrong goes to `found`."""

    def __init__(
        self,
        data: Any,
        path: tuple,
        found: list[Problem],
        line_of: LineOf,
        place: str = "",
        places: Places | None = None,  # where its meshes may be
    ):
        self.path, self.found, self.line_of = path, found, line_of
        self.place, self.places = place, places or Places()
        self.read: set[str] = set()
        self.data: Mapping[str, Any] = {}
        if isinstance(data, Mapping):
            self.data = data
        else:
            self.problem("", f"it is {kind(data)}, not a table", "Write it as key = value pairs.")

    @property
    def line(self) -> int | None:
        return self.line_of(self.path)

    def problem(self, key: str, message: str, remedy: str) -> None:
        """Note something wrong with one field, or with the table itself."""
        path = (*self.path, key) if key else self.path
        place = self.place or dotted(self.path) or "document"
        what = f"{key}: {message}" if key else message
        self.found.append(Problem("error", place, what, remedy, self.line_of(path)))

    def caught(self, error: QddotError, key: str = "") -> None:
        """Note an error of what was made from the table; every problem that it holds by itself."""
        each = error.errors if isinstance(error, ProblemList) else [error]
        for one in each:
            self.problem(key, " ".join(str(one).split()).rstrip("."), "")

    def has(self, key: str) -> bool:
        return key in self.data

    def get(self, key: str) -> Any:
        self.read.add(key)
        value: Any = self.data.get(key)
        if not hasattr(value, "tolist"):
            return value
        value = value.tolist()  # of NumPy or SymPy; a column is a list
        column = isinstance(value, list) and all(
            isinstance(row, list) and len(row) == 1 for row in value
        )
        return [row[0] for row in value] if column else value

    def take(self, key: str, default: Any, check: Callable[[str, Any], Any]) -> Any:
        """Return a field as a check of `checks.py` returns it; the default where there is none."""
        value = self.get(key)
        return default if value is None else self.checked(key, value, check, default)

    def checked(
        self, key: str, value: Any, check: Callable[[str, Any], Any], otherwise: Any = None
    ) -> Any:
        """Return what a check returns; what is given otherwise, and a problem, if it refuses."""
        try:
            return check(key, value)
        except WrongValue as error:
            remedy = f"{error.wanted[:1].upper()}{error.wanted[1:]}.{error.hint}"
            self.problem(key, f"it {error.found}", remedy)
        except BadExpression as error:
            self.problem(key, str(error).rstrip("."), "")
        return otherwise

    def text(self, key: str, default: str = "") -> str:
        return self.take(key, default, _text)

    def flag(self, key: str, default: bool) -> bool:
        return self.take(key, default, _flag)

    def number(self, key: str, default: Scalar = 0) -> Scalar:
        return self.take(key, default, _scalar)

    def numbers(self, key: str, counts: tuple[int, ...], default: Any) -> Any:
        """Return a tuple of as many numbers as one of `counts` says."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, (list, tuple)) or len(value) not in counts:
            size = kind(value)
            if isinstance(value, (list, tuple)):
                size = "1 number" if len(value) == 1 else f"{len(value)} numbers"
            wanted = " or ".join(str(count) for count in counts)
            self.problem(key, f"it is {size}", f"Give {wanted} numbers in brackets.")
            return default
        return tuple(self.checked(key, x, _scalar, 0) for x in value)

    def rows(self, key: str, count: int) -> tuple[tuple[Scalar, ...], ...]:
        """Return a tuple of rows of so many numbers each."""
        value = self.get(key)
        if value is None:
            return ()
        rows = value if isinstance(value, (list, tuple)) else [value]
        if not all(isinstance(row, (list, tuple)) and len(row) == count for row in rows):
            self.problem(key, f"it is not made of {count} numbers each", "Write [[2, 0.5, 1.2]].")
            return ()
        return tuple(tuple(self.checked(key, x, _scalar, 1) for x in row) for row in rows)

    def moments(self, key: str) -> tuple[Scalar, ...]:
        """Return xx, xy, xz, yy, yz, zz of three moments, six entries or a 3×3 matrix."""
        value = self.get(key)
        rows = value if isinstance(value, (list, tuple)) else ()
        if len(rows) == 3 and all(isinstance(row, (list, tuple)) and len(row) == 3 for row in rows):
            full = [[self.checked(key, x, _scalar, 0) for x in row] for row in rows]
            if any(full[i][j] != full[j][i] for i, j in ((0, 1), (0, 2), (1, 2))):
                self.problem(key, "it is not symmetric", "An inertia matrix is: correct it.")
            return *full[0], *full[1][1:], full[2][2]
        found = self.numbers(key, (3, 6), (0, 0, 0))
        return found if len(found) == 6 else (found[0], 0, 0, found[1], 0, found[2])

    def placement(self) -> Placement:
        """Return the placement of xyz with rpy or a quaternion w, x, y, z."""
        xyz = self.numbers("xyz", (3,), (0, 0, 0))
        quaternion = self.numbers("quaternion", (4,), None)
        rpy = self.numbers("rpy", (3,), None)
        if quaternion is not None:
            if rpy is not None:
                self.problem("quaternion", "there is an rpy as well", "Keep one of the two.")
            elif not any(quaternion):
                self.problem("quaternion", "it is zero", "Give w, x, y, z with a length.")
            elif any(free_symbols(part) for part in quaternion):
                self.problem("quaternion", "it holds symbols", "Give numbers, or use rpy.")
            else:
                rpy = to_rpy(from_quaternion(quaternion))
        return Placement(xyz, rpy or (0, 0, 0))

    def table(self, key: str) -> DocumentTable | None:
        """Return the table under a key, or None where there is none."""
        value = self.get(key)
        if value is None:
            return None
        path = (*self.path, key)
        return DocumentTable(value, path, self.found, self.line_of, self.place, self.places)

    def tables(self, key: str, most: int = MOST_TABLES) -> list[DocumentTable]:
        """Return the tables of an array of tables."""
        value = self.get(key)
        if value is None:
            return []
        if not isinstance(value, (list, tuple)):
            self.problem(key, f"it is {kind(value)}", f"Write each one as [[{key}]].")
            return []
        if len(value) > most:
            message = f"there are {len(value)} of them; at most {most} are read"
            self.problem(key, message, "Is it the right file?")
            return []
        more = self.found, self.line_of
        return [
            DocumentTable(item, (*self.path, key, i), *more, named(key, i, item), self.places)
            for i, item in enumerate(value)
        ]

    def done(self, known: Iterable[str] = ()) -> None:
        """Refuse the keys that were not read."""
        strays = [key for key in self.data if key not in self.read]
        there = {*self.read, *known} - set(self.data)
        for key in strays[:MOST_TOLD]:
            usual = MEANT.get(str(key).lower(), "")
            hint = f" Did you mean {usual!r}?" if usual in there else ""
            hint = hint or did_you_mean(str(key), there)
            remedy = f"Remove it.{hint}" if not hint else hint.strip()
            self.problem(shorten(str(key), 40), "this key means nothing here", remedy)
        if (more := len(strays) - MOST_TOLD) > 0:
            self.problem("", f"{more} more keys mean nothing here", "Remove them.")


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise WrongValue(name, f"is {kind(value)}, not text", "put it in quotes")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise WrongValue(name, f"is {kind(value)}, not true or false", "write true or false")
    return value


def _scalar(name: str, value: Any) -> Scalar:
    """Return an exact number or formula, as a robot has them: 1/3 stays what it is."""
    if isinstance(value, str):
        return read_formula(value)
    if is_sympy(value):
        value = from_sympy(value)
    if isinstance(value, bool) or not isinstance(value, (Real, Expression)):
        raise WrongValue(name, f"is {kind(value)}, not a number", "give a number or a formula")
    plain = isinstance(value, (int, float, Expression))
    number: Any = value if plain else expression(value)
    if isinstance(number, int) and abs(number) > 10**15:
        raise WrongValue(name, "is out of all proportion", "give a number of a sensible size")
    return number


def nearest_line(lines: Mapping[tuple, int]) -> LineOf:
    """Return a function from a path to the line of the nearest thing on it that has one."""

    def line_of(path: tuple) -> int | None:
        while path and path not in lines:
            path = path[:-1]
        return lines.get(path)

    return line_of


def named(key: str, index: int, item: Any) -> str:
    """Return how problems name one table of an array: by its name, else by its number."""
    name = item.get("name") if isinstance(item, Mapping) else None
    kind_of_thing = "row" if key == "dh" else key
    return f"{kind_of_thing} {shorten(name)!r}" if isinstance(name, str) else f"{key}[{index}]"


def dotted(path: tuple) -> str:
    """Return a path of keys and indices as text: joint[2].limits.lower."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def kind(value: Any) -> str:
    """Return what a value is, in words."""
    words = {bool: "true or false", str: "text", dict: "a table", list: "a list", int: "a number"}
    return words.get(type(value), "a number" if isinstance(value, float) else type(value).__name__)
