"""Quantities in closed form, by name: each is one method with one entry in one table.

`@closed_form("q", "qd", symbol="C")` above a method says what it is a function of and which letter
it has; the name is the method's, and so is the explanation. Whatever reads, prints, evaluates or
compiles a quantity goes through that entry, so a new quantity is a new method and nothing else.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, ClassVar, TypeVar

import numpy as np

from qddot.equations.exact_state import INPUTS, MOTION
from qddot.equations.exact_tree import ExactRobot
from qddot.equations.formulas import formulas
from qddot.equations.polynomial import Polynomial, partial
from qddot.equations.quotient import Quotient, derived_by, entrywise, is_quotient
from qddot.equations.ring import Ring
from qddot.equations.values import evaluated, generator_values, symbols_of
from qddot.errors import BadArgument, UnknownName, did_you_mean, listing
from qddot.formulations.notation import NOTATION, Notation
from qddot.plain_text import fitting
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.scalars import Scalar

Define = TypeVar("Define", bound=Callable[..., Any])


@dataclass(frozen=True)
class ClosedForm:
    """The entry of a quantity: what it is a function of, its letter, and what is to be chosen."""

    name: str
    inputs: tuple[str, ...]  # of `exact_state.INPUTS`, in the order of a compiled function
    symbol: str  # in LaTeX
    choices: Mapping[str, inspect.Parameter]  # arguments of the method: frame, point, ...

    def split(self, named: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the choices among named arguments, and the rest; refuse a choice left open."""
        chosen = {name: named[name] for name in self.choices if name in named}
        for name, parameter in self.choices.items():
            if parameter.default is inspect.Parameter.empty and name not in chosen:
                raise BadArgument(f"{self.name!r} is of a {name}: say which, {name}=...")
        return chosen, {name: value for name, value in named.items() if name not in chosen}


def closed_form(*inputs: str, symbol: str = "") -> Callable[[Define], Define]:
    """Return the decorator that enters a method into the table of quantities.

    The inputs are what its value is a function of: "q", "qd", "qdd", "tau", "wrench". The symbol is
    in LaTeX.
    """

    def entered(define: Define) -> Define:
        name = define.__name__
        choices = dict(list(inspect.signature(define).parameters.items())[1:])

        @wraps(define)
        def made(self: ClosedForms, *args: Any, **named: Any) -> Any:
            value = define(self, *args, **named)
            if is_quotient(value):
                return replace(value, symbol=symbol, notation=self.notation)
            return formulas(value, symbol, self.notation)

        made.entry = ClosedForm(name, inputs, symbol, choices)  # type: ignore[attr-defined]
        return made  # type: ignore[return-value]  # the same arguments and the same result

    return entered


@dataclass(frozen=True, eq=False)
class ClosedForms:
    """Exact quantities of a robot: to read, to evaluate, to differentiate and to compile."""

    quantities: ClassVar[dict[str, ClosedForm]] = {}  # the table, in the order of definition

    robot: ExactRobot
    # the letters of its steps, and of what is printed
    notation: Notation = field(default=NOTATION, kw_only=True)

    def __init_subclass__(cls) -> None:
        methods = [getattr(member, "func", member) for member in vars(cls).values()]
        own = [method.entry for method in methods if hasattr(method, "entry")]
        cls.quantities = {**cls.quantities, **{entry.name: entry for entry in own}}

    @property
    def n(self) -> int:
        """How many degrees of freedom."""
        return self.robot.ring.n

    def quantity(self, name: str, **choices: Any) -> Any:
        """Return a quantity by its name: "M", "C", "c", "g", "tau", "jacobian", ...

        Args:
            name: The name of the property or method that gives it.
            choices: The arguments of that method: `frame`, `point`, ...
        """
        entry = self._entry(name)
        chosen, rest = entry.split(choices)
        if rest:
            wrong = next(iter(rest))
            has = f"it has {listing(entry.choices)}" if entry.choices else "it has none"
            near = did_you_mean(wrong, entry.choices)
            raise BadArgument(f"The quantity {name!r} has no choice {wrong!r}; {has}.{near}")
        found = getattr(self, name)
        return found(**chosen) if entry.choices else found

    def _entry(self, name: str) -> ClosedForm:
        if name not in self.quantities:
            raise UnknownName("quantity", name, self.robot.model.name, self.quantities)
        return self.quantities[name]

    # values

    def derivative(self, name: str, by: str, **choices: Any) -> Any:
        """Return the derivative of a quantity by a coordinate, a velocity or an acceleration.

        Args:
            name: The quantity, as in `quantity`.
            by: "q1", "qd2", "qdd1", ...
            choices: As in `quantity`.
        """
        match = re.fullmatch(r"(q|qd|qdd)([1-9]\d*)", by)
        if not match or int(match[2]) > self.n:
            raise BadArgument(f"There is no {by!r}; there are q1, qd1, qdd1 to q{self.n}, ...")
        letter, index = {"q": "q", "qd": "v", "qdd": "a"}[match[1]], int(match[2]) - 1
        value = self.quantity(name, **choices)
        if is_quotient(value):
            return derived_by(value, lambda x: partial(x, letter, index))
        return formulas(entrywise(value, lambda x: partial(x, letter, index)))

    def evaluate(
        self, name: str, q: Any = None, qd: Any = None, qdd: Any = None, **named: Any
    ) -> np.ndarray:
        """Return a quantity at a state.

        Args:
            name: The quantity, as in `quantity`.
            q, qd, qdd: Positions [rad or m], velocities and accelerations, shape (n,); zero where
                they are not given.
            named: The parameters by name, the choices of the quantity, and `tau` (n,) or
                `wrench` (6,), [moment; force], where it is a function of these.
        """
        entry = self._entry(name)
        choices, rest = entry.split(named)
        given = {"q": q, "qd": qd, "qdd": qdd}
        given |= {kind: rest.pop(kind) for kind in entry.inputs if kind in rest}
        state = {kind: np.asarray(x, dtype=float) for kind, x in given.items() if x is not None}
        value = self.quantity(name, **choices)
        numbers = self._numbers(entry, value, state, rest)
        found = entrywise(value, lambda x: evaluated(x, numbers))
        return np.array(found, dtype=float)

    def to_program(self, name: str, **named: Any) -> Program:
        """Return a quantity as a program of what it is a function of, whatever the robot.

        Args:
            name: The quantity, as in `quantity`.
            named: The parameters by name, and the choices of the quantity.
        """
        entry = self._entry(name)
        choices, values = entry.split(named)
        value = self.quantity(name, **choices)

        def closed(*state: Any) -> Any:
            numbers = self._numbers(
                entry, value, dict(zip(entry.inputs, state, strict=True)), values
            )
            return entrywise(value, lambda x: evaluated(x, numbers))

        shapes = {kind: (len(INPUTS[kind](self.n)),) for kind in entry.inputs}
        return record(closed, name, **shapes)

    def to_function(self, name: str, **named: Any) -> Any:
        """Return a quantity as a compiled function of q, q and qd, or q, qd and qdd.

        `eqs.to_program(name, ...).inputs` has the inputs; the arguments are those of `to_program`.
        """
        from qddot.backends.kernel import Kernel

        return Kernel(self.to_program(name, **named))

    def _numbers(
        self, entry: ClosedForm, value: Any, state: Mapping[str, Any], values: Mapping[str, Any]
    ) -> list[Scalar]:
        """Return the value of every generator of the ring that a quantity is of."""
        numbers = {name: float(x) for name, x in values.items()}
        motion = [state.get(kind, np.zeros(self.n)) for kind in MOTION]
        for kind in entry.inputs:
            if kind not in MOTION:
                names = INPUTS[kind](self.n)
                given = state.get(kind, np.zeros(len(names)))
                if len(given) != len(names):
                    found = f"{kind} has {len(given)} entries"
                    raise BadArgument(f"{found}; it must have {len(names)}: {listing(names)}.")
                numbers |= dict(zip(names, given, strict=True))
        ring = ring_of(value) or self.robot.ring
        known = symbols_of(ring) | values.keys()  # torques that cancel out are in no formula
        numbers = {name: x for name, x in numbers.items() if name in known}
        return generator_values(ring, self.robot.model.name, motion, numbers)

    # reading

    def latex(self, name: str = "tau", full: bool = False, **choices: Any) -> str:
        """Return a quantity in LaTeX, in the shortest of its forms."""
        from qddot.equations.latex import as_latex

        value = self.quantity(name, **choices)
        how: dict[str, Any] = {"full": full, "notation": self.notation}
        return value.latex(**how) if is_quotient(value) else as_latex(value, **how)

    def text(self, name: str = "tau", ascii: bool | None = None, **choices: Any) -> str:
        """Return a quantity as text.

        Args:
            name: The quantity, as in `quantity`.
            ascii: Write qd1 for q̇1, a1^2 for a1², sqrt for √. If not given, where stdout cannot
                hold the other letters, as on a Windows console.
            choices: As in `quantity`.
        """
        from qddot.equations.text import as_text

        value = self.quantity(name, **choices)

        def written(ascii: bool) -> str:
            how: dict[str, Any] = {"ascii": ascii, "notation": self.notation}
            return value.text(**how) if is_quotient(value) else as_text(value, **how)

        text = written(bool(ascii))
        return written(True) if ascii is None and fitting(text) != text else text

    def markdown(self, name: str = "tau", **choices: Any) -> str:
        """Return a quantity as a formula in Markdown."""
        return f"$$\n{self.latex(name, **choices)}\n$$"

    def sympy(self, name: str = "tau", **choices: Any) -> Any:
        """Return a quantity as SymPy expressions of q1, ..., qd1, ..., qdd1, ... and parameters."""
        from qddot.equations.sympy_forms import as_sympy

        value = self.quantity(name, **choices)
        return value.sympy() if is_quotient(value) else as_sympy(value)


def ring_of(value: Any) -> Ring | None:
    """Return the ring that the polynomials of a quantity are of; None where there is none."""
    parts = [value.denominator, value.numerator] if isinstance(value, Quotient) else [value]
    for part in parts:
        for x in np.asarray(part, dtype=object).reshape(-1):
            if isinstance(x, Polynomial):
                return x.ring
    return None
