"""A robot over polynomials, with the letters of its lecture deck to write formulas with."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

import numpy as np
import pytest

from qddot.equations.exact_tree import exact_robot
from qddot.formulations import TITLES
from qddot.formulations.derivation import Derivation
from qddot.formulations.frames import seen_from, users_frames
from qddot.formulations.notation_file import notation
from qddot.readers.read import read
from qddot.scalars.reader import read_formula

MODULES = {name: import_module(f"qddot.formulations.{name}") for name in TITLES}
# of the formulations that take the tree; others read the model themselves
DERIVE = {name: module.derive for name, module in MODULES.items() if not hasattr(module, "read")}
ARMS = [
    f"{arm}_symbolic"
    for arm in ("two_link_point", "rp", "two_link_cylinders", "two_link", "double_pendulum")
]
each_formulation = pytest.mark.parametrize("derive", DERIVE.values(), ids=DERIVE)
each_arm = pytest.mark.parametrize("name", ARMS)


class Board:
    """A robot over polynomials, and the letters that its deck writes with."""

    def __init__(self, name: str):
        self.robot = exact_robot(read(f"{name}_symbolic"))
        self.tree, self.q, self.qd = self.robot.tree, self.robot.q, self.robot.qd
        self.v = list(self.qd)
        n = self.tree.n
        self.s = [self.robot.ring.element("s", i) for i in range(n)]
        self.c = [self.robot.ring.element("c", i) for i in range(n)]

    def __call__(self, formula: str):
        """Return a formula of the robot's parameters."""
        return self.robot.ring.scalar(read_formula(formula))

    @property
    def s12(self):
        return self.s[0] * self.c[1] + self.c[0] * self.s[1]

    @property
    def c12(self):
        return self.c[0] * self.c[1] - self.s[0] * self.s[1]

    def derive(self, formulation: str, letters: str = "qddot", frames=None) -> Derivation:
        """Return a derivation in the letters of a notation, by default in the user's frames."""
        names = users_frames(self.robot.model, self.tree) if frames is None else frames
        written = notation(letters).of(self.robot.ring.turns)
        tree = seen_from(self.tree, names)
        return DERIVE[formulation](tree, self.q, self.qd, written, self.robot.qdd)


@cache
def board(name: str) -> Board:
    return Board(name)


def value(derivation: Derivation, name: str):
    """Return the one step of a derivation that has this symbol."""
    bare = [re.sub(r"[{} ]", "", text) for text in (name, *(s.symbol for s in derivation.steps))]
    (found,) = {k for k, symbol in enumerate(bare[1:]) if symbol == bare[0]}
    return derivation.steps[found].value


def equal(found, expected) -> bool:
    """Return whether all entries are the same polynomials."""
    found, expected = np.asarray(found, dtype=object), np.asarray(expected, dtype=object)
    assert found.shape == expected.shape
    return all(a == b for a, b in zip(found.flat, expected.flat, strict=True))
