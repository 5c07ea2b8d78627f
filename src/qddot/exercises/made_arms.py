"""Arms made for exercises: Denavit–Hartenberg rows with symbols, the same for the same seed.

Level 1 has two joints and point masses, level 2 two joints and links with inertia, level 3 three
joints. Every arm moves in its own way under gravity, and its equations are short enough to be found
by hand.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

LEVELS = (1, 2, 3)
KINDS = {"R": "revolute", "P": "prismatic"}
QUARTER = {"0": "0", "+": "pi/2", "-": "-pi/2"}
DOWN = {"x": ("-g", 0, 0), "y": (0, "-g", 0), "z": (0, 0, "-g")}
PLANAR = "Two joints that turn, in a vertical plane"
SLIDE = "A joint that turns and a slide across it, in a vertical plane"
# by level: words, kinds of joints, turns about x before them, which links are long, gravity
SHAPES = {
    1: (
        (PLANAR, "RR", "00", "LL", "y"),
        (SLIDE, "RP", "0-", "..", "y"),
        ("A carriage that slides on a level rail, and a pendulum on it", "PR", "0-", ".L", "x"),
    ),
    2: (
        (PLANAR, "RR", "00", "LL", "y"),
        (SLIDE, "RP", "0+", "..", "y"),
        ("A carriage that slides on a level rail, and an arm on it", "PR", "0+", ".L", "x"),
        ("A turntable and a shoulder on it", "RR", "0+", "LL", "z"),
    ),
    3: (
        ("Three joints that turn, in a vertical plane", "RRR", "000", "LLL", "y"),
        ("A turntable, a shoulder and an elbow", "RRR", "0+0", ".LL", "z"),
        ("A turntable, a shoulder and a telescope", "RRP", "0+-", "...", "z"),
        ("A carriage that slides on a level rail, and two links on it", "PRR", "0+0", ".LL", "x"),
    ),
}


@dataclass(frozen=True)
class MadeArm:
    """An arm with symbols, and numbers for them."""

    words: str
    rows: tuple[dict[str, Any], ...]
    gravity: tuple[Any, Any, Any]
    values: dict[str, float]  # of every symbol
    q: tuple[float, ...]  # a pose, in degrees and metres
    qd: tuple[float, ...]
    qdd: tuple[float, ...]
    turns: tuple[bool, ...]

    def file(self, name: str, title: str) -> str:
        """Return the arm as a robot file."""
        lines = [
            f"# {title}",
            f'name = "{name}"',
            f'description = "{self.words}."',
            'convention = "modified"',
            f"gravity = {_toml(self.gravity)}",
        ]
        for row in self.rows:
            lines += ["", "[[dh]]", *(f"{key} = {_toml(value)}" for key, value in row.items())]
        return "\n".join([*lines, ""])


def made_arm(seed: int, level: int) -> MadeArm:
    """Return the arm of a seed and a level; the same ones give the same arm, on every machine."""
    chance = random.Random(f"qddot exercise {seed} {level}")
    words, kinds, quarters, long, down = chance.choice(SHAPES[level])
    length, centre = chance.choice((("L", "l"), ("a", "r"), ("L", "b")))
    values: dict[str, float] = {"g": 9.81}
    rows = []
    for k, (kind, quarter, far) in enumerate(zip(kinds, quarters, long, strict=True), 1):
        own, place, turns = f"{length}{k}", f"{centre}{k}", kind == "R"
        before = f"{length}{k - 1}" if k > 1 and long[k - 2] == "L" else 0
        row: dict[str, Any] = {"type": KINDS[kind], "a": before, "alpha": QUARTER[quarter]}
        row["mass"] = f"m{k}"
        values[f"m{k}"] = chance.choice((1.0, 1.5, 2.0, 2.5, 3.0, 4.0))
        reach = chance.choice((0.3, 0.4, 0.5, 0.6, 0.8))
        last = k == len(kinds)
        if far == "L" and (not last or level == 1):
            values[own] = reach
        if level == 1 and far == "L":
            row["com"] = [own, 0, 0]
        elif turns:
            row["com"] = [place, 0, 0]
            values[place] = round(reach / 2, 3)
        if level > 1 and turns:  # a slender link along x
            row["inertia"] = [0, 0, 0, f"I{k}", 0, f"I{k}"]
            values[f"I{k}"] = round(values[f"m{k}"] * reach**2 / 12, 4)
        rows.append(row)
    turning = tuple(kind == "R" for kind in kinds)

    def state(angles: tuple[float, ...], slides: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(chance.choice(angles if turns else slides) for turns in turning)

    return MadeArm(
        words,
        tuple(rows),
        DOWN[down],
        values,
        # no slide at which the links of such an arm balance each other
        q=state((30, 45, 60, -30, -60), (0.22, 0.33, 0.44)),
        qd=state((-1.5, -1.0, 1.0, 2.0), (-0.5, 0.4, 0.5)),
        qdd=state((-2.0, 1.0, 3.0), (-1.0, 0.5, 1.0)),
        turns=turning,
    )


def _toml(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
