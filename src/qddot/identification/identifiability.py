"""What can be known of a robot's parameters, and why not more, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import listing
from qddot.identification.grouping import Grouping, combination_text
from qddot.plain_text import fitted
from qddot.results import in_notebook, json_ready

if TYPE_CHECKING:
    from qddot.identification.log import Log


@dataclass(frozen=True)
class Group:
    """Parameters that only act together, and so can only be known together."""

    name: str  # of its first member
    members: dict[str, float]  # with their coefficients; NaN where one is a formula
    text: str  # "j1.mx + a1·j2.m"

    @fitted
    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Identifiability:
    """Which combinations of parameters torques show: β = B φ."""

    names: tuple[str, ...]  # of φ
    columns: Grouping = field(repr=False)
    groups: tuple[Group, ...]
    condition: float  # of the base regressor, its columns scaled to the same length
    where: str = "at random states"
    elsewhere: float = float("nan")  # the condition number at random states without limits
    lost: tuple[str, ...] = ()  # groups that the robot has, but that these states do not show

    @property
    def rank(self) -> int:
        """How many combinations can be known."""
        return len(self.groups)

    @property
    def B(self) -> np.ndarray:
        """The combinations, shape (rank, p)."""
        return self.columns.B

    @property
    def base_names(self) -> tuple[str, ...]:
        """The groups, as they are written."""
        return tuple(group.text for group in self.groups)

    @property
    def alone(self) -> tuple[str, ...]:
        """The parameters that can be known by themselves."""
        return tuple(g.name for g in self.groups if len(g.members) == 1)

    @property
    def none(self) -> tuple[str, ...]:
        """The parameters that have no effect at all."""
        return tuple(self.names[k] for k in self.columns.none)

    @property
    def together(self) -> tuple[str, ...]:
        """The parameters that act, but only together with others."""
        apart = {*self.alone, *self.none}
        return tuple(name for name in self.names if name not in apart)

    @property
    def sentence(self) -> str:
        """The groups in one line, "α1 + a1·α3, α4 identifiable"."""
        return f"{', '.join(self.base_names)} identifiable"

    def why(self, name: str) -> str:
        """Return whether a parameter can be known, and if not, why."""
        if name in self.none:
            return f"{name} cannot be known: it acts on no torque {self.where}."
        if name in self.alone:
            return f"{name} can be known."
        within = [g for g in self.groups if name in g.members]
        others = dict.fromkeys(m for g in within for m in g.members if m != name)
        sums = " and ".join(g.text for g in within[:3])
        more = f" and {len(within) - 3} more" if len(within) > 3 else ""
        return (
            f"{name} alone cannot be known, because it only acts together with "
            f"{listing(others, 6)}: torques show {sums}{more}."
        )

    @fitted
    def __str__(self) -> str:
        number = "" if np.isnan(self.condition) else f"; condition number {self.condition:.3g}"
        free = "" if np.isnan(self.elsewhere) else f" ({self.elsewhere:.3g} at random states)"
        lines = [
            f"{self.rank} of {len(self.names)} parameters can be known {self.where}{number}{free}."
        ]
        joined = [g.text for g in self.groups if len(g.members) > 1]
        if self.alone:
            lines.append(f"  By themselves: {', '.join(self.alone)}.")
        if joined:
            lines.append("  Only together:")
            lines += [f"    {text}" for text in joined]
        if self.none:
            lines.append(f"  No effect at all: {', '.join(self.none)}.")
        if self.lost:
            lines.append(f"  Not shown {self.where}, though the robot has it:")
            lines += [f"    {text}" for text in self.lost]
        return "\n".join(lines)

    __repr__ = __str__

    _repr_html_ = in_notebook("identification.identifiability_html")

    def to_dict(self) -> dict[str, Any]:
        """Return the same facts as plain data."""
        return {
            "rank": self.rank,
            "parameters": list(self.names),
            "groups": [{"text": g.text, "members": json_ready(g.members)} for g in self.groups],
            "alone": list(self.alone),
            "together": {name: self.why(name) for name in self.together},
            "none": list(self.none),
            "lost": list(self.lost),
            "condition": json_ready(self.condition),
            "condition_elsewhere": json_ready(self.elsewhere),
            "where": self.where,
        }


def identifiability(
    names: Sequence[str], columns: Grouping, condition: float, **more: Any
) -> Identifiability:
    """Return the answer in words, from the columns sorted out."""
    groups = [_group(names, columns, i, first) for i, first in enumerate(columns.kept)]
    return Identifiability(tuple(names), columns, tuple(groups), condition, **more)


def _group(names: Sequence[str], columns: Grouping, i: int, first: int) -> Group:
    row = columns.B[i]
    texts: Mapping[int, str] = {k: text for (j, k), text in columns.texts.items() if j == i}
    members = {names[k]: float(row[k]) for k in [first, *np.flatnonzero(row).tolist()]}
    return Group(names[first], members, combination_text(names, row, first, texts))


def not_shown(robot: Any, base: Identifiability, shown: Grouping, log: Log) -> str:
    """Return what a log does not show of a robot, and why."""
    unseen = [base.groups[k].text for k in range(base.rank) if k not in shown.kept]
    seen = "; ".join(one_way(robot, log))
    causes = (
        f"Cause: {seen}"
        if seen
        else (
            "Usual causes: a joint that hardly moves, one that moves slowly, joints that move in "
            "proportion"
        )
    )
    return (
        f"The log shows {len(shown.kept)} of {base.rank} base parameters of robot "
        f"{robot.name!r}: it does not show {listing(unseen, 4)}.\n"
        f"  {causes}.\n"
        "  Move every joint, at different speeds"
    )


def one_way(robot: Any, log: Log) -> list[str]:
    """Return, in words, the joints that rest or turn one way only while their torques count."""
    said = []
    for i, name in enumerate(robot.joint_names):
        rate = log.qd[log.used[:, i], i]
        if not len(rate):
            said.append(f"no torque of joint {name!r} counts, so nothing is known of its friction")
        elif not rate.any():
            said.append(f"joint {name!r} never moves, so nothing is known of its friction")
        elif rate.min() >= 0 or rate.max() <= 0:
            said.append(
                f"joint {name!r} turns one way only, so Coulomb friction and offset act as one"
            )
    return said
