"""The equations of motion of a robot in closed form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from qddot.dynamics.regressor import parameters, regressor
from qddot.dynamics.rnea import elastic_torque
from qddot.equations.equality import difference, witness
from qddot.equations.exact_tree import ExactRobot, exact_robot
from qddot.equations.formulas import DerivationStep, Listed, Term, formulas, labelled
from qddot.equations.polynomial import partial
from qddot.equations.values import evaluated, generator_values
from qddot.errors import BadArgument, UnknownName, printable
from qddot.formulations.coriolis import factorisations
from qddot.formulations.derivation import Derivation, Part
from qddot.formulations.notation import NOTATION, Notation
from qddot.model.friction import Friction
from qddot.model.tree import Tree
from qddot.model.validation import checked
from qddot.plain_text import fitted, fitting
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.scalars import JointMat, JointVec, Scalar

# quantity: how many of q, q̇ and q̈ it is a function of
INPUTS = {
    "M": 1,
    "C": 2,
    "c": 2,
    "g": 1,
    "tau": 3,
    "gamma": 1,
    "M_rate": 2,
    "friction": 2,
    "springs": 2,
    "K": 2,
    "P": 1,
    "Y": 3,
    "centrifugal": 1,
    "coriolis": 1,
}
QUANTITIES = tuple(INPUTS)


@dataclass(frozen=True, eq=False)
class Equations:
    """τ = M(q) q̈ + C(q, q̇) q̇ + g(q) + friction + springs, each entry an exact polynomial.

    Two are equal when their difference can be shown to be the zero polynomial; see `equal`.
    """

    robot: ExactRobot
    derivation: Derivation
    notation: Notation = NOTATION  # the letters of its steps, and of what is printed
    frames: tuple[str, ...] = ()  # in which the vectors and matrices of each link are written

    @property
    def formulation(self) -> str:
        """How they were derived: "lagrange", "explicit", "trace", ..."""
        return self.derivation.formulation

    @property
    def n(self) -> int:
        """How many degrees of freedom."""
        return self.robot.ring.n

    @cached_property
    def steps(self) -> tuple[DerivationStep, ...]:
        """Every intermediate quantity of the derivation, in order."""
        return Listed(
            DerivationStep(**vars(step), notation=self.notation) for step in self.derivation.steps
        )

    @property
    def parts(self) -> tuple[Part, ...]:
        """The steps in groups, each with a sentence on what is done in it."""
        return self.derivation.parts

    # the terms

    @property
    def M(self) -> JointMat:
        """The mass matrix, rotor inertia included."""
        return formulas(self.derivation.M, "M")

    @property
    def c(self) -> JointVec:
        """Centrifugal and Coriolis torques."""
        return formulas(self.derivation.c, "c")

    @property
    def g(self) -> JointVec:
        """Gravity torques."""
        return formulas(self.derivation.g, "g")

    @cached_property
    def M_slopes(self) -> np.ndarray:
        """∂M_ij/∂q_k, with k last."""
        slopes = np.empty((self.n,) * 3, dtype=object)
        for i, j, k in np.ndindex(slopes.shape):
            slopes[i, j, k] = slopes[j, i, k] if j < i else partial(self.M[i, j], "q", k)
        return slopes

    @cached_property
    def gamma(self) -> np.ndarray:
        """The Christoffel symbols, output index first: c_k = Σ Γ_kij q̇ᵢ q̇ⱼ.

        From the slopes of M:

            Γ_kij = ½ (∂_i M_kj + ∂_j M_ki − ∂_k M_ij)
        """
        D = self.M_slopes
        symbols = np.empty((self.n,) * 3, dtype=object)
        for k, i, j in np.ndindex(symbols.shape):
            total = D[k, j, i] + D[k, i, j] - D[i, j, k]
            symbols[k, i, j] = symbols[k, j, i] if j < i else total / 2
        return formulas(symbols, r"\Gamma")

    @cached_property
    def C(self) -> JointMat:
        """The Christoffel Coriolis matrix, C_kj = Σ_i Γ_kij q̇ᵢ."""
        return formulas(np.einsum("kij,i->kj", self.gamma, self.robot.qd), "C")

    @cached_property
    def M_rate(self) -> JointMat:
        """Ṁ = Σ_k ∂M/∂q_k q̇_k."""
        return formulas(np.einsum("ijk,k->ij", self.M_slopes, self.robot.qd), r"\dot{M}")

    @cached_property
    def centrifugal(self) -> JointMat:
        """The matrix C(q) of c = C(q) [q̇²] + B(q) [q̇ᵢq̇ⱼ]."""
        squares = [[self.gamma[k, i, i] for i in range(self.n)] for k in range(self.n)]
        return formulas(squares, "C")

    @cached_property
    def coriolis(self) -> np.ndarray:
        """The matrix B(q) of c = C(q) [q̇²] + B(q) [q̇ᵢq̇ⱼ], columns 12, 13, ..., 23, ..."""
        pairs = [(i, j) for i in range(self.n) for j in range(i + 1, self.n)]
        B = np.empty((self.n, len(pairs)), dtype=object)
        for k in range(self.n):
            for column, (i, j) in enumerate(pairs):
                B[k, column] = 2 * self.gamma[k, i, j]
        return formulas(B, "B")

    @cached_property
    def Y(self) -> np.ndarray:
        """The regressor of the inertial parameters and rotors: Y φ = M q̈ + c + g."""
        state = (self.robot.q, self.robot.qd, self.robot.qdd)
        return formulas(regressor(self._without_friction, *state), "Y")

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names behind the columns of `Y`, "<joint>.<p>"."""
        return tuple(parameters(self._without_friction))

    @property
    def _without_friction(self) -> Tree:
        return replace(self.robot.tree, friction=(Friction(),) * self.n)

    def coriolis_matrices(self) -> dict[str, JointMat]:
        """Return every Coriolis matrix that has a name; all have C q̇ = c, not all Ṁ − 2C skew."""
        found = factorisations(self.robot.tree, self.robot.q, self.robot.qd)
        return {name: formulas(C, "C") for name, C in found.items()}

    def is_skew(self, C: JointMat) -> bool:
        """Return whether Ṁ − 2C is skew-symmetric, exactly."""
        N = self.M_rate - 2 * C
        return not any((N + N.T).reshape(-1))

    def breakdown(self) -> tuple[Term, ...]:
        """Return the equation as labelled terms: the factors of accelerations and velocities.

        With D_ij = M_ij and D_ijk = Γ_ijk:

            τᵢ = Σ D_ij q̈ⱼ + Σ D_ijj q̇ⱼ² + Σ D_ijk q̇ⱼ q̇ₖ + Dᵢ
        """
        return Listed(labelled(self.M, self.gamma, self.g))

    @cached_property
    def friction(self) -> JointVec:
        """Viscous friction and offsets; dry friction, which is no polynomial, is left out."""
        tree, qd = self.robot.tree, self.robot.qd
        parts = zip(tree.friction, qd, strict=True)
        return formulas([friction.polynomial.torque(v) for friction, v in parts])

    @cached_property
    def springs(self) -> JointVec:
        """The torque of springs and dampers."""
        return formulas(elastic_torque(self.robot.tree, self.robot.q, self.robot.qd))

    @cached_property
    def tau(self) -> JointVec:
        """The torques: everything above together."""
        rigid = self.derivation.torque(self.robot.qdd)
        return formulas(rigid + self.friction + self.springs, r"\tau")

    @cached_property
    def K(self) -> Scalar:
        """The kinetic energy, ½ q̇ᵀ M q̇."""
        return self.robot.qd @ self.M @ self.robot.qd / 2

    @cached_property
    def P(self) -> Scalar:
        """The potential energy."""
        from qddot.dynamics.energy import potential_energy

        return potential_energy(self.robot.tree, self.robot.q)

    # comparison and values

    def __eq__(self, other: object) -> bool:
        """Return whether the two can be shown to give the same τ; see `equal` for what False is."""
        return self.equal(other) is True if isinstance(other, Equations) else NotImplemented

    __hash__ = object.__hash__

    def equal(self, other: Equations) -> bool | None:
        """Return whether the two give the same τ: True, False, or None where it is not decided.

        True: the difference is the zero polynomial. False: there is a state at which they differ,
        beyond all rounding. None: not shown equal, and no state was found at which they differ;
        that takes roots, quotients or fixed angles whose relations are not known.
        """
        if self.n != other.n:
            return False
        pairs = zip(self.tau, other.tau, strict=True)
        wrong = [x for x in (difference(a, b) for a, b in pairs) if x]
        return not wrong or (False if any(map(witness, wrong)) else None)

    def quantity(self, name: str) -> Any:
        """Return a quantity by its name: "M", "C", "c", "g", "tau", "gamma", ..."""
        if name not in QUANTITIES:
            raise UnknownName("quantity", name, self.robot.model.name, QUANTITIES)
        return getattr(self, name)

    def derivative(self, name: str, by: str) -> Any:
        """Return the derivative of a quantity by a coordinate, a velocity or an acceleration.

        Args:
            name: The quantity, as in `quantity`.
            by: "q1", "qd2", "qdd1", ...
        """
        match = re.fullmatch(r"(q|qd|qdd)([1-9]\d*)", by)
        if not match or int(match[2]) > self.n:
            raise BadArgument(f"There is no {by!r}; there are q1, qd1, qdd1 to q{self.n}, ...")
        letter, index = {"q": "q", "qd": "v", "qdd": "a"}[match[1]], int(match[2]) - 1
        value = np.asarray(self.quantity(name), dtype=object)
        slopes = np.empty(value.shape, dtype=object)
        for place in np.ndindex(value.shape):
            slopes[place] = partial(value[place], letter, index)
        return formulas(slopes)

    def with_values(self, **values: float) -> Equations:
        """Return the equations with symbols replaced by numbers, derived again the same way."""
        from qddot.equations.deriving import derived

        model = checked(self.robot.model.with_values(values))
        return derived(exact_robot(model), self.formulation, self.notation, self.frames or None)

    def evaluate(
        self, name: str, q: Any, qd: Any = None, qdd: Any = None, **values: float
    ) -> np.ndarray:
        """Return a quantity at a state, its parameters given by name."""
        rest = np.zeros(self.n)
        value = np.asarray(self.quantity(name), dtype=object)
        state = (q, rest if qd is None else qd, rest if qdd is None else qdd)
        numbers = self._numbers([np.asarray(x, dtype=float) for x in state], values)
        result = [evaluated(x, numbers) for x in value.reshape(-1)]
        return np.array(result, dtype=float).reshape(value.shape)

    def to_program(self, name: str, **values: float) -> Program:
        """Return a quantity as a program of q, q and qd, or q, qd and qdd, whatever the robot."""
        value = np.asarray(self.quantity(name), dtype=object)
        shapes = dict.fromkeys(("q", "qd", "qdd")[: INPUTS[name]], (self.n,))

        def closed_form(*state: Any) -> Any:
            rest = [np.zeros(self.n)] * (3 - len(state))
            numbers = self._numbers([*state, *rest], values)
            result = np.empty(value.shape, dtype=object)
            for index in np.ndindex(value.shape):
                result[index] = evaluated(value[index], numbers)
            return result

        return record(closed_form, name, **shapes)

    def to_function(self, name: str, **values: float) -> Any:
        """Return a quantity as a compiled function of q, q and qd, or q, qd and qdd."""
        from qddot.backends.kernel import Kernel

        return Kernel(self.to_program(name, **values))

    def _numbers(self, state: list[Any], values: Mapping[str, float]) -> list[Scalar]:
        return generator_values(self.robot.ring, self.robot.model.name, state, values)

    # reading

    def latex(self, name: str = "tau", full: bool = False) -> str:
        """Return a quantity in LaTeX, in the shortest of its forms."""
        from qddot.equations.latex import as_latex

        return as_latex(self.quantity(name), full=full, notation=self.notation)

    def text(self, name: str = "tau", ascii: bool | None = None) -> str:
        """Return a quantity as text.

        Args:
            name: The quantity, as in `quantity`.
            ascii: Write qd1 for q̇1, a1^2 for a1², sqrt for √. If not given, where stdout cannot
                hold the other letters, as on a Windows console.
        """
        from qddot.equations.text import as_text

        value = self.quantity(name)
        text = as_text(value, ascii=bool(ascii), notation=self.notation)
        if ascii is None and fitting(text) != text:
            return as_text(value, ascii=True, notation=self.notation)
        return text

    def markdown(self, name: str = "tau") -> str:
        """Return a quantity as a formula in Markdown."""
        return f"$$\n{self.latex(name)}\n$$"

    def sympy(self, name: str = "tau") -> Any:
        """Return a quantity as SymPy expressions of q1, ..., qd1, ..., qdd1, ... and parameters."""
        from qddot.equations.sympy_forms import as_sympy

        return as_sympy(self.quantity(name))

    @fitted
    def __repr__(self) -> str:
        from qddot.equations.readable import readable_text

        name = printable(self.robot.model.name)
        lines = [f"{name} by {self.formulation}: τ = M q̈ + c + g + ..."]
        for name in ("M", "c", "g"):
            lines += ["", f"{name} =", readable_text(self.quantity(name))]
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        from qddot.equations.readable import displayed, readable_rows, shorthand

        terms = r"M(q)\,\ddot{q} + c(q,\dot{q}) + g(q)"
        terms += r" + F_v\,\dot{q} + f_0" if any(self.friction) else ""
        terms += r" + K (q - q_0) + D\,\dot{q}" if any(self.springs) else ""
        rows = [(r"\tau", terms)]
        for name in ("M", "c", "g"):
            rows += readable_rows(self.quantity(name), name)
        return displayed(rows + shorthand(self.robot.ring))
