"""What the name of a column tells: which quantity, which joint, in what unit.

q.<joint>   position_<joint>   <joint>.velocity   tau1   effort[0]   Torque Joint_1 [N·m]
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from qddot.errors import did_you_mean, printable
from qddot.identification.log import bad_log
from qddot.timeseries.table import Table

SPELLINGS = {
    "q": ("q", "pos", "position", "angle", "joint_position", "joint_pos", "actual_q"),
    "qd": ("qd", "dq", "qdot", "vel", "velocity", "speed", "joint_velocity", "actual_qd"),
    "qdd": ("qdd", "ddq", "qddot", "acc", "acceleration", "joint_acceleration"),
    "tau": ("tau", "torque", "effort", "joint_torque", "joint_effort"),
}
MEANING = {word: name for name, words in SPELLINGS.items() for word in words}
WORD = "|".join(sorted((f"{word}s?" for word in MEANING), key=len, reverse=True))
FIRST = re.compile(
    rf"(?P<what>{WORD})(?:(?P<number>\d+)|\[(?P<index>\d+)\]|[._ /:-]+(?P<joint>.+))", re.I
)
LAST = re.compile(rf"(?P<joint>.+?)[._ /:-]+(?P<what>{WORD})", re.I)
TIME = re.compile(
    r"(?:t|time|times|timestamp|time_?stamp|stamp|elapsed(?:_time)?|seconds?|secs?)"
    r"(?:[._ ]?(?P<unit>s|sec|ms|us|ns))?",
    re.I,
)
UNIT = re.compile(r"(?P<name>.*\S)\s*[\[(](?P<unit>[^\[\]()\d][^\[\]()]*)[\])]")


def by_name(table: Table) -> dict[str, dict[str, str]]:
    """Return what the names of the columns tell: for each quantity, the column of each joint."""
    found: dict[str, dict[str, str]] = {}
    for name in table.names:
        bare, _ = without_unit(name)
        if table.quantity:
            if not TIME.fullmatch(bare):
                found.setdefault(table.quantity, {}).setdefault(bare, name)
        elif match := FIRST.fullmatch(bare) or LAST.fullmatch(bare):
            parts = match.groupdict()
            word = match["what"].lower()
            quantity = MEANING.get(word) or MEANING[word.removesuffix("s")]
            joint = parts["joint"] or parts.get("number") or parts.get("index")
            found.setdefault(quantity, {}).setdefault(str(joint), name)
    return found


def without_unit(name: str) -> tuple[str, str]:
    """Return a name and the unit that stands behind it in brackets: "q1 [deg]"."""
    match = UNIT.fullmatch(name)
    return (match["name"], match["unit"].strip()) if match else (name, "")


def numbered_joints(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the joints that are told by numbers alone, in order, if they run from 0 or from 1."""
    found = sorted((t for t in tokens if t.isdecimal() and t.isascii()), key=int)
    first = int(found[0]) if found else 0
    runs = list(map(int, found)) == list(range(first, first + len(found))) and first in (0, 1)
    return tuple(found) if runs else ()


def matching(pattern: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return what stands for {joint} or {number} in the names that fit a pattern."""
    text = re.escape(pattern).replace(r"\{joint\}", "(.+)").replace(r"\{number\}", r"(\d+)")
    found = [match[1] for name in names if text.count("(") and (match := re.fullmatch(text, name))]
    return numbered_joints(found) or tuple(found)


def key(name: str) -> str:
    """Return a name as it is compared: "Joint_1" is "joint 1"."""
    return re.sub(r"[\W_]", "", name.casefold())


def picked_columns(those: Mapping[str, str], joints: Sequence[str]) -> list[str] | None:
    """Return the columns of the joints, or None where one is missing."""
    alike = {key(token): column for token, column in those.items()}
    picked = [those.get(joint, alike.get(key(joint))) for joint in joints]
    return None if None in picked else [str(column) for column in picked]


def time_column(table: Table, said: Any) -> str | None:
    """Return the column of times, or None."""
    if said is not None:
        if said not in table.names:
            raise bad_log(
                table.source,
                f"it has no column {printable(str(said))!r}.{did_you_mean(str(said), table.names)}",
                "Correct columns={'t': ...}.",
            )
        return str(said)
    found = [name for name in table.names if TIME.fullmatch(without_unit(name)[0])]
    return min(found, key=lambda name: (len(name), name)) if found else None
