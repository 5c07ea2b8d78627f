"""Bounds of M, c, C, g and D in closed form, for a robot whose parameters are symbols.

Norms follow from bounds of the entries (`symbolic_entries`), as in the lecture notes:

    ‖M‖₁ ≤ max_j Σ_i sup|M_ij|        λ_max(M) ≤ sup tr M        λ_min(M) ≥ det M ((n − 1)/tr M)ⁿ⁻¹
    ‖c‖₁ ≤ max_ij Σ_k sup|Γ_kij| ‖q̇‖₁²        ‖C‖₂ ≤ (Σ sup|Γ_kij|²)^½ ‖q̇‖₂        ‖g‖₁ ≤ Σ sup|gᵢ|

The bound of λ_min is that of the geometric and the arithmetic mean of the other eigenvalues; both
bounds of eigenvalues take it that M is positive semidefinite, as it is where every body can exist.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.certificate.problems import joint_bounds
from qddot.certificate.symbolic_bound import SymbolicBound, SymbolicBounds
from qddot.certificate.symbolic_entries import Positions
from qddot.equations.deriving import derive
from qddot.equations.equations import Equations
from qddot.equations.polynomial import Polynomial, partial
from qddot.robot import Robot, robot_of

LARGEST_DETERMINANT = 3  # joints, up to which det M is short enough to be read


def symbolic_bounds(
    robot: Robot | str, quantities: Iterable[str] | None = None, *, box: Any = None
) -> SymbolicBounds:
    """Return bounds of the dynamics as formulas in the robot's parameters, by name.

    They hold for every position of the joints (of the box) and all values of the symbols that are
    not negative. Where joints slide, they depend on how far these are out, unless the box says it.

    Args:
        robot: The robot, or its built-in name or file.
        quantities: Names of `qddot.certificate.QUANTITIES` or "g.<joint>"; all of those that have a
            closed form if None. λ_min(M) has one up to three joints, if it can be seen that the
            determinant is positive.
        box: By joint name, a range of its position, numbers or text: {"j2": ("-pi/2", "30deg")}.

    Raises:
        TooLarge: If the closed form of the robot would have too many terms.

    Example:
        >>> import qddot
        >>> print(qddot.certificate.symbolic_bounds("two_link_symbolic")["c.norm1"])
        ‖c‖₁ ≤ m2 a1 aC2 ‖q̇‖₁²
    """
    robot = robot_of(robot)
    equations = derive(robot)
    positions = Positions.of(robot, equations.robot.ring, box)
    found = _all_bounds(robot, equations, positions)
    out = {i for bound in found.values() for i in bound.positions}
    all_of_them = SymbolicBounds(robot, positions.assumptions(out), found)
    return all_of_them if quantities is None else all_of_them.only(dict.fromkeys(quantities))


def _all_bounds(robot: Robot, eqs: Equations, at: Positions) -> dict[str, SymbolicBound]:
    n = eqs.n
    M = [[at.size(eqs.M[i, j]) for j in range(n)] for i in range(n)]
    gamma = {place: at.size(eqs.gamma[place]) for place in np.ndindex(n, n, n)}
    g = [at.size(x) for x in eqs.g]
    slope = [[at.size(partial(eqs.g[i], "q", j)) for j in range(n)] for i in range(n)]
    lost = eqs.friction + eqs.springs
    D = [[at.size(partial(lost[i], "v", j)) for j in range(n)] for i in range(n)]
    rows = at.largest([at.total(row) for row in M])
    trace = at.above(at.total(eqs.M[i, i] for i in range(n)))
    heaviest = (trace,) if any(at.exceeds(x, trace) for x in rows) else rows
    pairs = [at.total(gamma[k, i, j] for k in range(n)) for i in range(n) for j in range(n)]
    outputs = [at.total(gamma[k, i, j] for i in range(n) for j in range(n)) for k in range(n)]
    velocity = {
        "norm1": at.largest(pairs),
        "norm2": tuple(gamma.values()),
        "norminf": at.largest(outputs),
    }
    found = [
        SymbolicBound("M.eigenvalue.max", heaviest),
        *_smallest(eqs, at, trace),
        SymbolicBound("Minv.eigenvalue.min", (at.one,), over=heaviest),
        SymbolicBound("M.norm1.max", rows),
        SymbolicBound("M.norm1.min", (_first_column(eqs, at),)),
        SymbolicBound("M.norm2.max", heaviest),
        SymbolicBound("M.normF.max", tuple(x for row in M for x in row), root=True),
        *(
            SymbolicBound(f"{letter}.{norm}", value, root=norm == "norm2")
            for letter in ("c", "C")
            for norm, value in velocity.items()
        ),
        SymbolicBound("c.crude", at.largest([n * n * x for x in gamma.values()])),
        SymbolicBound("g.norm1", (at.total(g),)),
        SymbolicBound("g.norm2", tuple(g), root=True),
        SymbolicBound("g.norminf", at.largest(g)),
        SymbolicBound("dg.norm2", at.largest([at.total(row) for row in slope])),
    ]
    if any(x for row in D for x in row):
        found.append(SymbolicBound("D.norm2", at.largest([at.total(row) for row in D])))
    joints = joint_bounds(robot)
    each = zip(joints, g, strict=True)
    found += [SymbolicBound(name, (x,), joint=joints[name]) for name, x in each]
    return {bound.quantity: replace(bound, robot=robot.name) for bound in found}


def _smallest(eqs: Equations, at: Positions, trace: Polynomial) -> list[SymbolicBound]:
    """Return the bounds of λ_min(M), where the determinant is seen to be positive."""
    n = eqs.n
    if n > LARGEST_DETERMINANT:
        return []
    least = at.below(_determinant(eqs.M))
    if not least or not at.exceeds(least, at.zero):
        return []
    top = (n - 1) ** (n - 1) * least
    return [
        SymbolicBound("M.eigenvalue.min", (top,), over=(trace,), powers=(1, n - 1)),
        SymbolicBound("Minv.eigenvalue.max", (trace,), over=(top,), powers=(n - 1, 1)),
    ]


def _determinant(M: Any) -> Any:
    if len(M) == 1:
        return M[0, 0]
    minors = [np.delete(M[1:], j, axis=1) for j in range(len(M))]
    return sum((-1) ** j * M[0, j] * _determinant(minor) for j, minor in enumerate(minors))


def _first_column(eqs: Equations, at: Positions) -> Polynomial:
    """Return a bound of ‖M‖₁ from below: of its first column the entries that keep their sign."""
    least = [at.below(eqs.M[i, 0]) for i in range(eqs.n)]
    most = [-at.above(eqs.M[i, 0]) for i in range(1, eqs.n)]
    sure = [x for x in (*least[1:], *most) if at.exceeds(x, at.zero)]
    return at.total([least[0], *sure])
