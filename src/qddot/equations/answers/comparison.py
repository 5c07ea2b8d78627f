"""An answer beside the right one, entry by entry; and states that show a difference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from qddot.equations.answers.rounded import Rounded, RoundedReader, has_decimals
from qddot.equations.answers.verdict import EntryPlace, WrongEntry
from qddot.equations.deriving import derived
from qddot.equations.equality import difference, witness
from qddot.equations.equations import Equations
from qddot.equations.exact_state import MOTION
from qddot.equations.exact_tree import exact_robot
from qddot.equations.forms import form
from qddot.equations.nodes import Node, Power, product
from qddot.equations.polynomial import Polynomial
from qddot.equations.quotient import cancelled, is_quotient
from qddot.equations.reading import PolynomialReader
from qddot.equations.ring import Ring
from qddot.equations.text import as_text
from qddot.equations.values import evaluated, generator_values, symbols_in, symbols_of

TopAndBottom: TypeAlias = tuple[Any, Any]  # numerator and denominator
MOST_STATES = 400
ROUNDING = 1e-12
MOST_TERMS = 60  # of a difference that is written out


@dataclass
class AnswerComparison:
    """An answer, and the right one, in a ring that holds both."""

    equations: Equations
    quantity: str
    index: Any  # which part of the quantity is asked for: () is all of it
    value: Any  # of the whole quantity
    nodes: np.ndarray  # as it was written
    tops: list[Any]
    bottoms: list[Any]
    rounded: list[TopAndBottom]  # tops and bottoms with intervals, if it has rounded decimals
    reader: PolynomialReader
    below: list[Any] = field(default_factory=list)  # what right entries are divided by, if at all
    given: bool = False  # whether the right ones were read as the answer was

    @staticmethod
    def of(
        equations: Equations, quantity: str, index: Any, nodes: np.ndarray, degrees: bool = False
    ) -> AnswerComparison:
        """Return the comparison of formulas with a quantity.

        It raises NoPolynomial if a formula has a part that no polynomials make.
        """
        entries: list[Node] = list(nodes.reshape(-1))
        reader = PolynomialReader(equations.robot.ring, entries, degrees)
        read = _read(reader, entries)
        if reader.ring is not equations.robot.ring:
            robot = exact_robot(equations.robot.model, reader.ring)
            equations = derived(robot, equations.formulation)
        value = equations.quantity(quantity)
        return AnswerComparison(equations, quantity, index, value, nodes, *read, reader)

    @staticmethod
    def with_given(
        equations: Equations, name: str, right: np.ndarray, nodes: np.ndarray
    ) -> AnswerComparison:
        """Return the comparison of formulas with others, which somebody says are right."""
        reader = PolynomialReader(equations.robot.ring, [*right.reshape(-1), *nodes.reshape(-1)])
        values = [reader.value(node) for node in right.reshape(-1)]
        below = [bottom for _, bottom in values]
        below = [] if all(isinstance(bottom, int) for bottom in below) else below
        value = np.empty(right.shape, dtype=object)
        value.reshape(-1)[:] = [top for top, _ in values]
        read = _read(reader, list(nodes.reshape(-1)))
        return AnswerComparison(equations, name, (), value, nodes, *read, reader, below, given=True)

    def right(self) -> list[Any]:
        """Return the right entries, in the order of the answer's."""
        return self.entries(self.value)

    @property
    def ring(self) -> Ring:
        """The ring that holds the answer and the right one."""
        rings = [x.ring for x in (*self.tops, *self.right()) if isinstance(x, Polynomial)]
        return rings[0] if rings else self.equations.robot.ring

    def entries(self, value: Any) -> list[Any]:
        """Return what is asked for of a value of the whole quantity."""
        return list(np.asarray(np.asarray(value, dtype=object)[self.index]).reshape(-1))

    def left(self, values: list[Any]) -> list[Any]:
        """Return what is left of the answer less some values, each times its denominators."""
        below = self.below or [1] * len(values)
        entries = zip(self.tops, self.bottoms, map(self._carried, values), below, strict=True)
        return [difference(top * b, value * bottom) for top, bottom, value, b in entries]

    def found(self, but_constants: bool = False) -> list[bool | None]:
        """Return of each entry whether it is right, within its decimals; None: not known.

        Constant terms of rounded entries need not be compared.
        """
        right = self.right()
        found = decided(self.left(right))
        for k, (top, bottom) in enumerate(self.rounded):
            below = self.below[k] if self.below else 1
            left = top * below - self._carried(right[k]) * bottom
            if found[k] is False and isinstance(left, Rounded):
                found[k] = any(x.holds_zero(but_constants) for x in (left, left.in_units()))
        return found

    def _carried(self, x: Any) -> Any:
        return x if self.given else self.reader.carried(x)

    @property
    def places(self) -> list[EntryPlace]:
        """The places of the entries, counted from 1; none of a single formula."""
        return places_of(np.shape(self.value), self.index)

    def wrong_entry(self, k: int) -> WrongEntry | None:
        """Return how entry k is wrong; None where no state is found at which it differs."""
        right, left = self.right()[k], self.left(self.right())[k]
        fractions = [(self.tops[k], self.bottoms[k]), (right, self.below[k] if self.below else 1)]
        used = (x for x in (left, *fractions[0], *fractions[1]))
        symbols = sorted({name for x in used for name in symbols_in_it(x)})
        state = self._simplest_state(left, [bottom for _, bottom in fractions], symbols)
        if state is None:
            return None
        words, numbers = state
        yours, true = (self._value(a, numbers) / self._value(b, numbers) for a, b in fractions)
        written = closed_form(left, fractions[0][1] * fractions[1][1])
        return WrongEntry(self.places[k], written, words, yours, true)

    def _value(self, x: Any, state: tuple[Any, dict[str, float]]) -> float:
        if not isinstance(x, Polynomial):
            return float(x)
        positions, values = state
        known = {name: values[name] for name in symbols_of(x.ring)}
        numbers = generator_values(x.ring, "", positions, known)
        try:
            value = float(evaluated(x, numbers))
        except OverflowError:
            return math.inf
        return value if abs(value) > ROUNDING else 0.0  # cos π/2 is 6e-17 to a machine

    def _simplest_state(
        self, left: Any, bottoms: list[Any], used: list[str]
    ) -> tuple[str, Any] | None:
        """Return a state with few numbers that are not zero, at which a difference is not zero.

        Nor are the denominators.
        """
        ring = self.ring
        inputs = inputs_of(self.equations, self.quantity)
        ones = dict.fromkeys(symbols_of(ring), 1.0)
        counted = ones | {name: float(k) for k, name in enumerate(used, 1)}
        for values, said in ((ones, "every parameter 1"), (counted, "")):
            for nonzero in simple_states(ring.turns, inputs):
                state = np.zeros((3, ring.n))
                for (row, joint), value in nonzero.items():
                    state[row, joint] = value
                numbers = (list(state), values)
                size = max(1.0, *(abs(v) for v in values.values())) if values else 1.0
                nonzero_there = (abs(self._value(x, numbers)) > 1e-9 for x in bottoms)
                if abs(self._value(left, numbers)) > 1e-9 * size and all(nonzero_there):
                    words = state_words(nonzero)
                    parameters = said or ", ".join(f"{k} = {values[k]:g}" for k in used)
                    return f"{words}, {parameters}" if used else words, numbers
            if not used:
                break
        return None


def _read(
    reader: PolynomialReader, nodes: list[Node]
) -> tuple[list[Any], list[Any], list[TopAndBottom]]:
    """Return the numerators and the denominators of formulas, and both with intervals."""
    exact, intervals = list(map(reader.value, nodes)), RoundedReader(reader)
    rounded = list(map(intervals.value, nodes)) if any(map(has_decimals, nodes)) else []
    return [top for top, _ in exact], [bottom for _, bottom in exact], rounded


def places_of(shape: tuple[int, ...], index: Any) -> list[EntryPlace]:
    """Return the places of the entries of a part of an array, counted from 1."""
    numbers = np.arange(int(np.prod(shape))).reshape(shape)[index]
    return [
        tuple(int(i) + 1 for i in np.unravel_index(int(k), shape)) if shape else ()
        for k in np.asarray(numbers).reshape(-1)
    ]


def formulas_of(whole: Any, index: Any) -> np.ndarray:
    """Return the formulas of a part of a quantity, which may be a quotient."""
    above, below = whole, []
    if is_quotient(whole):
        part = whole[index]
        above, index = part.numerator, ()
        below = [] if part.denominator == 1 else [Power(form(part.denominator), -1)]
    part = np.asarray(np.asarray(above, dtype=object)[index])
    nodes = np.empty(part.shape, dtype=object)
    for place in np.ndindex(part.shape):
        nodes[place] = product(Fraction(1), [form(part[place]), *below])
    return nodes


def inputs_of(equations: Equations, quantity: str) -> int:
    """Return of how many of q, q̇ and q̈ a quantity is a function, or may be."""
    known = equations.quantities.get(quantity)
    return max(1, len(known.inputs)) if known and set(known.inputs) <= set(MOTION) else len(MOTION)


def symbols_in_it(x: Any) -> set[str]:
    """Return the symbols that occur in a polynomial."""
    if not isinstance(x, Polynomial):
        return set()
    there = [k for k, degree in enumerate(x.value.degrees()) if degree]
    generators = [x.ring.generators[k] for k in there]
    atoms = [x.ring.parameters[g.index] for g in generators if g.role == "parameter"]
    return {name for atom in atoms for name in symbols_in(atom)}


def simple_states(turns: tuple[bool, ...], inputs: int) -> Iterator[dict[tuple[int, int], float]]:
    """Yield states by their entries that are not zero, the fewest first: (0, 1) is q2."""
    places = [(row, joint) for row in range(inputs) for joint in range(len(turns))]
    count = 0
    for size in range(min(len(places), 5) + 1):
        for chosen in combinations(places, size):
            for angle in (math.pi / 2, 1.0) if any(row == 0 for row, _ in chosen) else (1.0,):
                yield {p: angle if p[0] == 0 and turns[p[1]] else 1.0 for p in chosen}
                count += 1
                if count == MOST_STATES:
                    return


def state_words(nonzero: dict[tuple[int, int], float]) -> str:
    """Return a state in words: at q2 = π/2, q̇1 = 1."""
    letters = ("q", "q̇", "q̈")
    said = [
        f"{letters[row]}{joint + 1} = {'π/2' if value == math.pi / 2 else f'{value:g}'}"
        for (row, joint), value in nonzero.items()
    ]
    return f"at {', '.join(said)}" if said else "at q = 0"


def closed_form(left: Any, bottom: Any) -> str:
    """Return a difference as text; of a long one, how long it is."""
    if isinstance(left, Polynomial) and len(left) > MOST_TERMS:
        return f"({len(left)} terms)"
    if isinstance(bottom, Polynomial) and isinstance(left, Polynomial) and left.ring == bottom.ring:
        return cancelled(left, bottom).text()
    text = as_text(left)
    return text if isinstance(bottom, int) else f"({text}) / ({as_text(bottom)})"


def decided(left: list[Any]) -> list[bool | None]:
    """Return of each difference whether it is zero: None where that is not known."""
    return [None if x and witness(x) is None else not x for x in left]
