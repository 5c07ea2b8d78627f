"""Robots and states that many tests look at.

A robot cannot be changed, and it keeps the kernels that it compiled; so tests share these robots,
and what was compiled for one test serves the next. A test that counts or alters what is compiled
makes a robot of its own: `qddot.Robot(ARM.model)`.
"""

from __future__ import annotations

from functools import cache

import numpy as np

import qddot
from qddot.model import Joint, Link, Placement, build
from qddot.robot.quantities import OF_A_FRAME, SIMPLE, WITH_LOADS

ARM = qddot.load("two_link")
POINT = qddot.load("two_link_point")
PANDA = qddot.load("panda")
UR5 = qddot.load("ur5")
# the Panda without its wrist: it moves in space, with one joint more than a place asks for
SHOULDER = PANDA.locked({"panda_joint5": 0.0, "panda_joint6": 1.9, "panda_joint7": 0.5})
# it has no joint that moves, and two frames
STILL = qddot.Robot(
    build(
        "still",
        [Link("base"), Link("tip")],
        [Joint("j", "fixed", "base", "tip", Placement((1.0, 2.0, 3.0)))],
    )
)

# what is known of a state: the inputs of a quantity, and its definition over any scalar
QUANTITIES = {
    **{name: (("q", "qd", last) if last else ("q", "qd"), define)
       for name, (last, define) in WITH_LOADS.items()},
    **{name: what for name, what in SIMPLE.items() if name not in OF_A_FRAME},
}  # fmt: skip


@cache
def states(n: int, count: int = 3, largest: float = 2.0) -> np.ndarray:
    """Return q, q̇ and q̈ of so many usual states, the same for the same n: shape (3, count, n)."""
    found = np.random.default_rng(n).uniform(-largest, largest, (3, count, n))
    found.flags.writeable = False  # tests share them
    return found
