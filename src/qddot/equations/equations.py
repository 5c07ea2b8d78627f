"""The equations of motion of a robot in closed form."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from qddot.equations.equality import difference, witness
from qddot.equations.exact_tree import exact_robot
from qddot.equations.formulas import DerivationStep, Listed, Term, formulas, labelled
from qddot.equations.own_parameters import ParameterTerms
from qddot.errors import printable
from qddot.formulations.coriolis import factorisations
from qddot.formulations.derivation import Part, Quantity
from qddot.model.validation import checked
from qddot.plain_text import fitted
from qddot.scalars import JointMat

if TYPE_CHECKING:
    from qddot.equations.answers.verdict import Verdict
    from qddot.equations.linearised import LinearEquations


@dataclass(frozen=True, eq=False)
class Equations(ParameterTerms):
    """τ = M(q) q̈ + C(q, q̇) q̇ + g(q) + friction + springs, each entry an exact polynomial.

    Two are equal when their difference can be shown to be the zero polynomial; see `equal`.
    """

    frames: tuple[str, ...] = field(default=(), kw_only=True)  # that its steps are written in

    @property
    def formulation(self) -> str:
        """How they were derived: "lagrange", "explicit", "trace", ..."""
        return self.derivation.formulation

    @cached_property
    def steps(self) -> tuple[DerivationStep, ...]:
        """Every intermediate quantity of the derivation, in order."""
        return Listed(step for part in self.parts for step in part.steps)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The steps in groups, each with a sentence on what is done in it."""

        def step(given: Quantity) -> DerivationStep:
            value = formulas(given.value, given.symbol, self.notation)
            return DerivationStep(**vars(given) | {"value": value}, notation=self.notation)

        return tuple(
            replace(part, steps=tuple(map(step, part.steps))) for part in self.derivation.parts
        )

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

        In the letters of the notation, with M of the links, I_a of the rotors that there are, and
        Γ_ijk of torque i and the velocities j and k:

            τᵢ = Σ M_ij q̈ⱼ + I_ai q̈ᵢ + Σ Γ_ijj q̇ⱼ² + Σ Γ_ijk q̇ⱼ q̇ₖ + gᵢ
        """
        tree = self.robot.tree
        links = self.M - replace(tree, shared=()).rotor_matrix  # what several share is in M_ij
        return Listed(labelled(links, tree.rotor_inertia, self.gamma, self.g, self.notation))

    def with_values(self, **values: float) -> Equations:
        """Return the equations with symbols replaced by numbers, derived again the same way."""
        from qddot.equations.deriving import derived

        model = checked(self.robot.model.with_values(values))
        return derived(exact_robot(model), self.formulation, self.notation, self.frames or None)

    def linearised(self, q: Any = None, qd: Any = None, qdd: Any = None) -> LinearEquations:
        """Return the equations of small motions about a state: M δq̈ + D δq̇ + K δq = δτ.

        With A and B of ẋ = A x + B u, the torques that hold the state, and its modes.

        Args:
            q: The position [rad or m]: n numbers, or formulas such as "pi/2". Stays a symbol if it
                is not given.
            qd, qdd: The velocities and accelerations there; zero if not given.
        """
        from qddot.equations.linearised import linearised

        return linearised(self, q, qd, qdd)

    # comparison

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

    def check(self, quantity: str, answer: Any, **named: Any) -> Verdict:
        """Return whether an answer is right, and if not, where, by how much and what it looks like.

        Formulas are compared exactly: equal means that the difference is the zero polynomial. A
        function is compared at random states, which is no proof. Any C with C q̇ = c is right.

        Args:
            quantity: The quantity, "M", or one entry of it, "M[1, 2]", counted from 1.
            answer: Text ("m1*L1^2 + 2 m2 L1 L2 cos(q2)", also as we print it), LaTeX, SymPy,
                numbers, lists of these, or a function of q, of q and qd, or of q, qd and qdd.
            named: The choices of the quantity, as in `quantity`; for a function of a robot that has
                symbols, the parameters' values too.

        Raises:
            BadAnswer: If a text cannot be read.
        """
        from qddot.equations.answers.checking import check

        return check(self, quantity, answer, named)

    # how they look

    @fitted
    def __repr__(self) -> str:
        from qddot.equations.readable import readable_text

        name = printable(self.robot.model.name)
        lines = [f"{name} by {self.formulation}: τ = M q̈ + c + g + ..."]
        for name in ("M", "c", "g"):
            lines += ["", f"{name} =", readable_text(self.quantity(name), self.notation)]
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        from qddot.equations.document import friction
        from qddot.equations.readable import displayed, readable_rows, shorthand

        terms = r"M(q)\,\ddot{q} + c(q,\dot{q}) + g(q)"
        terms += f" + {friction(self)}" if any(self.friction) else ""
        terms += r" + K (q - q_0) + D\,\dot{q}" if any(self.springs) else ""
        rows = [(r"\tau", terms)]
        for name in ("M", "c", "g"):
            rows += readable_rows(self.quantity(name), name, notation=self.notation)
        return displayed(rows + shorthand(self.robot.ring, self.notation))
