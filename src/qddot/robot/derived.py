"""Programs made from other programs of a robot: first and second derivatives.

Derivatives by q are along unit velocities of the joints. For joints whose velocity is dq/dt, that
is by the entries of q.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qddot.dynamics import coriolis, derivatives, forward, friction, rnea, stretch_slopes
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.regroup import regrouped
from qddot.model.tree import Tree
from qddot.program.differentiate import jacobian
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.robot.long_chains import as_block, forward_slopes, is_long

# up to this many joints, the shorter of two ways is found by recording both
FEW_JOINTS = 4

ProgramOf = Callable[[str], Program]  # the program of a quantity of the same robot, as recorded
STATE = ("q", "qd", "qdd")
FORWARD_STATE = ("q", "qd", "tau")


def state_shapes(tree: Tree, *names: str) -> dict[str, tuple[int]]:
    """Return the shapes of inputs: q has as many numbers as a configuration, others as v."""
    sizes = {"q": tree.nq, "wrench": 6}
    return {name: (sizes.get(name, tree.n),) for name in names}


def shorter(tree: Tree, *ways: Callable[[], Program]) -> Program:
    """Return the shortest of some equal programs; of a robot with many joints, the first."""
    return ways[0]() if tree.n > FEW_JOINTS else min((way() for way in ways), key=len)


# first derivatives


def coriolis_matrix(tree: Tree, recorded: ProgramOf) -> Program:
    """Return Christoffel's Coriolis matrix: half a slope of the torques, where that is shorter."""
    short = regrouped(tree)

    def as_slope() -> Program:
        if is_long(tree, "matrices"):
            return recorded_as(lambda q, qd: stretch_slopes.coriolis_matrix(short, q, qd, as_block))
        return recorded_as(lambda q, qd: derivatives.coriolis_matrix(short, q, qd))

    def as_couplings() -> Program:
        return recorded_as(lambda q, qd: coriolis.coriolis_matrix(short, q, qd))

    def recorded_as(define: Callable[..., Any]) -> Program:
        return record(define, "coriolis_matrix", **state_shapes(tree, "q", "qd"))

    if not derivatives.applies(tree):
        return as_couplings()
    return shorter(tree, as_slope, as_couplings)


def mass_matrix_rate(tree: Tree, recorded: ProgramOf) -> Program:
    """Return Ṁ = C + Cᵀ for Christoffel's C."""
    C = recorded("coriolis_matrix")

    def rate(q: Any, qd: Any) -> Any:
        C_now = C.pack(C.results_at([*q, *qd]))
        return C_now + C_now.T

    return record(rate, "mass_matrix_rate", **state_shapes(tree, "q", "qd"))


def christoffel(tree: Tree, recorded: ProgramOf) -> Program:
    """Return Γ: of joints with one velocity from ∂M/∂q, the others' as couplings of velocities.

    Γ_kij = ½ (∂ᵢ M_kj + ∂ⱼ M_ki − ∂ₖ M_ij)
    """
    short, shapes = regrouped(tree), state_shapes(tree, "q")

    def as_slopes() -> Program:
        slopes = mass_slopes(tree, recorded)

        def symbols(q: Any) -> Any:
            return _twice_christoffel(slopes.pack(slopes.results_at(q))) / 2

        return record(symbols, "christoffel", **shapes)

    def as_couplings() -> Program:
        return record(lambda q: coriolis.christoffel(short, q), "christoffel", **shapes)

    if not derivatives.applies(tree):
        return as_couplings()
    return shorter(tree, as_slopes, as_couplings)


def _twice_christoffel(dM: Any) -> Any:
    twice = np.zeros(dM.shape, dtype=object)
    for k, i, j in np.ndindex(dM.shape):
        if j <= i:
            twice[k, i, j] = twice[k, j, i] = dM[k, i, j] + dM[k, j, i] - dM[i, k, j]
    return twice


def mass_slopes(tree: Tree, recorded: ProgramOf) -> Program:
    """Return ∂M/∂q, [k, i, j] the slope of M_kj along joint i."""
    n, slopes = tree.n, jacobian(recorded("mass_matrix"), ["q"], _along(tree))

    def turned(q: Any) -> Any:
        dM = slopes.pack(slopes.results_at(q))
        # a pair of equal entries of M is recorded once
        return np.stack([dM[:, :, i] for i in range(n)], axis=1) if n else np.zeros((0, 0, 0))

    return record(turned, "mass_slopes", **state_shapes(tree, "q"))


def inverse_derivatives(tree: Tree, recorded: ProgramOf) -> Program:
    """Return ∂τ/∂q and ∂τ/∂q̇: of rigid bodies by mechanics, of friction and springs as programs.

    Where a joint has several velocities, the program of the torques is differentiated as it is.
    """

    def by_differentiating() -> Program:
        return differentiated_torques(tree, recorded)

    def by_mechanics() -> Program:
        slopes = torque_slopes(tree)
        name, shapes = "inverse_dynamics_derivatives", state_shapes(tree, *STATE)
        return record(lambda q, qd, qdd: _named("dtau", *slopes(q, qd, qdd)), name, **shapes)

    if not derivatives.applies(tree):
        return by_differentiating()
    return shorter(tree, by_mechanics, by_differentiating)


def torque_slopes(tree: Tree) -> Callable[..., tuple[Any, Any]]:
    """Return the function that gives ∂τ/∂q and ∂τ/∂q̇ by mechanics, of a long chain by blocks."""
    short, more = regrouped(tree), jacobian(resisting(tree), ["q", "qd"], _along(tree))

    def slopes(q: Any, qd: Any, qdd: Any) -> tuple[Any, Any]:
        if is_long(tree, "slopes"):
            rigid = stretch_slopes.rigid_body_slopes(short, q, qd, qdd, as_block)
        else:
            rigid = derivatives.rigid_body_slopes(short, q, qd, qdd)
        by_q, by_qd = more.pack(more.results_at([*q, *qd]))
        return rigid[0] + by_q, rigid[1] + by_qd

    return slopes


def differentiated_torques(tree: Tree, recorded: ProgramOf) -> Program:
    """Return ∂τ/∂q and ∂τ/∂q̇, the program of the torques differentiated column by column."""
    slopes = jacobian(recorded("inverse_dynamics"), ["q", "qd"], _along(tree))

    def named(*state: Any) -> Any:
        return _named("dtau", *slopes.pack(slopes.results_at(np.concatenate(state))))

    return record(named, "inverse_dynamics_derivatives", **state_shapes(tree, *STATE))


def resisting(tree: Tree) -> Program:
    """Return the torques of friction and springs."""

    def torque(q: Any, qd: Any) -> Any:
        return friction.friction_torque(tree, qd) + rnea.elastic_torque(tree, q, qd)

    return record(torque, "resisting", **state_shapes(tree, "q", "qd"))


def forward_derivatives(tree: Tree, recorded: ProgramOf) -> Program:
    """Return the derivatives of forward dynamics, from those of inverse dynamics at its result.

    With q̈ what forward dynamics gives:

        ∂q̈/∂q = −M⁻¹ ∂τ/∂q        ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂q̇        ∂q̈/∂τ = M⁻¹
    """
    short = regrouped(tree)
    if is_long(tree, "slopes"):
        slopes_of = forward_slopes(short, torque_slopes(tree))
    else:
        slopes = recorded("inverse_dynamics_derivatives")

        def slopes_of(q: Any, qd: Any, tau: Any) -> tuple[Any, ...]:
            negative = forward.inverse(-mass_matrix(short, q))  # −M⁻¹: the fewest changes of sign
            qdd = negative @ (rnea.bias_torque(short, q, qd) - tau)
            both = slopes.pack(slopes.results_at([*q, *qd, *qdd]))
            return *(_product(negative, x) for x in both), -negative

    def named(*state: Any) -> dict[str, Any]:
        return _named("dqdd", *slopes_of(*state), last="tau")

    shapes = state_shapes(tree, *FORWARD_STATE)
    return record(named, "forward_dynamics_derivatives", **shapes)


def _product(A: Any, B: Any, rows: int = 4) -> Any:
    """Return A B, a few rows at a time: an entry of B is then fetched once for all of them."""
    n, C = len(A), np.zeros(np.shape(B), dtype=object)
    for first in range(0, n, rows):
        for j in range(n):
            for i in range(first, min(first + rows, n)):
                C[i, j] = A[i] @ B[:, j]
    return C


# second derivatives


def inverse_second_derivatives(tree: Tree, recorded: ProgramOf) -> Program:
    """Return ∂²τ/∂q∂q, ∂²τ/∂q∂q̇, ∂²τ/∂q̇∂q̇ and ∂²τ/∂q∂q̈ = ∂M/∂q, each (n, n, n), output first.

    By differentiating the first derivatives along q. Where each joint has one velocity, derivatives
    commute: of a symmetric pair one is computed, and ∂²τ/∂q̇∂q̇ of rigid bodies is 2Γ.
    """
    commute, slopes = derivatives.applies(tree), mass_slopes(tree, recorded)
    along_q = jacobian(recorded("inverse_dynamics_derivatives"), ["q"], _along(tree))
    torque = resisting(tree) if commute else recorded("inverse_dynamics")
    along_qd = jacobian(jacobian(torque, ["qd"]), ["qd"])

    def total(q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
        by_q, mixed = along_q.pack(along_q.results_at([*q, *qd, *qdd]))
        dM = slopes.pack(slopes.results_at(q))
        state = [*q, *qd] if commute else [*q, *qd, *qdd]
        by_qd = along_qd.pack(along_qd.results_at(state))
        if commute:
            by_qd = by_qd + _twice_christoffel(dM)
            for j in range(tree.n):
                by_q[:, j + 1 :, j] = by_q[:, j, j + 1 :]
        return {
            "d2tau_dq_dq": by_q,
            "d2tau_dq_dqd": mixed.swapaxes(1, 2),
            "d2tau_dqd_dqd": by_qd,
            "d2tau_dq_dqdd": dM,
        }

    return record(total, "inverse_dynamics_second_derivatives", **state_shapes(tree, *STATE))


def forward_second_derivatives(tree: Tree, recorded: ProgramOf) -> Program:
    """Return ∂²q̈/∂q∂q, ∂²q̈/∂q∂q̇, ∂²q̈/∂q̇∂q̇ and ∂²q̈/∂q∂τ, each (n, n, n), output first.

    From τ(q, q̇, q̈(q, q̇, τ)) = τ, differentiated twice, with the derivatives of inverse dynamics
    at q̈ and x, y either of q and q̇; torques do not depend on the square of q̈:

        ∂²q̈/∂x∂y = −M⁻¹ (∂²τ/∂x∂y + ∂M/∂x ∂q̈/∂y + ∂M/∂y ∂q̈/∂x)        ∂²q̈/∂q∂τ = −M⁻¹ ∂M/∂q M⁻¹
    """
    n, short, commute = tree.n, regrouped(tree), derivatives.applies(tree)
    first = recorded("inverse_dynamics_derivatives")
    second = recorded("inverse_dynamics_second_derivatives")

    def total(q: Any, qd: Any, tau: Any) -> dict[str, Any]:
        negative = forward.inverse(-mass_matrix(short, q))
        qdd = negative @ (rnea.bias_torque(short, q, qd) - tau)
        state = [*q, *qd, *qdd]
        by_q, by_qd = (_product(negative, x) for x in first.pack(first.results_at(state)))
        dq_dq, dq_dqd, dqd_dqd, dM = second.pack(second.results_at(state))
        found = {key: np.zeros((n, n, n), dtype=object) for key in ("qq", "qv", "vv", "qt")}
        for i in range(n):
            along = dM[:, i]  # ∂M along joint i
            for j in range(n):
                if i <= j or not commute:
                    twice = dq_dq[:, i, j] + along @ by_q[:, j] + dM[:, j] @ by_q[:, i]
                    found["qq"][:, i, j] = negative @ twice
                    found["vv"][:, i, j] = negative @ dqd_dqd[:, i, j]
                else:
                    found["qq"][:, i, j] = found["qq"][:, j, i]
                    found["vv"][:, i, j] = found["vv"][:, j, i]
                found["qv"][:, i, j] = negative @ (dq_dqd[:, i, j] + along @ by_qd[:, j])
            half = _product(along, negative)
            for k in range(n):
                for j in range(k + 1):
                    found["qt"][k, i, j] = found["qt"][j, i, k] = -(negative[k] @ half[:, j])
        names = ("d2qdd_dq_dq", "d2qdd_dq_dqd", "d2qdd_dqd_dqd", "d2qdd_dq_dtau")
        return dict(zip(names, found.values(), strict=True))

    shapes = state_shapes(tree, *FORWARD_STATE)
    return record(total, "forward_dynamics_second_derivatives", **shapes)


def _along(tree: Tree) -> dict[str, Callable[[Any], np.ndarray]] | None:
    return None if tree.flat else {"q": tree.rates}


def _named(what: str, by_q: Any, by_qd: Any, *more: Any, last: str = "") -> dict[str, Any]:
    found = {f"{what}_dq": by_q, f"{what}_dqd": by_qd}
    return found | {f"{what}_d{last}": x for x in more}


DERIVED: dict[str, Callable[[Tree, ProgramOf], Program]] = {
    "coriolis_matrix": coriolis_matrix,
    "mass_matrix_rate": mass_matrix_rate,
    "christoffel": christoffel,
    "inverse_dynamics_derivatives": inverse_derivatives,
    "forward_dynamics_derivatives": forward_derivatives,
    "inverse_dynamics_second_derivatives": inverse_second_derivatives,
    "forward_dynamics_second_derivatives": forward_second_derivatives,
}
