"""Base parameters: of a robot, or of any regressor that somebody brings.

Khalil: W. Khalil, E. Dombre, *Modeling, Identification and Control of Robots*, 2002, chapter 9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.backends.threads import available_threads
from qddot.blas_threads import one_thread
from qddot.checks import joint_index, numbers
from qddot.errors import BadArgument, NoValues
from qddot.identification.exact_groups import exact_columns, matrix_columns
from qddot.identification.grouping import TOLERANCE, Grouping, condition, sorted_out
from qddot.identification.identifiability import Identifiability, identifiability
from qddot.identification.log import Log, several_numbers
from qddot.identification.log_checks import as_log
from qddot.identification.regression import Regression, with_terms
from qddot.model.shaft import Shaft
from qddot.model.tree import by_rows
from qddot.program.optimise import optimised
from qddot.program.program import flat
from qddot.program.recorder import record
from qddot.robot import robot_of

STATES = 60  # random states a coordinate: many more rows than columns
RATE, ACCELERATION = 2.0, 10.0  # [rad/s], [rad/s²] where there is no limit
IN_A_LOG = 1e-4  # what a log must show of a parameter of its own


def groups(
    Y: Any,
    names: Sequence[str] | None = None,
    *,
    constants: Sequence[str] = (),
    symbols: Mapping[str, float] | None = None,
    tolerance: float = TOLERANCE,
) -> Identifiability:
    """Return which combinations of parameters a regressor can tell apart.

    Args:
        Y: Numbers of shape (..., p), rows of many states one below the other; or a SymPy matrix,
            of which every symbol that is not among the constants is taken for part of the state.
        names: What the parameters are called; p1, p2, ... if not given.
        constants: Of a SymPy matrix, the symbols that do not change: lengths, gravity.
        symbols: Of a matrix of numbers, values of lengths to write coefficients with.
        tolerance: How much of a column must be its own, of 1.
    """
    if hasattr(Y, "free_symbols"):
        names = _names(names, Y.shape[-1])
        columns = matrix_columns(Y, constants)
        return identifiability(names, columns, float("nan"), where="at any state")
    Y = numbers("Y", Y)
    if Y.ndim < 2:
        raise BadArgument(f"Y has shape {Y.shape}; it must have rows and columns, (..., p).")
    names = _names(names, Y.shape[-1])
    Y = Y.reshape(-1, Y.shape[-1])
    columns = sorted_out(Y, tolerance, symbols)
    found = condition(Y[:, columns.kept])
    return identifiability(names, columns, found, where="at these states")


def identifiable(
    robot: Any,
    states: Any = None,
    *,
    terms: Sequence[str] = (),
    extra: Any = (),
    hold: Mapping[str, float] | None = None,
    limits: bool = True,
    exact: bool | None = None,
    symbols: Mapping[str, float] | None = None,
    tolerance: float | None = None,
) -> Identifiability:
    """Return what can be known of a robot's parameters, from its torques.

    Args:
        robot: The robot, or its built-in name or file; with symbols in it, the answer is exact
            and in these symbols.
        states: A log, or (q, qd, qdd) of shape (k, n); random states within the joints' limits
            if not given.
        terms: What to add to the parameters that the model has: "viscous", "coulomb", "offset",
            "rotor_inertia".
        extra: Further columns, see `Regression`.
        hold: Joints that stay at a position; what they keep from being known is in `lost`.
        limits: Whether random states keep within the joints' limits.
        exact: Whether to answer by exact algebra; by default where the robot has symbols.
        symbols: Values of lengths to write coefficients with.
        tolerance: How much of a column must be its own, of 1.
    """
    robot = robot_of(robot)
    if exact if exact is not None else bool(robot.symbols):
        if states is not None or extra or hold:
            raise BadArgument(
                "The exact answer holds at every state; leave out states, hold and extra, or "
                "use exact=False."
            )
        return _exactly(robot, terms)
    with one_thread():
        regression = Regression.of(robot, terms, extra)
        return _at_states(regression, states, hold or {}, limits, symbols, tolerance)


def _at_states(
    regression: Regression,
    states: Any,
    hold: Mapping[str, float],
    limits: bool,
    symbols: Mapping[str, float] | None,
    tolerance: float | None,
) -> Identifiability:
    """Return what numbers say: columns compared at random states, or at those of a log."""
    robot = regression.robot
    at_random = random_states(robot, limits=limits)
    of_the_robot = states is None and not hold
    whole = _columns(regression, at_random, tolerance if of_the_robot else None, symbols)
    if of_the_robot:
        found = _condition(regression, at_random, whole)
        where = "at states within its limits" if limits and _limited(robot) else "at random states"
        free = _free(regression, whole) if limits and _limited(robot) else float("nan")
        return identifiability(regression.names, whole, found, where=where, elsewhere=free)
    if states is not None:
        log, where = as_log(robot, states, torque=False), "in this log"
    else:
        log, where = held(robot, at_random, hold), "with joints held"
    own = IN_A_LOG if tolerance is None and states is not None else tolerance
    shown = _columns(regression, log, own, symbols)
    answer = identifiability(
        regression.names,
        shown,
        _condition(regression, log, shown),
        where=where,
        elsewhere=_free(regression, whole),
    )
    full = identifiability(regression.names, whole, float("nan"))
    seen = {group.name for group in answer.groups}
    return replace(answer, lost=tuple(g.text for g in full.groups if g.name not in seen))


def random_states(
    robot: Any, count: int | None = None, *, limits: bool = True, seed: int = 0
) -> Log:
    """Return states to try a robot at: within its limits where it has them, always the same."""
    k = STATES * max(robot.n, 2) if count is None else count
    rng = np.random.default_rng(seed)
    q, qd = np.empty((k, robot.nq)), np.empty((k, robot.n))
    own, fast = robot.limits, np.full(robot.n, RATE)
    low, high = -own.reach, own.reach
    if limits:
        low, high = own.span()
        fast = np.where(np.isfinite(own.velocity), own.velocity, RATE)
    first = [*robot.tree.positions, robot.nq]
    for i in range(robot.n):
        for j in range(first[i], first[i + 1]):
            q[:, j] = rng.uniform(low[j], high[j], k)
        qd[:, i] = rng.uniform(-fast[i], fast[i], k)
    q = by_rows(robot.tree.project, q)
    qdd = rng.uniform(-ACCELERATION, ACCELERATION, (k, robot.n))
    t, zeros = np.arange(k, dtype=float), np.zeros((k, robot.n))
    return Log(tuple(robot.joint_names), t, q, qd, qdd, zeros, **several_numbers(robot))


def structural(regression: Regression) -> Grouping:
    """Return the base parameters that the robot has wherever it may go."""

    def found() -> Grouping:
        states = regression.at_loads(random_states(regression.robot, limits=False))
        regression.check_extra(states)
        return sorted_out(regression.factor(states))

    alone = not (regression.extra or regression.loads)
    return regression.full.cached("base parameters", None, found) if alone else found()


def base_regressor(robot: Any, *, terms: Sequence[str] = ()) -> Kernel:
    """Return Y_b, the columns of the regressor that base parameters multiply, as compiled code.

    With β = B φ, which `identifiable(robot, limits=False)` has, in the same order:

        Y_b(q, q̇, q̈) β = Y(q, q̇, q̈) φ

    The columns that are left out are sums of these, so nothing is lost, and fewer are computed and
    stored: 43 of a Panda's 70.

    Args:
        robot: The robot, or its built-in name or file.
        terms: What to add to the parameters that the model has, as in `identifiable`.

    Returns:
        A kernel that takes q, qd and qdd of shape (..., n), and `out=`, and gives (..., n, r).
    """
    robot = robot_of(robot)
    if robot.symbols:
        raise NoValues(robot.name, robot.symbols, "robot.with_values({}=1.0, ...)")
    regression = Regression.of(robot, terms)
    with one_thread():
        kept = list(structural(regression).kept)
    whole = regression.full.program("regressor")

    def columns(*state: Any) -> Any:
        return whole.pack(whole.results_at(flat(state)))[:, kept]

    shapes = {port.name: port.shape for port in whole.inputs}
    program = optimised(record(columns, "base_regressor", **shapes))
    return Kernel(program, np.dtype(robot.dtype), robot.threads or available_threads())


def held(robot: Any, states: Log, positions: Mapping[str, float]) -> Log:
    """Return the states with some joints at rest at a position."""
    q, qd, qdd = (x.copy() for x in (states.q, states.qd, states.qdd))
    if positions:
        robot.model.need_single_numbers("Holding joints still")
    for name, position in positions.items():
        i = joint_index(robot, name)
        q[:, i], qd[:, i], qdd[:, i] = float(position), 0, 0
    return replace(states, q=q, qd=qd, qdd=qdd)


def _exactly(robot: Any, terms: Sequence[str]) -> Identifiability:
    model = with_terms(robot, terms).model
    names, extras = _exact_names(model)
    columns = exact_columns(model, extras)
    return identifiability(names, columns, float("nan"), where="at any state")


def _exact_names(model: Any) -> tuple[list[str], list[tuple[Shaft, str]]]:
    from qddot.dynamics.regressor import EXTRAS, NAMES
    from qddot.model.folding import exact, fold

    tree = fold(model, exact)
    names = [f"{body.name}.{name}" for body in tree.bodies for name in NAMES]
    extras = [
        (shaft, name)
        for shaft in tree.shafts
        for name, value in zip(EXTRAS, shaft.parameters, strict=True)
        if value
    ]
    return names + [f"{shaft.name}.{name}" for shaft, name in extras], extras


def _columns(
    regression: Regression,
    log: Log,
    tolerance: float | None,
    symbols: Mapping[str, float] | None = None,
) -> Grouping:
    R = regression.factor(log)
    return sorted_out(R, TOLERANCE if tolerance is None else tolerance, symbols)


def _condition(regression: Regression, log: Log, columns: Grouping) -> float:
    return condition(regression.factor(log)[:, columns.kept])


def _free(regression: Regression, columns: Grouping) -> float:
    """Return the condition number at random states that keep to no limit."""
    return _condition(regression, random_states(regression.robot, limits=False), columns)


def _limited(robot: Any) -> bool:
    return bool(np.isfinite(robot.limits.lower).any())


def _names(names: Sequence[str] | None, p: int) -> list[str]:
    names = [f"p{k + 1}" for k in range(p)] if names is None else [str(name) for name in names]
    if len(names) != p:
        raise BadArgument(f"There are {len(names)} names for {p} columns; give one per column.")
    return names
