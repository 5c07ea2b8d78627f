"""Quantities of a robot with symbols as formulas in MATLAB, where they are short enough to be read.

They are the definitions of `dynamics`, run on exact polynomials. The Stribeck effect is none and
is added behind; accelerations are none either, but solve M q̈ = τ − (c + g + friction + springs).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.matlab import folded
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.rnea import bias_torque
from qddot.equations.deriving import check_size
from qddot.equations.exact_tree import ExactRobot, exact_robot
from qddot.equations.forms import form
from qddot.equations.nodes import Name, Product
from qddot.equations.polynomial import Polynomial
from qddot.equations.text import TextWriter
from qddot.errors import BadArgument, TooLarge
from qddot.exporting.functions import ExportedFunction
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.robot.quantities import Request, definition
from qddot.scalars import Scalar

MOST_TERMS = 400  # of all entries of a quantity together; more is not read
RUBBING = ("friction_torque", "inverse_dynamics", "bias_torque")  # what has friction in it
LETTERS = {"position": "q", "rate": "qd", "acceleration": "qdd"}


class ReadableForms:
    """What there is of a robot's quantities as formulas, by function."""

    def __init__(self, robot: Robot, fields: Mapping[str, str]):
        self.robot, self.fields = robot, fields

    @cached_property
    def exact(self) -> ExactRobot | None:
        """The robot over polynomials; None where its numbers would change or it is too large."""
        try:
            found = exact_robot(self.robot.model)
            check_size(found)
        except (BadArgument, TooLarge):
            return None
        several = any(friction.further for friction in found.tree.friction)
        several |= any(s.friction != s.friction.polynomial for s in found.tree.shared)
        return None if found.notes or several else found

    def body(self, function: ExportedFunction, result: str) -> list[str] | None:
        """Return the statements of a function, or None where there is no short form."""
        if self.exact is None or function.request is None:
            return None
        quantity = function.request.quantity
        if quantity == "dir2dyn":
            return self._solved(result, "tau + tauint", self._parts_of_u())
        if quantity == "forward_dynamics":
            return self._solved(result, "tau(:)", [])
        value = self._value(function.request)
        if value is None:
            return None
        fading = self._fading(result) if quantity in RUBBING else []
        return [*self._written({result: value}), *fading]

    def _value(self, request: Request) -> np.ndarray | None:
        exact = self.exact
        assert exact is not None
        state = {"q": exact.q, "qd": exact.qd, "qdd": exact.qdd}
        inputs, define = definition(request)
        return self._short(lambda: define(self.steady, *(state[name] for name in inputs)))

    @cached_property
    def steady(self) -> Tree:
        """The exact robot without the Stribeck effect."""
        assert self.exact is not None
        tree = self.exact.tree
        return replace(tree, friction=tuple(friction.steady for friction in tree.friction))

    def _fading(self, result: str) -> list[str]:
        """Return the statements that add the Stribeck effect, (F_static − Fₛ) e^(−(q̇/v)²) sgn q̇."""
        assert self.exact is not None
        lines = []
        for i, friction in enumerate(self.exact.tree.friction, 1):
            if friction.static is not None:
                above = self._text(friction.static - friction.coulomb, {})
                speed = self._text(friction.stribeck_velocity, {})
                fading = f"({above})*exp(-(qd({i})/({speed}))^2)*sign(qd({i}))"
                lines += folded(f"{result}({i}) = {result}({i}) + {fading};")
        return lines

    def _short(self, define: Any) -> np.ndarray | None:
        """Return what a definition gives, where it is polynomials that are short."""
        try:
            value = np.asarray(define(), dtype=object)
        except (BadArgument, TypeError, AttributeError):  # a division by what is no number
            return None
        terms = sum(len(x) if isinstance(x, Polynomial) else 1 for x in value.reshape(-1))
        return value if terms <= MOST_TERMS else None

    def _parts_of_u(self) -> list[str]:
        n = self.robot.n
        names = ("q", "qd", "tau", "tauint")
        parts = [f"{x} = u({k * n + 1}:{k * n + n});" for k, x in enumerate(names)]
        return ["u = u(:);", *parts]

    def _solved(self, result: str, torque: str, before: list[str]) -> list[str] | None:
        exact = self.exact
        assert exact is not None
        M = self._short(lambda: mass_matrix(exact.tree, exact.q))
        bias = self._short(lambda: bias_torque(self.steady, exact.q, exact.qd))
        if M is None or bias is None:
            return None
        return [
            "% M qdd + h = tau; h has centrifugal, Coriolis and gravity torques, friction, springs",
            *before,
            *self._written({"M": M, "h": bias}),
            *self._fading("h"),
            f"{result} = M \\ ({torque} - h);",
        ]

    def _written(self, values: Mapping[str, np.ndarray]) -> list[str]:
        """Return the statements that store some quantities, their sines and cosines first."""
        used: dict[str, str] = {}
        lines: list[str] = []
        for name, value in values.items():
            if not value.ndim:
                lines += folded(f"{name} = {self._text(value.item(), used)};")
                continue
            shape = value.shape if value.ndim > 1 else (len(value), 1)
            lines.append(f"{name} = zeros({', '.join(map(str, shape))});")
            symmetric = value.ndim == 2 and len(value) == len(value.T) and (value == value.T).all()
            for place in np.ndindex(value.shape):
                if not isinstance(value[place], Polynomial) and not value[place]:
                    continue
                at = ", ".join(str(k + 1) for k in place)
                mirror = ", ".join(str(k + 1) for k in reversed(place))
                below = symmetric and place[0] > place[1]
                text = f"{name}({mirror})" if below else self._text(value[place], used)
                lines += folded(f"{name}({at}) = {text};")
        return [*(f"{name} = {meant};" for name, meant in sorted(used.items())), *lines]

    def _text(self, x: Scalar, used: dict[str, str]) -> str:
        writer = MatlabWriter(x, self.fields, used)
        return writer.write(form(x))


class MatlabWriter(TextWriter):
    """A formula in MATLAB, with every digit; notes which sines and cosines it has used."""

    def __init__(self, x: Scalar, fields: Mapping[str, str], used: dict[str, str]):
        super().__init__(x, digits=17, ascii=True)
        self.letters, self.full = ("s", "c"), False  # parameters are fields of p
        self.fields, self.used = fields, used

    def product(self, node: Product) -> str:
        sign = self.minus if node.coefficient < 0 else ""
        size = abs(node.coefficient)
        parts = [] if size == 1 else [self.number(size)]
        return sign + "*".join([*parts, *(self.factor(factor) for factor in node.factors)])

    def parameter(self, label: str) -> str:
        return "pi" if label == "pi" else f"p.{self.fields[label]}"

    def variable(self, node: Name) -> str:
        return f"{LETTERS[node.kind]}({node.joints[0][0] + 1})"

    def short(self, node: Name) -> str:
        text = super().short(node)
        if text:
            self.used[text] = self.spelt_out(node, 1)
        return text

    def raised(self, base: str, exponent: int) -> str:
        return f"{base}^{exponent}" if exponent > 0 else f"{base}^({exponent})"
