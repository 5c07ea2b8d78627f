"""What the name of a column says: which quantity, which joint, in what unit.

q.<joint>   position_<joint>   <joint>.velocity   tau1   effort[0]   Torque Joint_1 [N·m]
actual_q_0   actual_current_0   state.tau_J[0]

The last line is what UR's RTDE and libfranka write.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from qddot.errors import did_you_mean, listing, printable
from qddot.identification.log import bad_log
from qddot.timeseries import Table

# words for what is measured, then for currents, then for what a controller computes
SPELLINGS = {
    "q": (
        *("q", "pos", "position", "angle", "joint_position", "joint_pos", "joint_angle"),
        *("actual_q", "qpos"),
    ),
    "qd": (
        *("qd", "dq", "qdot", "vel", "velocity", "speed", "joint_velocity", "joint_vel"),
        *("actual_qd", "qvel"),
    ),
    "qdd": ("qdd", "ddq", "qddot", "acc", "acceleration", "joint_acceleration"),
    "tau": (
        *("tau", "torque", "effort", "joint_torque", "joint_effort", "tau_j", "eff"),
        "actual_current_as_torque",
    ),
    # known, so that nobody takes it for what was measured
    "command": (
        *("q_d", "q_des", "q_desired", "q_cmd", "q_command", "q_ref", "q_reference", "q_target"),
        *("target_q", "commanded_q", "position_command", "desired_position"),
    ),
}
CURRENT_WORDS = ("current", "joint_current", "motor_current")
COMPUTED_WORDS = ("target_moment",)
MEASURED, CURRENT, COMPUTED = range(3)  # which of them goes first
MEANING = {word: (name, MEASURED) for name, words in SPELLINGS.items() for word in words}
MEANING |= dict.fromkeys(CURRENT_WORDS, ("tau", CURRENT))
MEANING |= dict.fromkeys(COMPUTED_WORDS, ("tau", COMPUTED))
WORD = "|".join(re.escape(word) + "s?" for word in sorted(MEANING, key=len, reverse=True))
# which part of a recording a word is in: what was measured, and what was only asked for
PARTS = "robot_state state measured_joint_state joint_states? observations? obs data actual"
BEFORE = rf"(?:(?:{PARTS.replace(' ', '|')}|meas(?:ured)?)[._ /])*?"
ASKED_FOR = "action target cmd command commanded desired desired_joint_state des ref reference"
COMMANDED = re.compile(rf"(?:{ASKED_FOR.replace(' ', '|')})[._ /](?P<what>.*)", re.I)
FIRST = re.compile(
    rf"{BEFORE}(?P<what>{WORD})(?:(?P<number>\d+)|\[(?P<index>\d+)\]|[._ /:-]+(?P<joint>.+))", re.I
)
ALONE = re.compile(rf"{BEFORE}(?P<what>{WORD})", re.I)
LAST = re.compile(rf"(?P<joint>.+?)[._ /:-]+(?P<what>{WORD})", re.I)
LIBFRANKA = {"time", "success_rate", "state.q[0]", "state.tau_J[0]"}  # whose times are in ms
TIME = re.compile(
    r"(?:t|time|times|timestamp|time_?stamp|stamp|elapsed(?:_time)?|seconds?|secs?)"
    r"(?:[._ ]?(?P<unit>s|sec|ms|us|ns))?",
    re.I,
)
NUMBERED = re.compile(r"(?P<first>\d{1,6})(?:\s*[-:]\s*(?P<last>\d{1,6}))?", re.ASCII)
UNIT = re.compile(r"(?P<name>.*\S)\s*[\[(](?P<unit>[^\[\]()\d][^\[\]()]*)[\])]")


def by_name(table: Table) -> dict[str, dict[str, str]]:
    """Return what the names of the columns say: for each quantity, the column of each joint.

    Where a log has torques, its currents are left out, and what a controller computed is taken
    only where nothing else is there.
    """
    found: dict[str, dict[int, dict[str, str]]] = {}
    for name in table.names:
        bare, _ = without_unit(name)
        if table.quantity == "t":
            continue
        if table.quantity:
            if not TIME.fullmatch(bare):
                what = meaning(bare)
                joint = what[2] if what and what[0] == table.quantity else bare
                kind = found.setdefault(table.quantity, {}).setdefault(MEASURED, {})
                kind.setdefault(joint, name)
        elif what := meaning(bare):
            quantity, rank, joint = what
            found.setdefault(quantity, {}).setdefault(rank, {}).setdefault(joint, name)
    if "q" not in found and not table.quantity:  # of one joint, which needs no name
        for name in table.names:
            if match := ALONE.fullmatch(without_unit(name)[0]):
                quantity, rank = quantity_of_word(match["what"])
                found.setdefault(quantity, {}).setdefault(rank, {}).setdefault("1", name)
    return {quantity: kinds[min(kinds)] for quantity, kinds in found.items()}


def meaning(bare: str) -> tuple[str, int, str] | None:
    """Return the quantity, how it is known (`MEASURED`, ...) and the joint that a name says."""
    match = FIRST.fullmatch(bare)
    if match is None and (asked := COMMANDED.fullmatch(bare)):  # of what is asked for: positions
        what = meaning(asked["what"])
        return ("command", MEASURED, what[2]) if what and what[0] == "q" else None
    match = match or LAST.fullmatch(bare)
    if match is None:
        return None
    parts, word = match.groupdict(), match["what"].lower()
    quantity, rank = quantity_of_word(word)
    joint = str(parts["joint"] or parts.get("number") or parts.get("index"))
    return quantity, rank, joint


def quantity_of_word(word: str) -> tuple[str, int]:
    """Return the quantity that a word of SPELLINGS, or several of it, means, and its rank."""
    word = word.lower()
    return MEANING.get(word) or MEANING[word.removesuffix("s")]


def without_unit(name: str) -> tuple[str, str]:
    """Return a name and the unit that stands behind it in brackets: "q1 [deg]"."""
    match = UNIT.fullmatch(name)
    return (match["name"], match["unit"].strip()) if match else (name, "")


def numbered_joints(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the joints that are named by numbers alone, in order, if they run from 0 or from 1."""
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


def picked_by_number(
    those: Mapping[str, str], joints: Sequence[str], order: Sequence[str]
) -> list[str] | None:
    """Return the columns of joints that have names, where columns have numbers, or the reverse.

    Joint j1 is number 1. Where names have no such numbers, the columns are in order.
    `joints` and `order` are the names of other columns: of these joints, and of all.
    """
    if len(those) != len(joints) or not (numbered_joints([*those]) or numbered_joints(joints)):
        return None
    numbers = [re.sub(r".*\D", "", name) for name in (*joints, *those)]
    wanted, there = numbers[: len(joints)], dict(zip(numbers[len(joints) :], those, strict=True))
    if set(wanted) == set(there) and len(there) == len(those):
        return [those[there[number]] for number in wanted]
    return [those[n] for n in numbered_joints([*those])] if list(order) == list(joints) else None


def alike_but_for_a_prefix(names: Sequence[str], tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the joints of a log that are those of a robot but for a common beginning, or none.

    A robot's panda_joint1, panda_joint2, ... are fer_joint1, fer_joint2, ... of a log; where
    left_s0 and right_s0 are both there, neither is.
    """
    words = [re.split(r"[\W_]+", name.casefold()) for name in names]
    shared = 0
    while all(len(w) > shared + 1 for w in words) and len({w[shared] for w in words}) == 1:
        shared += 1
    ends = ["".join(w[shared:]) for w in words]
    there = {key(token): token for token in tokens}
    starts = {k.removesuffix(ends[0]) for k in there if ends and k.endswith(ends[0])}
    found = [s for s in starts if all(f"{s}{end}" in there for end in ends)]
    return tuple(there[found[0] + end] for end in ends) if len(found) == 1 else ()


def time_column(table: Table, said: Any) -> str | None:
    """Return the column of times of a table, or None; `said` is the one that the caller names."""
    if said is not None:
        return expanded([said], table)[0] if there(said, table) else None
    found = [name for name in table.names if TIME.fullmatch(without_unit(name)[0])]
    if not found and table.quantity == "t":
        found = list(table.names)
        if len(found) != 1:
            raise bad_log(
                table.source,
                f"it has {len(found)} columns, and none is called time",
                "Say which holds the times: columns={'t': ...}.",
            )
    return min(found, key=lambda name: (len(name), name)) if found else None


def time_unit(table: Table, clock: str) -> str:
    """Return the unit that a column of times has by its name, or ""."""
    if clock == "time" and set(table.names) >= LIBFRANKA:
        return "ms"
    match = TIME.fullmatch(without_unit(clock)[0])
    return (without_unit(clock)[1] or str((match and match["unit"]) or "")).lower()


# columns that the caller names: by name, by the array that they are of, or by number from 1


def there(said: Any, table: Table) -> bool:
    """Return whether a table has what the caller names."""
    text = str(said)
    if text in table.names or text in table.groups:
        return True
    numbers = NUMBERED.fullmatch(text)
    if numbers is None:
        return False
    first, last = int(numbers["first"]), int(numbers["last"] or numbers["first"])
    return 1 <= first <= last <= len(table.names)


def expanded(said: Sequence[Any], table: Table) -> list[str]:
    """Return the columns that are meant: "q.j1", "meas.q" for all of an array, "3", "1-7"."""
    found: list[str] = []
    for text in map(str, said):
        if not there(text, table):
            known = [*table.names, *table.groups]
            raise bad_log(
                table.source,
                f"it has no column {printable(text)!r}.{did_you_mean(text, known)} "
                f"It has: {listing(table.names, 12)}",
                "Correct columns={...}: names, or numbers from 1 to "
                f"{len(table.names)}, as in 1-7.",
            )
        if text in table.names:
            found.append(text)
        elif text in table.groups:
            found += table.groups[text]
        elif numbers := NUMBERED.fullmatch(text):
            first = int(numbers["first"])
            found += table.names[first - 1 : int(numbers["last"] or first)]
    return found
