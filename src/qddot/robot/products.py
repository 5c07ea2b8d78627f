"""Products with derivatives of the dynamics, without their matrices: programs of O(n) operations.

With J the derivatives of a quantity by its inputs, one sweep forward gives J v, one sweep back
Jᵀ w, and one sweep forward through the latter how Jᵀ w changes along v, the product of the
Hessian of wᵀ f with v. Each takes a few times the operations of the quantity itself.

Changes of q are along velocities of the joints, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from qddot.dynamics import forward, rnea
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.regroup import regrouped
from qddot.model.tree import Tree
from qddot.program.differentiate import gradient, tangent
from qddot.program.program import Program, flat
from qddot.program.recorder import record
from qddot.robot.derived import FORWARD_STATE, STATE, ProgramOf, state_shapes


def inverse_product(tree: Tree, recorded: ProgramOf) -> Program:
    """Return δτ = ∂τ/∂q δq + ∂τ/∂q̇ δq̇ + M δq̈, in one sweep forward through inverse dynamics."""
    torque = recorded("inverse_dynamics")
    return _pushed(tree, torque, STATE, "inverse_dynamics_product", {"out": "dtau"})


def inverse_transposed_product(tree: Tree, recorded: ProgramOf) -> Program:
    """Return (∂τ/∂q)ᵀ w, (∂τ/∂q̇)ᵀ w and M w, in one sweep back through inverse dynamics."""
    pull = gradient(recorded("inverse_dynamics"), STATE)

    def pulled(q: Any, qd: Any, qdd: Any, weights: Any) -> dict[str, Any]:
        by_q, by_qd, by_qdd = pull.pack(pull.results_at([*q, *qd, *qdd, *weights]))
        return _weighted(_per_velocity(tree, q, by_q), by_qd, by_qdd, "qdd")

    shapes = state_shapes(tree, *STATE, "weights")
    return record(pulled, "inverse_dynamics_transposed_product", **shapes)


def forward_product(tree: Tree, recorded: ProgramOf) -> Program:
    """Return δq̈ = M⁻¹ (δτ − ∂τ/∂q δq − ∂τ/∂q̇ δq̇), with the slopes of inverse dynamics at q̈."""
    push, short = inverse_product(tree, recorded), regrouped(tree)

    def pushed(q: Any, qd: Any, tau: Any, dq: Any, dqd: Any, dtau: Any) -> dict[str, Any]:
        M = mass_matrix(short, q)
        qdd = forward.solve(M, tau - rnea.bias_torque(short, q, qd))
        more = push.results_at([*q, *qd, *qdd, *dq, *dqd, *np.zeros(tree.n, dtype=int)])
        return {"dqdd": forward.solve(M, dtau - np.array(more, dtype=object))}

    shapes = state_shapes(tree, *FORWARD_STATE) | _changes(tree, *FORWARD_STATE)
    return record(pushed, "forward_dynamics_product", **shapes)


def forward_transposed_product(tree: Tree, recorded: ProgramOf) -> Program:
    """Return (∂q̈/∂q)ᵀ w, (∂q̈/∂q̇)ᵀ w and M⁻¹ w: those of inverse dynamics, with −M⁻¹ w for w."""
    pull, short = inverse_transposed_product(tree, recorded), regrouped(tree)

    def pulled(q: Any, qd: Any, tau: Any, weights: Any) -> dict[str, Any]:
        M = mass_matrix(short, q)
        qdd = forward.solve(M, tau - rnea.bias_torque(short, q, qd))
        forces = forward.solve(M, weights)
        by_q, by_qd, _ = pull.pack(pull.results_at([*q, *qd, *qdd, *(-x for x in forces)]))
        return _weighted(by_q, by_qd, forces, "tau")

    shapes = state_shapes(tree, *FORWARD_STATE, "weights")
    return record(pulled, "forward_dynamics_transposed_product", **shapes)


def inverse_hessian_product(tree: Tree, recorded: ProgramOf) -> Program:
    """Return how wᵀ ∂τ changes along (δq, δq̇, δq̈), by q, q̇ and q̈."""
    return _of_hessian(tree, inverse_transposed_product(tree, recorded), STATE)


def forward_hessian_product(tree: Tree, recorded: ProgramOf) -> Program:
    """Return how wᵀ ∂q̈ changes along (δq, δq̇, δτ), by q, q̇ and τ."""
    return _of_hessian(tree, forward_transposed_product(tree, recorded), FORWARD_STATE)


def _of_hessian(tree: Tree, pull: Program, state: tuple[str, ...]) -> Program:
    return _pushed(tree, pull, state, pull.name.replace("transposed", "hessian"))


def _pushed(
    tree: Tree,
    program: Program,
    wrt: tuple[str, ...],
    name: str,
    names: Mapping[str, str] = MappingProxyType({}),
) -> Program:
    """Return the program of how outputs change with those inputs, q along velocities.

    The first input of the program is q. `wrt` are the inputs that change, q first; their changes
    are further inputs, "d<input>". `names` has, by those of the program, what its outputs are
    called; the same if not given.
    """
    push, count = tangent(program, wrt), len(program.inputs)

    def pushed(*arrays: Any) -> dict[str, Any]:
        state, changes = arrays[:count], arrays[count:]
        rates = [tree.rate(state[0], changes[0]), *changes[1:]]
        found = push.named(push.results_at(flat([*state, *rates])))
        return {
            names.get(port.name, port.name): x
            for port, x in zip(program.outputs, found.values(), strict=True)
        }

    given = {port.name: port.shape for port in program.inputs}
    return record(pushed, name, **given, **_changes(tree, *wrt))


def _changes(tree: Tree, *names: str) -> dict[str, tuple[int]]:
    return {f"d{name}": (tree.n,) for name in names}


def _per_velocity(tree: Tree, q: Any, by_q: Any) -> Any:
    """Return derivatives by the entries of q as derivatives along velocities."""
    return by_q if tree.flat else np.asarray(tree.rates(q)).T @ np.asarray(by_q)


def _weighted(by_q: Any, by_qd: Any, by_last: Any, last: str) -> dict[str, Any]:
    return {"by_q": by_q, "by_qd": by_qd, f"by_{last}": by_last}


PRODUCTS: dict[str, Callable[[Tree, ProgramOf], Program]] = {
    "inverse_dynamics_product": inverse_product,
    "inverse_dynamics_transposed_product": inverse_transposed_product,
    "inverse_dynamics_hessian_product": inverse_hessian_product,
    "forward_dynamics_product": forward_product,
    "forward_dynamics_transposed_product": forward_transposed_product,
    "forward_dynamics_hessian_product": forward_hessian_product,
}
