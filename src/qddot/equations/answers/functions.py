"""An answer that is a Python function: compared at many states, which is no proof."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from qddot.equations.answers.bodies import Hypothesis, changed_equations
from qddot.equations.answers.comparison import inputs_of, simple_states, state_words
from qddot.equations.answers.mistakes import about_the_robot
from qddot.equations.answers.slips import of_letters, of_the_derivation
from qddot.equations.answers.verdict import Explanation, Verdict, WrongEntry, listed
from qddot.equations.equations import Equations
from qddot.equations.values import evaluated, generator_values
from qddot.errors import BadArgument, QddotError, shorten

STATES = 200
NEAR = 1e-9  # relative
LOOK = 3  # states at which a mistake is looked for, before all of them
DEGREES = (
    ("degrees", "angles are taken in degrees, and not in radians", np.rad2deg),
    ("degrees", "angles in radians are converted to radians once more", np.deg2rad),
)


def check_function(
    equations: Equations,
    quantity: str,
    name: str,
    index: Any,
    function: Callable[..., Any],
    values: Mapping[str, float],
) -> Verdict:
    """Return whether a function gives a quantity at random states, and at simple ones."""
    trial = _Trial(equations, name, index, function, dict(values))
    robot = equations.robot.model.name
    states = trial.states
    wrong = trial.wrong_entries(states)
    if not wrong:
        reason = f"{quantity} agrees at {len(states)} random states to {NEAR:g}: not a proof."
        return Verdict(robot, quantity, True, reason, "numerically")
    shape = np.shape(trial.right(states[0]))
    where = f" in {listed([e.place for e in wrong])}" if shape else ""
    found = trial.explanation()
    return Verdict(
        robot,
        quantity,
        False,
        f"{quantity} is wrong{where}.",
        "numerically",
        tuple(wrong),
        (found,) if found else (),
        () if found else ("No usual mistake gives this answer.",),
    )


class _Trial:
    """A function beside a quantity, at the same states."""

    def __init__(
        self,
        equations: Equations,
        name: str,
        index: Any,
        function: Callable[..., Any],
        values: dict[str, float],
    ):
        self.equations, self.name, self.index = equations, name, index
        self.function, self.values = function, values
        self.whole = name == "C" and index == ()  # judged by C q̇, since C is not unique
        self.from_zero = name == "P"  # judged by P(q) − P(0), since its constant is free
        self.inputs = _inputs(function, inputs_of(equations, name))
        rng = np.random.default_rng(0)
        self.states = rng.uniform(-2, 2, (STATES, 3, equations.n))

    def given(self, state: np.ndarray) -> np.ndarray:
        """Return what the function gives, as it should be shaped."""
        return self._added(self._given, state)

    def _added(self, value: Callable[[np.ndarray], np.ndarray], state: np.ndarray) -> np.ndarray:
        """Return a value, or what it is more than at q = 0, of a quantity with a free constant."""
        return value(state) - value(0 * state) if self.from_zero else value(state)

    def _given(self, state: np.ndarray) -> np.ndarray:
        try:
            found = np.asarray(self.function(*state[: self.inputs]), dtype=float)
        except Exception as error:  # of somebody else's code
            what = f"{type(error).__name__}: {shorten(str(error))}"
            raise BadArgument(f"The function failed {_state_text(state)}: {what}") from None
        shape = np.shape(self.equations.quantity(self.name))
        shape = np.zeros(shape)[self.index].shape
        if [k for k in found.shape if k != 1] != [k for k in shape if k != 1]:
            raise BadArgument(
                f"The function gives shape {found.shape}; {self.name} has shape {shape}."
            )
        found = found.reshape(shape)
        return found @ state[1] if self.whole else found

    def right(self, state: np.ndarray) -> np.ndarray:
        return self.value(self.equations, self.equations.quantity(self.name), state)

    def value(self, equations: Equations, quantity: Any, state: np.ndarray) -> np.ndarray:
        """Return a quantity's value at a state."""
        return self._added(lambda state: self._value(equations, quantity, state), state)

    def _value(self, equations: Equations, quantity: Any, state: np.ndarray) -> np.ndarray:
        ring = equations.robot.ring
        numbers = generator_values(ring, equations.robot.model.name, list(state), self.values)
        array = np.asarray(quantity, dtype=object)
        flat = [float(evaluated(x, numbers)) for x in array.reshape(-1)]
        found = np.array(flat).reshape(array.shape)[self.index]
        return found @ state[1] if self.whole else found

    def wrong_entries(self, states: np.ndarray) -> list[WrongEntry]:
        """Return the entries that differ, each with the simplest state that shows it."""
        bad = np.any([~near(self.given(s), self.right(s)) for s in states], axis=0)
        found = []
        for place in map(tuple, np.argwhere(bad)):
            state, words = self._simplest(place, states)
            right = self._value(self.equations, self.equations.quantity(self.name), state)[place]
            yours = self._given(state)[place]
            counted = tuple(int(i) + 1 for i in place) or tuple(i + 1 for i in self.index)
            found.append(WrongEntry(counted, "", words, float(yours), float(right)))
        return found

    def _simplest(self, place: tuple, states: np.ndarray) -> tuple[np.ndarray, str]:
        turns = self.equations.robot.ring.turns
        for nonzero in simple_states(turns, inputs_of(self.equations, self.name)):
            state = np.zeros(states[0].shape)
            for (row, joint), value in nonzero.items():
                state[row, joint] = value
            if not near(self.given(state), self.right(state))[place]:
                return state, state_words(nonzero)
        differs = [s for s in states if not near(self.given(s), self.right(s))[place]]
        return differs[0], _state_text(differs[0])

    def explanation(self) -> Explanation | None:
        """Return the first usual mistake that gives the same at every state."""
        for kind, words, change in DEGREES:
            if self._agrees(lambda s, f=change: self.right(np.stack([f(s[0]), s[1], s[2]]))):
                return Explanation((kind,), words, proved=False)
        for hypothesis in (
            *of_the_derivation(self.name),
            *about_the_robot(self.equations.robot, self.name),
            *of_letters(self.equations, self.name),
        ):
            try:
                equations, value = self._changed(hypothesis)
                agrees = self._agrees(lambda s, e=equations, v=value: self.value(e, v, s))
            except (QddotError, ArithmeticError, ValueError, IndexError):
                continue
            if agrees:
                return Explanation((hypothesis.kind,), hypothesis.words, proved=False)
        return None

    def _changed(self, hypothesis: Hypothesis) -> tuple[Equations, Any]:
        equations = self.equations
        if hypothesis.robot:
            equations = changed_equations(hypothesis.robot(equations.robot), self.name)
        if hypothesis.twist:
            return equations, hypothesis.twist(equations, self.name)
        return equations, equations.quantity(self.name)

    def _agrees(self, value: Callable[[np.ndarray], np.ndarray]) -> bool:
        for states in (self.states[:LOOK], self.states[LOOK:]):
            if not all(near(self.given(s), value(s)).all() for s in states):
                return False
        return True


def near(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return where two values agree to rounding; what is no number never does."""
    return np.abs(a - b) <= NEAR * (1 + np.abs(b).max(initial=0.0))


def _inputs(function: Callable[..., Any], default: int) -> int:
    """Return how many of q, q̇ and q̈ a function takes."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return default
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in plain if p.default is p.empty]
    if any(p.kind == p.VAR_POSITIONAL for p in parameters):
        return default
    if len(needed) > 3 or not plain:
        raise BadArgument(
            f"The function takes {len(needed)} arguments; it must take q, q and qd, or q, qd, qdd."
        )
    return min(3, max(len(needed), min(default, len(plain))))


def _state_text(state: np.ndarray) -> str:
    q, qd, qdd = (", ".join(f"{x:.4g}" for x in row) for row in state)
    return f"at q = ({q}), q̇ = ({qd}), q̈ = ({qdd})"
