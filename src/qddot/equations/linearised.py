"""Small motions about a state, in closed form: M δq̈ + D δq̇ + K δq = δτ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.equations.closed_form import ClosedForms, closed_form
from qddot.equations.exact_state import at_state, carried, enlarged
from qddot.equations.own_parameters import split_by
from qddot.equations.polynomial import Polynomial, partial
from qddot.equations.quotient import Quotient, adjugate, cancelled, determinant, short_enough
from qddot.equations.readable import displayed, readable_rows, readable_text
from qddot.errors import BadArgument
from qddot.plain_text import fitted
from qddot.scalars import JointMat, JointVec
from qddot.scalars.expressions import symbol
from qddot.scalars.monomials import Atom

if TYPE_CHECKING:
    from qddot.equations.equations import Equations

LAMBDA = Atom("", "λ")  # a letter that no parameter can have
TERMS = ("M", "D", "K", "tau")


@dataclass(frozen=True)
class ModeFormula:
    """One way to swing: a pair of poles, or a single real pole, as SymPy expressions.

    Where the square of the frequency is negative, the poles are real and one of them grows.
    """

    frequency: Any  # [rad/s] ω, without damping
    damping: Any  # ζ: 1 is critical
    poles: tuple[Any, ...]

    def _repr_latex_(self) -> str:
        from sympy import latex

        return displayed([(r"\omega", latex(self.frequency)), (r"\zeta", latex(self.damping))])


@dataclass(frozen=True, eq=False)
class LinearEquations(ClosedForms):
    """The equation of motion about a state, to first order: M δq̈ + D δq̇ + K δq = δτ.

    At a given position they hold parameters alone; `evaluate` then takes no position. Where q was
    left a symbol, they are functions of it.
    """

    at: dict[str, Any]  # M, D, K and tau at the state, over one ring

    @cached_property
    @closed_form("q", symbol="M")
    def M(self) -> JointMat:
        """The mass matrix."""
        return self.at["M"]

    @cached_property
    @closed_form("q", symbol="D")
    def D(self) -> JointMat:
        """∂τ/∂q̇: damping, and what velocities at the state make of c."""
        return self.at["D"]

    @cached_property
    @closed_form("q", symbol="K")
    def K(self) -> JointMat:
        """∂τ/∂q: the stiffness of springs and of gravity."""
        return self.at["K"]

    @cached_property
    @closed_form("q", symbol=r"\tau_0")
    def tau(self) -> JointVec:
        """The torques that hold the state: τ(q, q̇, q̈) there."""
        return self.at["tau"]

    @cached_property
    @closed_form("q", symbol="A")
    def A(self) -> Quotient:
        """The matrix A of ẋ = A x + B u, with x = (δq, δq̇) and u = δτ: [0 E; −M⁻¹K −M⁻¹D]."""
        above, below = self._inverse
        n, zero = self.n, np.zeros((self.n, self.n), dtype=object)
        E = np.eye(n, dtype=int).astype(object) * below
        return cancelled(np.block([[zero, E], [-(above @ self.K), -(above @ self.D)]]), below)

    @cached_property
    @closed_form("q", symbol="B")
    def B(self) -> Quotient:
        """The matrix B of ẋ = A x + B u: [0; M⁻¹], shape (2n, n)."""
        above, below = self._inverse
        return cancelled(np.concatenate([np.zeros_like(above), above]), below)

    @cached_property
    @closed_form("q", symbol="a")
    def characteristic(self) -> np.ndarray:
        """The coefficients of det(M λ² + D λ + K), of λ²ⁿ first; its zeros are the poles."""
        split = split_by(self._determinant, [LAMBDA])
        powers = [((LAMBDA, k),) if k else () for k in range(2 * self.n, -1, -1)]
        found = np.array([split.get(power, 0) for power in powers], dtype=object)
        return carried(found, self.robot.ring)

    @cached_property
    def modes(self) -> tuple[ModeFormula, ...]:
        """Frequencies and damping ratios where they have short formulas, the slowest kind first.

        Each factor of the characteristic polynomial is solved alone:

            a λ² + b λ + c:  ω = √(c/a),  ζ = b / (2 √(a c))        a λ⁴ + b λ² + c:  by ω²

        Raises:
            BadArgument: If a factor is of another kind: of higher degree, or damped and coupled.
        """
        whole = self._determinant
        if not isinstance(whole, Polynomial):
            return ()
        if any(g.role != "parameter" and d for g, d in _degrees(whole)):
            raise BadArgument(
                "Where the position is a symbol there are no modes: they depend on it.\n"
                "  Give it: eqs.linearised(q=[...])."
            )
        found: list[ModeFormula] = []
        for factor, count in whole.value.factor()[1]:
            coefficients = _in_lambda(Polynomial(whole.ring, factor))
            if len(coefficients) > 1:
                found += [mode for mode in _modes(coefficients) for _ in range(count)]
        return tuple(sorted(found, key=lambda mode: (len(mode.poles), str(mode.frequency))))

    @cached_property
    def _determinant(self) -> Any:
        ring = enlarged(self.robot.ring, [symbol(LAMBDA.name)])
        rate = ring.element("p", ring.parameters.index(LAMBDA))
        M, D, K = (carried(x, ring) for x in (self.M, self.D, self.K))
        with short_enough("The characteristic polynomial", self.robot.model.name):
            return determinant(np.asarray(M * (rate * rate) + D * rate + K))

    @cached_property
    def _inverse(self) -> tuple[np.ndarray, Any]:
        M = np.asarray(self.M)
        with short_enough("M⁻¹", self.robot.model.name):
            below = determinant(M)
            if not below:
                raise BadArgument("The mass matrix is singular there, so it has no inverse.")
            return adjugate(M), below

    @fitted
    def __repr__(self) -> str:
        lines = ["M δq̈ + D δq̇ + K δq = δτ"]
        for name in TERMS:
            lines += ["", f"{name} =", readable_text(self.quantity(name), self.notation)]
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        rows = [(r"\delta\tau", r"M\,\delta\ddot{q} + D\,\delta\dot{q} + K\,\delta q")]
        for name in TERMS:
            rows += readable_rows(
                self.quantity(name), self.quantities[name].symbol, notation=self.notation
            )
        return displayed(rows)


def linearised(eqs: Equations, q: Any, qd: Any, qdd: Any) -> LinearEquations:
    """Return the equations of motion about a state, to first order."""
    n, tau = eqs.n, eqs.tau
    D, K = np.empty((n, n), dtype=object), np.empty((n, n), dtype=object)
    for i, j in np.ndindex(n, n):
        K[i, j], D[i, j] = (partial(tau[i], letter, j) for letter in ("q", "v"))
    still = [0] * n
    state = {"q": q, "qd": still if qd is None else qd, "qdd": still if qdd is None else qdd}
    every = np.concatenate([eqs.M, D, K, np.asarray(tau)[None]])
    there = at_state(every, eqs.robot.ring, **state)
    ring = next((x.ring for x in there.reshape(-1) if isinstance(x, Polynomial)), eqs.robot.ring)
    exact = replace(eqs.robot, ring=ring)
    blocks = np.split(there[:-1], 3)
    terms: dict[str, Any] = dict(zip(TERMS, [*blocks, there[-1]], strict=True))
    return LinearEquations(exact, terms, notation=eqs.notation)


def _degrees(x: Polynomial) -> Iterator[tuple[Any, int]]:
    return zip(x.ring.generators, x.value.degrees(), strict=True)


def _in_lambda(x: Polynomial) -> list[Any]:
    """Return the coefficients of powers of λ as SymPy expressions, the constant one first."""
    from qddot.equations.sympy_forms import as_sympy

    split = split_by(x, [LAMBDA])
    degree = max(power[0][1] if power else 0 for power in split)
    powers = [((LAMBDA, k),) if k else () for k in range(degree + 1)]
    return [as_sympy(split.get(power, 0)) for power in powers]


def _modes(coefficients: list[Any]) -> list[ModeFormula]:
    """Return the modes of one factor of the characteristic polynomial."""
    import sympy

    match coefficients:
        case [c, a]:
            rate = c / a
            return [ModeFormula(rate, sympy.S.One if rate else sympy.nan, (-rate,))]
        case [c, b, a]:
            root = sympy.sqrt(b * b - 4 * a * c)
            poles = ((-b + root) / (2 * a), (-b - root) / (2 * a))
            frequency = sympy.sqrt(sympy.factor(c / a))
            damping = sympy.factor(b) / (2 * sympy.sqrt(sympy.factor(a * c)))
            return [ModeFormula(frequency, damping, poles)]
        case [c, zero, b, none, a] if not zero and not none:
            found = []
            for sign in (-1, 1):
                squared = (b + sign * sympy.sqrt(sympy.factor(b * b - 4 * a * c))) / (2 * a)
                frequency = sympy.sqrt(squared)
                poles = (sympy.I * frequency, -sympy.I * frequency)
                found.append(ModeFormula(frequency, sympy.S.Zero, poles))
            return found
    raise BadArgument(
        f"The characteristic polynomial has a factor of degree {len(coefficients) - 1} without a "
        "short formula for its zeros.\n  `characteristic` has its coefficients; numbers are in "
        "robot.linearised(q).modes."
    )
