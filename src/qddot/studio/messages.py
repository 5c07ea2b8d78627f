"""What a page may ask, read with suspicion: JSON of a sane size, numbers that are finite; answers.

Every refusal is a `BadArgument` whose words the page shows.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot import checks
from qddot.checks import is_number, is_whole
from qddot.errors import BadArgument, WrongValue, did_you_mean, printable, shorten
from qddot.results import json_text

LARGEST = 12 * 2**20  # [bytes] of a message
LARGEST_FILE = 8 * 2**20  # [bytes] of a file in it
MOST_PARTS = 50_000  # commas and brackets: a state of a robot has some dozens
DEEPEST = 12  # lists in lists
LARGEST_WHOLE = 2**53  # beyond it JavaScript cannot count
FAR = 1e9  # [SI] of a position, a rate, a friction: beyond it sines and products lose their digits
LONGEST_NAME = 1000


@dataclass(frozen=True)
class Question:
    """One message of a page."""

    id: int
    do: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def only(self, *known: str) -> None:
        """Refuse fields that the question does not have, so that none is lost in silence."""
        for name in self.fields:
            if name not in known:
                raise BadArgument(f"{self.do!r} knows no {shown(name)}.{did_you_mean(name, known)}")

    def has(self, key: str) -> bool:
        return self.fields.get(key) is not None

    def take(self, key: str, check: Callable[[str, Any], Any], *otherwise: Any) -> Any:
        """Return a field as a check of `checks.py` returns it; `otherwise` where it is absent."""
        value = self.fields.get(key)
        if value is None and otherwise:
            return otherwise[0]
        try:
            return check(f"{key} of {self.do!r}", value)
        except WrongValue as error:
            if value is not None:
                raise
            raise WrongValue(error.name, "is missing", error.wanted) from None

    def text(self, key: str, *otherwise: str) -> str:
        """Return a field that is a text."""
        return self.take(key, lambda name, x: checks.text(name, x, LONGEST_NAME), *otherwise)

    def choice(self, key: str, known: Sequence[str]) -> str:
        """Return a field that is one of a few words."""
        return self.take(key, lambda name, x: checks.one_of(name, x, known))

    def flag(self, key: str) -> bool:
        """Return a field that is true or false, false where it is not there."""
        return self.take(key, checks.flag, False)

    def whole(self, key: str, below: int) -> int:
        """Return a field that is a whole number from 0."""
        return self.take(key, lambda name, x: checks.whole(name, x, 0, below - 1))

    def number(self, key: str, least: float, most: float) -> float:
        """Return a field that is a number within bounds."""
        return self.take(key, lambda name, x: checks.number(name, x, least=least, most=most))

    def numbers(
        self, key: str, count: int, *otherwise: np.ndarray | None, most: float = FAR
    ) -> Any:
        """Return a field that is a list of so many numbers, none of them beyond ±most."""

        def listed(name: str, value: Any) -> np.ndarray:
            if not isinstance(value, list) or not all(map(is_number, value)) or len(value) != count:
                found = f"a list of {len(value)}" if isinstance(value, list) else shown(value)
                wanted = "1 number in a list" if count == 1 else f"{count} numbers"
                raise WrongValue(name, f"is {found}", f"it must be {wanted}")
            for number in value:
                if abs(number) > most:
                    raise WrongValue(name, f"holds {number:g}", f"it must be {span(most)}")
            return np.array(value, dtype=float)

        return self.take(key, listed, *otherwise)

    def each(self, key: str, count: int) -> np.ndarray | None:
        """Return a field that is one number for all or a list of so many; None if it is absent."""
        value = self.fields.get(key)
        value = [value] * count if is_number(value) else value
        return Question(self.id, self.do, {key: value}).numbers(key, count, None)

    def part(self, key: str, *otherwise: None) -> Any:
        """Return a field that has fields itself."""

        def inner(name: str, value: Any) -> Question:
            if not isinstance(value, dict):
                raise WrongValue(name, f"is {shown(value)}", "it must be an object with fields")
            return Question(self.id, f"{self.do} {key}", value)

        return self.take(key, inner, *otherwise)

    def data(self) -> bytes:
        """Return the bytes of a dropped file."""
        return self.take("data", _file)


def span(most: float) -> str:
    return f"between {-most:g} and {most:g}"


def _file(name: str, value: Any) -> bytes:
    if isinstance(value, str) and len(value) > (LARGEST_FILE + 2) // 3 * 4:
        raise BadArgument(
            f"The file is larger than {LARGEST_FILE // 2**20} MiB, the most that can be "
            "dropped here.\n  Start the studio with it: qddot studio FILE. Or is it another "
            "file that you meant?"
        )
    try:
        return base64.b64decode(value.encode("ascii"), validate=True)
    except (AttributeError, ValueError):  # no text, no ASCII, no base64
        raise WrongValue(name, f"is {shown(value)}", "it must be the file in base64") from None


def shown(value: Any) -> str:
    """Return a value of a message for people: short, and nothing in it that steers a terminal."""
    return printable(shorten(repr(value) if isinstance(value, str) else json.dumps(value), 60))


def read_fields(message: str | bytes) -> dict[str, Any]:
    """Return the fields of a message, not checked yet.

    What is not a JSON object, or beyond any honest question, is refused.
    """
    if isinstance(message, bytes):
        raise BadArgument("The message is binary; the studio reads JSON text.")
    parts = sum(message.count(sign) for sign in ",[{")
    if parts > MOST_PARTS:
        raise BadArgument(f"The message has {parts} parts; no question has more than {MOST_PARTS}.")
    try:
        value = json.loads(message)
    except RecursionError:
        raise BadArgument("The message is nested too deeply.") from None
    except ValueError as error:
        raise BadArgument(f"The message is not JSON: {printable(shorten(str(error)))}.") from None
    if not isinstance(value, dict):
        raise BadArgument('The message is not an object like {"id": 1, "do": "welcome"}.')
    return value


def id_of(fields: Mapping[str, Any]) -> int | None:
    """Return the number by which the page knows its question, if it has one."""
    value: Any = fields.get("id")
    return value if is_whole(value) and abs(value) <= LARGEST_WHOLE else None


def read_question(fields: dict[str, Any], known: Sequence[str]) -> Question:
    """Return the question in the fields of a message.

    It is refused if it is none of those known, nested too deeply, or holds numbers that are not
    finite.
    """
    check(fields)
    number, do = id_of(fields), fields.get("do")
    if number is None:
        raise BadArgument(f"id is {shown(fields.get('id'))}; it must be a whole number.")
    if not isinstance(do, str) or do not in known:
        near = did_you_mean(do, known) if isinstance(do, str) else ""
        raise BadArgument(
            f"There is no question {shown(do)}.{near}\n  There are: {', '.join(known)}."
        )
    rest = {key: value for key, value in fields.items() if key not in ("id", "do")}
    return Question(number, do, rest)


def check(value: Any) -> None:
    """Refuse what is nested too deeply, and numbers that are not finite or too large to count."""
    waiting: list[tuple[Any, int]] = [(value, 1)]
    while waiting:
        here, depth = waiting.pop()
        if depth > DEEPEST:
            raise BadArgument(f"The message is nested more than {DEEPEST} deep.")
        if isinstance(here, (dict, list)):
            inner = here.values() if isinstance(here, dict) else here
            waiting += [(x, depth + 1) for x in inner if isinstance(x, (dict, list, int, float))]
        elif isinstance(here, float) and not math.isfinite(here):
            raise BadArgument(
                "The message holds NaN, Infinity or a number beyond 1e308; numbers must be finite."
            )
        elif isinstance(here, int) and abs(here) > LARGEST_WHOLE:
            raise BadArgument("A whole number in the message is larger than 2^53.")


def encoded(answer: Mapping[str, Any]) -> str:
    """Return an answer as text, in ASCII, so that no name in it can upset a decoder."""
    return json_text(answer, separators=(",", ":"))
